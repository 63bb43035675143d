//! Fields of a proof, its seal and its notices.

use application::Delivery;
use async_graphql::SimpleObject;
use domain::amount::pesos;
use domain::hex;
use domain::participants::ParticipantCode;
use domain::proofs::AccountType;
use domain::proofs::notice::Notice;
use domain::seals::{CheckedSeal, SealHash, Verdict};
use web::Language;
use web::problem::NoticeMessage;
use web::views::scalars::{Count, DateTime};
use web::views::seals::{SealNotCheckedReason as NotChecked, SealVerdict};

/// Fields of a proof, as its XML has them: the REST API's `cep`. What the receiving bank left out
/// (`NA`, `ND`, `-1` or nothing) is null.
#[derive(SimpleObject)]
pub(crate) struct Proof {
    /// The tracking key. No seal covers it.
    tracking_key: String,
    /// The operation date, `2026-11-20`: after 18:00, on weekends and holidays that of the next
    /// banking day.
    operation_date: String,
    /// The calendar day of the credit in Mexico City: `2026-11-20`.
    credit_date: String,
    /// The time of the credit in Mexico City: `10:53:36`.
    credit_time: String,
    /// The amount in pesos: `1234.56`.
    amount: String,
    /// The value added tax in pesos, as the payer wrote it.
    vat: Option<String>,
    /// The payer's text.
    concept: Option<String>,
    /// SPEI's payment type: 1 is a transfer between two customers.
    payment_type: Option<u16>,
    /// The issuing bank.
    issuer: ProofInstitution,
    /// The receiving bank, which sealed the proof.
    receiver: ProofInstitution,
    /// The payer.
    payer: ProofParty,
    /// The payee.
    beneficiary: ProofParty,
}

/// A bank of a proof.
#[derive(SimpleObject)]
pub(crate) struct ProofInstitution {
    /// Its participant code.
    code: String,
    /// Its short name, as the receiving bank wrote it.
    name: Option<String>,
}

/// A side of a payment.
#[derive(SimpleObject)]
pub(crate) struct ProofParty {
    /// Name of the account's holder, which banks cut at 40 characters.
    name: Option<String>,
    /// RFC or CURP.
    tax_id: Option<String>,
    /// Kind of the account: 40 CLABE, 3 card, 10 phone number.
    account_type: Option<u16>,
    /// The account.
    account: Option<String>,
}

impl Proof {
    /// The fields of a proof. The issuer's code comes from the query, since the proof has only its name.
    pub(super) fn new(proof: &domain::proofs::Proof, issuer: ParticipantCode) -> Self {
        let institution = |code: ParticipantCode, party: &domain::proofs::Party| ProofInstitution {
            code: code.to_string(),
            name: party.institution.clone(),
        };
        Self {
            tracking_key: proof.tracking_key.clone(),
            operation_date: proof.operation_date.to_string(),
            credit_date: proof.chain.credit_date().to_string(),
            credit_time: proof.credit_time.format("%H:%M:%S").to_string(),
            amount: pesos(proof.centavos),
            vat: proof.vat_centavos.map(pesos),
            concept: proof.concept.clone(),
            payment_type: proof.chain.payment_type(),
            issuer: institution(issuer, &proof.payer),
            receiver: institution(proof.receiver, &proof.beneficiary),
            payer: ProofParty::from(&proof.payer),
            beneficiary: ProofParty::from(&proof.beneficiary),
        }
    }
}

impl From<&domain::proofs::Party> for ProofParty {
    fn from(party: &domain::proofs::Party) -> Self {
        Self {
            name: party.name.clone(),
            tax_id: party.tax_id.clone(),
            account_type: party.account_type.map(AccountType::code),
            account: party.account.clone(),
        }
    }
}

/// The seal of a proof, checked as of now. The receiving bank makes it of the original chain.
#[derive(SimpleObject)]
pub(crate) struct ProofSeal {
    /// Result of the check.
    verdict: SealVerdict,
    /// Reason for which it isn't checked; null when it is.
    reason: Option<NotChecked>,
    /// Number of the certificate that the seal names, 20 digits; null when it can't be read.
    certificate: Option<String>,
    /// Hash function of a valid seal, `sha512` or `sha256`; null otherwise.
    algorithm: Option<&'static str>,
    /// SHA-512 of the sealed text in hexadecimal digits; null when the seal can't be read.
    digest: Option<String>,
}

impl From<&CheckedSeal> for ProofSeal {
    fn from(seal: &CheckedSeal) -> Self {
        let (reason, hash) = match seal.verdict {
            Verdict::Valid(hash) => (None, Some(hash)),
            Verdict::Invalid => (None, None),
            Verdict::NotChecked(reason) => (Some(reason), None),
        };
        let signer = seal.signer.as_ref();
        Self {
            verdict: domain::seals::SealVerdict::from(seal.verdict).into(),
            reason: reason.map(NotChecked::from),
            certificate: signer.map(|signer| signer.certificate.to_string()),
            algorithm: hash.map(SealHash::name),
            digest: seal.digest.map(|digest| hex::encode(&digest.0)),
        }
    }
}

/// Earlier deliveries of a proof to the account, and earlier checks of its files.
#[derive(SimpleObject)]
pub(crate) struct EarlierDeliveries {
    /// Number of them.
    times: Count,
    /// Time of the first; null when there is none.
    first_at: Option<DateTime>,
}

/// A fact beside the verdict on a proof that its seal doesn't tell.
#[derive(SimpleObject)]
pub(crate) struct ProofNotice {
    /// Its code, as in the REST API's `avisos`.
    code: &'static str,
    /// Names of the fields of the REST API's `cep` that it is about.
    fields: Vec<&'static str>,
    /// The notice in a sentence, in the caller's language.
    message: String,
}

impl ProofNotice {
    pub(super) fn of_delivery(delivery: &Delivery, language: Language) -> Vec<Self> {
        let notice = |notice: Notice| Self {
            code: notice.code.name(),
            fields: notice.fields.to_vec(),
            message: NoticeMessage::from(notice.code).message(language),
        };
        let notices = Notice::of_delivery(delivery.origin, &delivery.seal);
        notices.into_iter().map(notice).collect()
    }
}

impl From<domain::proofs::seen::EarlierDeliveries> for EarlierDeliveries {
    fn from(seen: domain::proofs::seen::EarlierDeliveries) -> Self {
        Self {
            times: Count(seen.times),
            first_at: seen.first.map(DateTime),
        }
    }
}
