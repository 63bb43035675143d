//! Compares a proof's fields with its original chain.

use super::printed::{Compared, without_blanks};
use super::{ProofField, Reading, Source};
use crate::proofs::{ChainReading, Party};

/// Result of comparing the fields with the chain.
pub(super) struct Comparison {
    /// The fields that differ from the most similar reading of the chain, in the chain's order.
    pub(super) contradicting: Vec<ProofField>,
    /// The fields that agree with a reading of the chain, but for which the chain allows other values.
    pub(super) uncertain: Vec<ProofField>,
}

/// Compares every field that the file has outside the chain. All must agree with the same reading of
/// the chain.
pub(super) fn compare(reading: &Reading) -> Comparison {
    let uncertain = reading.proof.uncertain_fields();
    let contradicting = if reading.source == Source::Pdf(Compared::Nothing) {
        Vec::new()
    } else {
        contradicting(reading)
    };
    Comparison {
        contradicting,
        uncertain,
    }
}

fn contradicting(reading: &Reading) -> Vec<ProofField> {
    let Reading {
        proof, credit_date, ..
    } = reading;
    let chain = &proof.chain;
    let mut contradicting: Vec<_> = [
        (
            ProofField::OperationDate,
            chain.operation_date() != proof.operation_date,
        ),
        (
            ProofField::CreditDate,
            credit_date.is_some_and(|date| date != chain.credit_date()),
        ),
        (
            ProofField::CreditTime,
            chain.credit_time() != Some(proof.credit_time),
        ),
        (ProofField::ReceiverCode, chain.receiver() != proof.receiver),
    ]
    .into_iter()
    .filter_map(|(field, differs)| differs.then_some(field))
    .collect();
    let readings = chain.readings();
    let differing = readings.iter().map(|it| texts_that_differ(reading, it));
    contradicting.extend(differing.min_by_key(Vec::len).unwrap_or_default());
    let unreadable = reading.unreadable.iter().copied();
    contradicting.extend(unreadable);
    contradicting.sort_unstable_by_key(|field| *field as usize);
    contradicting.dedup();
    contradicting
}

/// The text fields of a file that differ from a reading of its chain. A PDF page shows no account
/// types, leaves missing fields blank, and loses blanks at line breaks.
fn texts_that_differ(reading: &Reading, sealed: &ChainReading<'_>) -> Vec<ProofField> {
    let proof = &reading.proof;
    let differs = match reading.source {
        Source::Xml => differs,
        Source::Pdf(_) => differs_but_for_blanks,
    };
    let payer = party_differences(&proof.payer, &sealed.payer(), differs);
    let beneficiary = party_differences(&proof.beneficiary, &sealed.beneficiary(), differs);
    let vat_differs = |vat| sealed.vat_centavos() != Some(vat);
    let rest = [
        (
            ProofField::Concept,
            differs(proof.concept.as_deref(), sealed.concept()),
        ),
        // The attribute may be missing even if the chain has a value.
        (ProofField::Vat, proof.vat_centavos.is_some_and(vat_differs)),
        (
            ProofField::Amount,
            sealed.centavos() != Some(proof.centavos),
        ),
    ];
    let kinds = [
        ProofField::PayerAccountType,
        ProofField::BeneficiaryAccountType,
    ];
    let is_shown = |field: &ProofField| {
        reading.source == Source::Xml || !kinds.contains(field) && !reading.missing.contains(field)
    };
    let payer = ProofField::OF_PAYER.into_iter().zip(payer);
    let beneficiary = ProofField::OF_BENEFICIARY.into_iter().zip(beneficiary);
    payer
        .chain(beneficiary)
        .chain(rest)
        .filter_map(|(field, differs)| differs.then_some(field))
        .filter(is_shown)
        .collect()
}

/// `true` for each field that differs between two parties, in the order of the original chain.
pub(super) fn party_differences(
    one: &Party,
    other: &Party,
    differs: impl Fn(Option<&str>, Option<&str>) -> bool,
) -> [bool; 5] {
    let differs =
        |one: &Option<String>, other: &Option<String>| differs(one.as_deref(), other.as_deref());
    [
        differs(&one.institution, &other.institution),
        differs(&one.name, &other.name),
        one.account_type != other.account_type,
        differs(&one.account, &other.account),
        differs(&one.tax_id, &other.tax_id),
    ]
}

pub(super) fn differs(one: Option<&str>, other: Option<&str>) -> bool {
    one != other
}

fn differs_but_for_blanks(one: Option<&str>, other: Option<&str>) -> bool {
    one.map(without_blanks) != other.map(without_blanks)
}
