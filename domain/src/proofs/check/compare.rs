//! Compares a proof's fields with its original chain.

use super::printed::Compared;
use super::{ProofField, Reading, Source};
use crate::proofs::chain::FIXED;
use crate::proofs::value::{Value, Values};

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
    let chain = &reading.proof.chain;
    let (fixed, free): (Vec<_>, Vec<_>) = ProofField::sealed()
        .filter(|field| is_shown(reading, *field))
        .partition(|field| (*field as usize) < FIXED);
    let mut contradicting = differing(reading, &fixed, &chain.values());
    let readings = chain.readings();
    let readings = readings.iter();
    let differences = readings.map(|sealed| differing(reading, &free, &sealed.values()));
    contradicting.extend(differences.min_by_key(Vec::len).unwrap_or_default());
    contradicting.extend(&reading.unreadable);
    contradicting.sort_unstable_by_key(|field| *field as usize);
    contradicting.dedup();
    contradicting
}

/// Returns `true` if the file shows a field outside the chain.
fn is_shown(reading: &Reading, field: ProofField) -> bool {
    match reading.source {
        Source::Xml => field.attribute().is_some(),
        Source::Pdf(_) => field.printed().is_some() && !reading.missing.contains(&field),
    }
}

/// The fields of a file that differ from the sealed values. A PDF page loses blanks at line breaks.
fn differing(reading: &Reading, fields: &[ProofField], sealed: &Values) -> Vec<ProofField> {
    let differs = |field: &ProofField| {
        let (shown, sealed) = (reading.shown.get(*field), sealed.get(*field));
        let is_omitted = shown.is_none() && field.is_omittable();
        !is_omitted
            && match reading.source {
                Source::Xml => shown != sealed,
                Source::Pdf(_) => !Value::is_same_but_for_blanks(shown, sealed),
            }
    };
    fields.iter().copied().filter(differs).collect()
}
