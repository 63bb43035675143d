//! A row of the results of a batch: words for people, and codes for programs.

use application::{Delivery, LookupView, RowOutcome, RowView};
use chrono::SecondsFormat;
use domain::batches::RowState;
use domain::batches::sheet::Column;
use domain::participants::ParticipantCode;
use domain::participants::inference::Inferred;
use domain::proofs::candidate::Candidate;
use domain::proofs::notice::{Notice, NoticeCode, ProofOrigin};
use domain::proofs::{Proof, ProofField};
use domain::query::ProofQuery;
use domain::seals::SealVerdict;
use web::Language;
use web::problem::{
    HintReason, RowError, RowRemark, failure_of, notice_message, payment_word, row_state,
    seal_word, what_to_do_with_row,
};

/// A row of results, and the language of its words.
pub(super) struct ResultRow<'a> {
    pub(super) row: &'a RowView,
    language: Language,
    errors: Vec<RowError>,
}

impl<'a> ResultRow<'a> {
    pub(super) fn new(row: &'a RowView, language: Language) -> Self {
        Self {
            row,
            language,
            errors: RowError::all_of(&row.outcome),
        }
    }

    pub(super) fn query(&self) -> Option<&'a ProofQuery> {
        self.row.query.as_ref()
    }

    fn lookup(&self) -> Option<&'a LookupView> {
        match &self.row.outcome {
            RowOutcome::Lookup(lookup) => Some(lookup),
            _ => None,
        }
    }

    fn delivery(&self) -> Option<&'a Delivery> {
        self.lookup().and_then(|lookup| lookup.delivery.as_ref())
    }

    pub(super) fn proof(&self) -> Option<&'a Proof> {
        self.delivery().map(|delivery| &*delivery.proof)
    }

    pub(super) fn of_proof(&self, field: ProofField) -> String {
        let proof = self.proof();
        proof.and_then(|it| it.written(field)).unwrap_or_default()
    }

    pub(super) fn row_state(&self) -> RowState {
        self.row.outcome.state()
    }

    pub(super) fn verdict(&self) -> Option<SealVerdict> {
        self.delivery().map(|delivery| delivery.seal.verdict.into())
    }

    pub(super) fn state(&self) -> String {
        row_state(self.row_state(), self.verdict(), self.language)
    }

    pub(super) fn seal(&self) -> String {
        self.verdict()
            .map(|verdict| seal_word(verdict, self.language))
            .unwrap_or_default()
    }

    pub(super) fn seal_code(&self) -> String {
        let verdict = self.verdict().map(SealVerdict::name);
        verdict.unwrap_or_default().to_owned()
    }

    /// Code of the reason for which there is no proof.
    pub(super) fn reason(&self) -> String {
        let reason = self.lookup().and_then(LookupView::reason);
        reason
            .map(|reason| reason.reason_name().to_owned())
            .unwrap_or_default()
    }

    pub(super) fn duplicate_of(&self) -> String {
        match &self.row.outcome {
            RowOutcome::Duplicate { of, .. } => (of.0 + 1).to_string(),
            _ => String::new(),
        }
    }

    pub(super) fn payment(&self) -> String {
        let payment = self.lookup().and_then(|lookup| lookup.payment);
        payment
            .map(|payment| payment_word(payment.state, self.language))
            .unwrap_or_default()
    }

    pub(super) fn payment_code(&self) -> String {
        let payment = self.lookup().and_then(|lookup| lookup.payment);
        payment
            .map(|payment| payment.state.name().to_owned())
            .unwrap_or_default()
    }

    pub(super) fn errors(&self) -> String {
        let errors = self.errors.iter();
        joined(errors.map(|error| error.sentence(self.language)))
    }

    pub(super) fn error_codes(&self) -> String {
        joined(self.errors.iter().map(RowError::code))
    }

    pub(super) fn hints(&self) -> String {
        joined(self.all_hints().map(|hint| hint.message(self.language)))
    }

    pub(super) fn hint_codes(&self) -> String {
        joined(self.all_hints().map(|hint| hint.code().to_owned()))
    }

    fn all_hints(&self) -> impl Iterator<Item = HintReason> {
        let hints = self.lookup().map(|lookup| lookup.hints.iter().cloned());
        hints.into_iter().flatten().map(HintReason::from)
    }

    pub(super) fn next_step(&self) -> String {
        what_to_do_with_row(&self.row.outcome, self.language).unwrap_or_default()
    }

    pub(super) fn notice_codes(&self) -> String {
        let codes = self.all_notices();
        joined(codes.map(|notice| notice.code.name().to_owned()))
    }

    pub(super) fn notices(&self) -> String {
        let notices = self.all_notices();
        joined(notices.map(|notice| notice_message(notice.code, self.language)))
    }

    fn all_notices(&self) -> impl Iterator<Item = Notice> {
        let notices = self
            .delivery()
            .map(|delivery| Notice::of_delivery(delivery.origin, &delivery.seal));
        notices.into_iter().flatten()
    }

    pub(super) fn seen_times(&self) -> String {
        let seen = self.delivery().and_then(|delivery| delivery.seen);
        seen.map(|seen| seen.times.to_string()).unwrap_or_default()
    }

    pub(super) fn seen_first(&self) -> String {
        let seen = self.delivery().and_then(|delivery| delivery.seen);
        seen.and_then(|seen| seen.first)
            .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
            .unwrap_or_default()
    }

    /// Tracking key of the proof.
    pub(super) fn proved_key(&self) -> String {
        let proof = self.proof();
        proof
            .map(|it| it.tracking_key().to_owned())
            .unwrap_or_default()
    }

    /// The transfers that have the reference number, each with its tracking key first.
    pub(super) fn candidates(&self) -> String {
        let candidates = self.lookup().map(|lookup| lookup.candidates.iter());
        let candidates = candidates.into_iter().flatten();
        let described: Vec<_> = candidates
            .map(|candidate| described(candidate, self.language))
            .collect();
        described.join("; ")
    }

    /// The own accounts that complete a masked or missing account.
    pub(super) fn own_accounts(&self) -> String {
        let accounts = self.query().map(ProofQuery::own_accounts);
        let accounts = accounts.into_iter().flatten();
        joined(accounts.map(|account| account.as_str().to_owned()))
    }

    /// The sentences about the row for people, but for the next step: what is wrong, what the bank says, and what a
    /// seal doesn't tell.
    pub(super) fn explanation(&self) -> String {
        let repeats = match &self.row.outcome {
            RowOutcome::Duplicate { of, .. } => {
                RowRemark::Repeats { row: of.0 + 1 }.message(self.language)
            }
            _ => String::new(),
        };
        let seen = self.delivery().and_then(|delivery| delivery.seen);
        let seen = seen.filter(|seen| seen.times > 0).map(|seen| {
            let times = usize::try_from(seen.times).unwrap_or(usize::MAX);
            RowRemark::Seen { times }.message(self.language)
        });
        let notices = self.all_notices().filter(|notice| {
            // Said of each proof that the bank itself gave.
            notice.code != NoticeCode::UnsealedCompared
        });
        let notices = joined(notices.map(|notice| notice_message(notice.code, self.language)));
        let candidates = self.candidates();
        let candidates = (!candidates.is_empty())
            .then(|| RowRemark::Candidates { candidates }.message(self.language));
        let failure = self
            .lookup()
            .and_then(|lookup| failure_of(lookup, self.language));
        let parts = [
            self.errors(),
            repeats,
            failure.unwrap_or_default(),
            candidates.unwrap_or_default(),
            self.payment(),
            self.hints(),
            seen.unwrap_or_default(),
            notices,
        ];
        joined(parts.into_iter().filter(|part| !part.is_empty()))
    }

    fn issuer(&self) -> Option<ParticipantCode> {
        let asked = self.query().and_then(|query| query.issuer);
        let delivered = self.delivery().map(|delivery| delivery.issuer);
        let inferred = self.inferred_issuer().map(|issuer| issuer.code);
        asked.or(delivered).or(inferred)
    }

    /// The receiver; until it is delivered, of a query whose account own ones complete the one that the caller gave.
    fn receiver(&self) -> Option<ParticipantCode> {
        let query = self.query()?;
        if query.completion.is_some() && self.proof().is_none() {
            return query.as_given().1;
        }
        let delivered = self.proof().map(Proof::receiver);
        let inferred = self.inferred_receiver().map(|receiver| receiver.code);
        query.receiver.or(delivered).or(inferred)
    }

    fn inferred_issuer(&self) -> Option<&'a Inferred> {
        self.lookup()
            .and_then(|lookup| lookup.inferred.issuer.as_ref())
    }

    fn inferred_receiver(&self) -> Option<&'a Inferred> {
        self.lookup()
            .and_then(|lookup| lookup.inferred.receiver.as_ref())
    }

    pub(super) fn issuer_evidence(&self) -> String {
        self.inferred_issuer().map(evidence).unwrap_or_default()
    }

    pub(super) fn receiver_evidence(&self) -> String {
        self.inferred_receiver().map(evidence).unwrap_or_default()
    }

    pub(super) fn lookup_id(&self) -> String {
        let lookup = self.lookup();
        lookup
            .map(|lookup| lookup.id.to_string())
            .unwrap_or_default()
    }

    pub(super) fn origin(&self) -> String {
        let origin = self.lookup().and_then(LookupView::origin);
        origin.map(ProofOrigin::name).unwrap_or_default().to_owned()
    }

    /// A value of the question as text, with banks that were inferred or that the proof tells, and until then with a
    /// masked account; of a faulty row, as it came.
    pub(super) fn asked(&self, column: Column) -> String {
        if let Some(query) = self.query() {
            let code = |code: Option<ParticipantCode>| code.map(|it| it.to_string());
            return match column {
                Column::Date => query.date.to_string(),
                Column::TrackingKey => {
                    let key = query.criterion.tracking_key();
                    key.map(ToString::to_string).unwrap_or_default()
                }
                Column::Reference => {
                    let reference = query.criterion.reference();
                    reference.map(|it| it.to_string()).unwrap_or_default()
                }
                Column::Account if self.proof().is_none() => query.as_given().0,
                Column::Account => query.account.as_str().to_owned(),
                Column::Amount => query.amount.to_string(),
                Column::Issuer => code(self.issuer()).unwrap_or_default(),
                Column::Receiver => code(self.receiver()).unwrap_or_default(),
                _ => self.row.caller_id.clone().unwrap_or_default(),
            };
        }
        let mut written = self.row.written.iter();
        let found = written.find(|(written, _)| *written == column);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

/// Tracking key, time of the credit, payer, concept and verdict on the seal of a transfer.
fn described(candidate: &Candidate, language: Language) -> String {
    let at = candidate.credited_at.format("%Y-%m-%d %H:%M:%S");
    let seal = seal_word(candidate.seal, language);
    let facts = [
        Some(at.to_string()),
        candidate.payer.clone(),
        candidate.concept.clone(),
        Some(RowRemark::CandidateSeal { seal }.message(language)),
    ];
    let facts: Vec<_> = facts.into_iter().flatten().collect();
    format!("{} ({})", candidate.tracking_key, facts.join(", "))
}

/// The evidence that a bank was inferred from, and its confidence.
fn evidence(inferred: &Inferred) -> String {
    let evidence = &inferred.evidence;
    format!("{} ({})", evidence.source(), evidence.confidence().name())
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}
