//! Filter of a batch's rows.

use application::{RowOutcome, RowView};
use async_graphql::InputObject;
use domain::amount::Amount;
use domain::batches::RowState;
use domain::batches::sheet::Column;

use super::batches::BatchRowState;
use super::seals::SealVerdict;
use crate::problem::RowError;

/// Filter of the rows of a batch; each condition narrows the list.
#[derive(InputObject, Default)]
#[graphql(name = "BatchRowFilter")]
pub struct RowFilter {
    /// In one of these states; any when empty or not given.
    pub states: Option<Vec<BatchRowState>>,
    /// With this verdict on the seal, as of now.
    pub seal: Option<SealVerdict>,
    /// With an error of this field: `cuenta`; or of this field and problem: `cuenta:wrong_length`.
    pub fault: Option<String>,
    /// With this text, whatever its case, in the creator's id, the tracking key or the account; or with this
    /// amount.
    pub text: Option<String>,
}

impl RowFilter {
    /// Returns `true` if each row passes.
    pub fn is_empty(&self) -> bool {
        let no_states = self.states.as_ref().is_none_or(Vec::is_empty);
        no_states && self.seal.is_none() && self.fault.is_none() && self.text.is_none()
    }

    /// Returns `true` for a row that passes.
    pub fn accepts(&self, row: &RowView) -> bool {
        let state = row.outcome.state();
        let mut states = self.states.iter().flatten();
        let has_state = self.states.as_ref().is_none_or(Vec::is_empty)
            || states.any(|it| RowState::from(*it) == state);
        let has_seal = self.seal.is_none_or(|wanted| {
            let delivery = match &row.outcome {
                RowOutcome::Lookup(lookup) => lookup.delivery.as_ref(),
                _ => None,
            };
            delivery.is_some_and(|it| {
                domain::seals::SealVerdict::from(it.seal.verdict) == wanted.into()
            })
        });
        let has_fault = self.fault.as_ref().is_none_or(|wanted| {
            let errors = RowError::all_of(&row.outcome);
            errors.iter().any(|error| {
                error.field == *wanted || format!("{}:{}", error.field, error.problem) == *wanted
            })
        });
        let has_text = self.text.as_ref().is_none_or(|text| has_text(row, text));
        has_state && has_seal && has_fault && has_text
    }
}

fn has_text(row: &RowView, text: &str) -> bool {
    let wanted = text.trim().to_lowercase();
    let contains = |value: &str| value.to_lowercase().contains(&wanted);
    let amount = amount_of(&wanted);
    let is_amount = |value: &str| amount.is_some() && amount_of(value) == amount;
    let of_query = row.query.as_ref().is_some_and(|query| {
        contains(&query.criterion.to_string())
            || contains(query.account.as_str())
            || amount == Some(query.amount)
    });
    let of_proof = match &row.outcome {
        RowOutcome::Lookup(lookup) => lookup.delivery.as_ref(),
        _ => None,
    };
    let of_proof = of_proof.is_some_and(|it| contains(it.proof.tracking_key()));
    let mut written = row.written.iter();
    let of_written = written
        .any(|(column, value)| contains(value) || *column == Column::Amount && is_amount(value));
    of_query || of_proof || of_written || row.caller_id.as_deref().is_some_and(contains)
}

/// The amount of a text with or without the sign of pesos, commas and blanks.
fn amount_of(text: &str) -> Option<Amount> {
    let is_mark = |it: char| it.is_whitespace() || matches!(it, '$' | ',');
    Amount::parse(&text.replace(is_mark, "")).ok()
}

#[cfg(test)]
mod tests {
    use application::FaultyRow;
    use domain::account::Account;
    use domain::batches::{BatchState, RowNumber};
    use domain::calendar;
    use domain::query::ProofQuery;
    use domain::tracking_key::TrackingKey;
    use rstest::rstest;

    use super::*;
    use crate::problem::FieldProblem;

    fn ready() -> RowView {
        RowView {
            row: RowNumber(0),
            line: 2,
            caller_id: Some("Folio-7".to_owned()),
            cells: Vec::new(),
            query: Some(ProofQuery {
                date: calendar::parse_date("2026-11-20").unwrap(),
                criterion: TrackingKey::parse("MBAN01").unwrap().into(),
                account: Account::parse("002010077777777771").unwrap(),
                others: Vec::new(),
                completion: None,
                amount: Amount::parse("1234.50").unwrap(),
                issuer: None,
                receiver: None,
            }),
            written: Vec::new(),
            outcome: RowOutcome::NotBegun {
                batch: BatchState::Running,
            },
        }
    }

    fn faulty() -> RowView {
        let error = RowError::new("monto", &FieldProblem::NotPositive);
        let FaultyRow(kept) = RowError::kept(&[error]);
        RowView {
            caller_id: None,
            query: None,
            written: vec![
                (Column::Amount, "$ 5,000.50".to_owned()),
                (Column::Receiver, "Pesos".to_owned()),
            ],
            outcome: RowOutcome::Faulty(FaultyRow(kept)),
            ..ready()
        }
    }

    #[rstest]
    #[case("folio-7", true, false)]
    #[case(" mban", true, false)]
    #[case("7777777", true, false)]
    #[case("$1,234.50", true, false)]
    #[case("$ 1,234.50", true, false)]
    #[case("1234.5", true, false)]
    #[case("1234", false, false)]
    #[case("PESOS", false, true)]
    #[case("5000.5", false, true)]
    fn a_text_is_found_in_a_row(
        #[case] text: &str,
        #[case] of_ready: bool,
        #[case] of_faulty: bool,
    ) {
        let filter = RowFilter {
            text: Some(text.to_owned()),
            ..RowFilter::default()
        };
        assert!(!filter.is_empty());
        assert_eq!(
            [ready(), faulty()].map(|row| filter.accepts(&row)),
            [of_ready, of_faulty]
        );
    }

    #[test]
    fn rows_are_found_by_state_and_fault_and_all_pass_without_a_condition() {
        let of = |states: &[BatchRowState], fault: Option<&str>| RowFilter {
            states: Some(states.to_vec()),
            fault: fault.map(str::to_owned),
            ..RowFilter::default()
        };
        for (filter, accepted) in [
            (of(&[], None), [true, true]),
            (of(&[BatchRowState::Faulty], None), [false, true]),
            (
                of(&[BatchRowState::NotBegun, BatchRowState::Faulty], None),
                [true, true],
            ),
            (of(&[], Some("monto")), [false, true]),
            (of(&[], Some("monto:not_positive")), [false, true]),
            (of(&[], Some("monto:missing")), [false, false]),
            (
                of(&[BatchRowState::NotBegun], Some("monto")),
                [false, false],
            ),
            (
                RowFilter {
                    seal: Some(SealVerdict::Valid),
                    ..RowFilter::default()
                },
                [false, false],
            ),
        ] {
            assert_eq!(
                [ready(), faulty()].map(|row| filter.accepts(&row)),
                accepted
            );
        }
        assert!(of(&[], None).is_empty() && RowFilter::default().is_empty());
        assert!(!of(&[BatchRowState::Faulty], None).is_empty());
    }
}
