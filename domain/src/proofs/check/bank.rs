//! Compares a file with the bank's own proof of the same payment.

use chrono::NaiveDate;

use super::{Check, CheckName, CheckReason, CheckReport, ProofField};
use crate::account::Account;
use crate::amount::Amount;
use crate::calendar;
use crate::participants::{Catalogue, ParticipantCode};
use crate::payment::PaymentState;
use crate::proofs::Proof;
use crate::query::ProofQuery;
use crate::seals::Verdict;
use crate::tracking_key::TrackingKey;

/// The bank's answer about the payment of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankRecord<'a> {
    /// The bank issues this proof.
    Issued(&'a Proof),
    /// The bank knows the payment but has no proof of it (yet).
    NotIssued(PaymentState),
    /// The bank has no record of the payment.
    Unknown,
    /// The bank wasn't queried, because the file lacks data.
    NotAskable,
    /// The bank wasn't queried, because the ZIP has proofs of several payments and a request makes one
    /// query.
    OfSeveralPayments,
}

/// Fields that identify the beneficiary.
const BENEFICIARY: [ProofField; 3] = [
    ProofField::BeneficiaryName,
    ProofField::BeneficiaryAccount,
    ProofField::BeneficiaryTaxId,
];

impl CheckReport {
    /// The issuer of the file's payment, found by the name in the file; `None` if it is unknown.
    pub fn issuer(&self, catalogue: &Catalogue) -> Option<ParticipantCode> {
        let proof = self.proof.as_ref()?;
        let name = proof.text(ProofField::IssuerName)?;
        let date = proof.chain.credit_date();
        let issuer = catalogue.by_name(name, date)?;
        Some(issuer.code)
    }

    /// The query for the file's payment. If the seal is valid, the sealed values are used, so that the
    /// payment of an altered file is found. `None` if a value is missing or invalid; `today` is the
    /// date in Mexico City.
    pub fn query(&self, catalogue: &Catalogue, today: NaiveDate) -> Option<ProofQuery> {
        let proof = self.proof.as_ref()?;
        let chain = &proof.chain;
        let uncertain = proof.uncertain_fields();
        let is_certain = [ProofField::Amount, ProofField::BeneficiaryAccount]
            .iter()
            .all(|field| !uncertain.contains(field));
        let is_sealed = matches!(self.verdict, Verdict::Valid(_)) && is_certain;
        let (centavos, receiver, account) = if is_sealed {
            let sealed = chain.values();
            let account = sealed.text(ProofField::BeneficiaryAccount);
            let account = account.map(str::to_owned);
            let centavos = sealed.centavos(ProofField::Amount)?;
            (centavos, chain.receiver(), account)
        } else {
            let account = proof.written(ProofField::BeneficiaryAccount);
            (proof.centavos(), proof.receiver(), account)
        };
        let date = chain.credit_date();
        calendar::parse_past_date(&date.to_string(), today).ok()?;
        catalogue.participant(&receiver.to_string(), date).ok()?;
        Some(ProofQuery {
            date,
            criterion: TrackingKey::parse(proof.tracking_key()).ok()?.into(),
            account: Account::parse(account.as_deref()?).ok()?,
            others: Vec::new(),
            completion: None,
            amount: Amount::from_centavos(centavos)?,
            issuer: self.issuer(catalogue),
            receiver: Some(receiver),
        })
    }

