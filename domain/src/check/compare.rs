//! Comparison of a proof's fields with its original chain.

use super::printed::Compared;
use super::{ProofField, Reading, Source};
use crate::amount::centavos_from_bank_spelling;
use crate::proof::{OriginalChain, Party, Proof, given};

/// Fields of the chain before the first one that may hold a `|` of its own.
const FIELDS_BEFORE_TEXTS: usize = 5;
/// Texts of the chain before the VAT: five of each party, and the concept.
const TEXTS: usize = 11;

/// Contradictions between the fields and the chain.
pub(super) struct Comparison {
    /// The fields that contradict the chain, in its order.
    pub(super) contradicting: Vec<ProofField>,
    /// `false` when the places of the chain's texts are uncertain.
    pub(super) is_complete: bool,
}

/// Texts of the chain whose places are certain.
struct SealedTexts {
    payer: Party,
    beneficiary: Party,
    concept: Option<String>,
    vat_centavos: Option<u64>,
    centavos: Option<u64>,
}

/// Compares every field that the file gives beside the chain.
pub(super) fn compare(reading: &Reading) -> Comparison {
    if reading.source == Source::Pdf(Compared::Nothing) {
        return Comparison {
            contradicting: Vec::new(),
            is_complete: false,
        };
    }
    let Reading {
        proof, credit_date, ..
    } = reading;
    let chain = &proof.chain;
    let mut differences = vec![
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
    ];
    let sealed = SealedTexts::of(proof);
    if let Some(sealed) = &sealed {
        differences.extend(text_differences(proof, sealed));
    }
    let is_wrong = |(field, differs): (ProofField, bool)| {
        (differs || reading.unreadable.contains(&field)).then_some(field)
    };
    let mut contradicting: Vec<_> = differences.into_iter().filter_map(is_wrong).collect();
    // With uncertain places, a text that isn't a value is still no text of this chain.
    let more = reading.unreadable.iter().copied();
    contradicting.extend(
        more.filter(|field| !contradicting.contains(field))
            .collect::<Vec<_>>(),
    );
    Comparison {
        contradicting,
        is_complete: sealed.is_some(),
    }
}

fn text_differences(
    proof: &Proof,
    sealed: &SealedTexts,
) -> impl Iterator<Item = (ProofField, bool)> {
    let vat_differs = |vat| sealed.vat_centavos != Some(vat);
    let payer = party_differences(&proof.payer, &sealed.payer);
    let beneficiary = party_differences(&proof.beneficiary, &sealed.beneficiary);
    let rest = [
        (ProofField::Concept, proof.concept != sealed.concept),
        // The attribute may be missing where the chain has a value.
        (ProofField::Vat, proof.vat_centavos.is_some_and(vat_differs)),
        (ProofField::Amount, sealed.centavos != Some(proof.centavos)),
    ];
    let payer = ProofField::OF_PAYER.into_iter().zip(payer);
    let beneficiary = ProofField::OF_BENEFICIARY.into_iter().zip(beneficiary);
    payer.chain(beneficiary).chain(rest)
}

/// Differences of two parties, in the order of the original chain.
pub(super) fn party_differences(one: &Party, other: &Party) -> [bool; 5] {
    [
        one.institution != other.institution,
        one.name != other.name,
        one.account_type != other.account_type,
        one.account != other.account,
        one.tax_id != other.tax_id,
    ]
}

impl SealedTexts {
    /// The chain's texts. A `|` within a name or the concept moves all that follow it, so the
    /// number of them in the file's own fields is taken into account; `None` when the chain has
    /// no known length even so.
    fn of(proof: &Proof) -> Option<Self> {
        let bars = bars(proof);
        let length = proof.chain.length();
        let is_known = |bars: usize| {
            length
                .checked_sub(bars)
                .is_some_and(|length| OriginalChain::KNOWN_LENGTHS.contains(&length))
        };
        if is_known(bars.iter().sum()) {
            Self::with_bars(&proof.chain, bars)
        } else if is_known(0) {
            Self::with_bars(&proof.chain, [0; TEXTS])
        } else {
            None
        }
    }

    fn with_bars(chain: &OriginalChain, bars: [usize; TEXTS]) -> Option<Self> {
        let mut parts = chain.fields().skip(FIELDS_BEFORE_TEXTS);
        let texts = bars.map(|bars| {
            let parts: Vec<&str> = parts.by_ref().take(bars + 1).collect();
            parts.join("|")
        });
        let [
            payer @ ..,
            bank,
            name,
            account_type,
            account,
            tax_id,
            concept,
        ] = texts.each_ref().map(String::as_str);
        Some(Self {
            payer: Party::from_texts(payer),
            beneficiary: Party::from_texts([bank, name, account_type, account, tax_id]),
            concept: given(concept).map(str::to_owned),
            vat_centavos: centavos_from_bank_spelling(parts.next()?),
            centavos: centavos_from_bank_spelling(parts.next()?),
        })
    }
}

/// Number of `|` in each of the file's own texts, in the order of the chain.
fn bars(proof: &Proof) -> [usize; TEXTS] {
    let (payer, beneficiary) = (&proof.payer, &proof.beneficiary);
    [
        &payer.institution,
        &payer.name,
        &None,
        &payer.account,
        &payer.tax_id,
        &beneficiary.institution,
        &beneficiary.name,
        &None,
        &beneficiary.account,
        &beneficiary.tax_id,
        &proof.concept,
    ]
    .map(|text| text.as_deref().unwrap_or_default().matches('|').count())
}