    /// Adds the comparison with the bank's record of the payment, and updates the check of the tracking
    /// key if the record decides it.
    pub fn compare_with_bank(&mut self, record: BankRecord<'_>) {
        let Some(proof) = &self.proof else {
            return;
        };
        let name = CheckName::Portal;
        let portal = match record {
            BankRecord::Issued(issued) => self.against(proof, issued),
            BankRecord::Unknown => Check::failed(name, CheckReason::UnknownToBank, Vec::new()),
            BankRecord::NotIssued(state) => without_proof(name, state),
            BankRecord::NotAskable => Check::not_checked(name, CheckReason::NotAskable, Vec::new()),
            BankRecord::OfSeveralPayments => {
                Check::not_checked(name, CheckReason::SeveralPayments, Vec::new())
            }
        };
        let key = CheckName::TrackingKey;
        let of_key = |reason| Check::failed(key, reason, vec![ProofField::TrackingKey]);
        let settled = match (record, portal.reason) {
            (BankRecord::Issued(issued), Some(reason)) if !is_of_payment(proof, issued) => {
                Some(of_key(reason))
            }
            (BankRecord::Issued(_), _) => Some(Check::ok(key)),
            (_, Some(reason @ CheckReason::UnknownToBank)) => Some(of_key(reason)),
            _ => None,
        };
        let unsettled = self.checks.iter_mut().find(|check| check.name == key);
        if let (Some(check), Some(settled)) = (unsettled, settled) {
            *check = settled;
        }
        self.checks.push(portal);
    }

    /// Compares the file's proof with the one that the bank issues for the file's tracking key.
    fn against(&self, proof: &Proof, issued: &Proof) -> Check {
        let name = CheckName::Portal;
        // The sealed data is authentic, so the tracking key must belong to another payment.
        if matches!(self.verdict, Verdict::Valid(_)) && !is_of_payment(proof, issued) {
            let fields = vec![ProofField::TrackingKey];
            return Check::failed(name, CheckReason::KeyOfAnotherPayment, fields);
        }
        let fields = differences(proof, issued);
        match reason(&fields) {
            None => Check::ok(name),
            Some(reason) => Check::failed(name, reason, fields),
        }
    }
}

/// Returns `true` if a file has the tracking key and the sealed data of the issued proof, whatever its
/// other fields say. The certificate may differ, because a bank may seal the same data again.
fn is_of_payment(file: &Proof, issued: &Proof) -> bool {
    file.tracking_key() == issued.tracking_key() && file.chain.fields().eq(issued.chain.fields())
}

/// The result for a payment without a proof. It fails if the bank will never issue one.
fn without_proof(name: CheckName, state: PaymentState) -> Check {
    let (check, reason): (fn(_, _, _) -> _, _) = match state {
        PaymentState::Settled => (Check::not_checked, CheckReason::NotIssuedByBank),
        PaymentState::InProcess | PaymentState::ReturnInProcess => {
            (Check::not_checked, CheckReason::PaymentInProcess)
        }
        PaymentState::Returned | PaymentState::SentBack => {
            (Check::failed, CheckReason::PaymentReturned)
        }
        PaymentState::Rejected | PaymentState::NotSettled => {
            (Check::failed, CheckReason::PaymentRejected)
        }
        PaymentState::Canceled => (Check::failed, CheckReason::PaymentCanceled),
        PaymentState::NotFound => (Check::failed, CheckReason::UnknownToBank),
    };
    check(name, reason, Vec::new())
}

/// The reason for the differing fields: the most serious one, `None` if none differ.
fn reason(fields: &[ProofField]) -> Option<CheckReason> {
    if fields.is_empty() {
        None
    } else if fields.contains(&ProofField::Amount) {
        Some(CheckReason::OtherAmount)
    } else if fields.iter().any(|field| BENEFICIARY.contains(field)) {
        Some(CheckReason::OtherBeneficiary)
    } else {
        Some(CheckReason::OtherData)
    }
}

/// The fields that differ between a file's proof and the issued one.
fn differences(file: &Proof, issued: &Proof) -> Vec<ProofField> {
    let is_compared = |field: &ProofField| field.attribute().is_some() || field.printed().is_some();
    let differs = |field: &ProofField| {
        let (given, issued) = (file.values.get(*field), issued.values.get(*field));
        given != issued && (given.is_some() || !field.is_omittable())
    };
    let fields = ProofField::ALL.into_iter();
    fields.filter(is_compared).filter(differs).collect()
}
