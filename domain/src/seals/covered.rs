//! Determines which fields of a proof its seal covers.

use super::SEALED_FIELDS;
use crate::proofs::{Party, Proof};

/// Names of the fields whose values equal those of the sealed text, in the order of [`SEALED_FIELDS`].
/// Not included are fields that differ, fields whose values are uncertain
/// ([`Proof::uncertain_fields`]), and those of [`super::UNSEALED_FIELDS`]. It doesn't check that the
/// seal is valid.
pub fn covered_fields(proof: &Proof) -> Vec<&'static str> {
    let uncertain = proof.uncertain_fields();
    let is_certain = |name: &str| uncertain.iter().all(|field| field.name() != name);
    let named = SEALED_FIELDS.into_iter().zip(agreements(proof));
    named
        .filter_map(|(name, agrees)| (agrees && is_certain(name)).then_some(name))
        .collect()
}

/// `true` for each of the [`SEALED_FIELDS`] that agrees with the original chain.
fn agreements(proof: &Proof) -> [bool; SEALED_FIELDS.len()] {
    let chain = &proof.chain;
    let [payer_name, payer_type, payer_account, payer_tax_id] =
        same_party(&proof.payer, &chain.payer());
    let [name, account_type, account, tax_id] =
        same_party(&proof.beneficiary, &chain.beneficiary());
    [
        // Payment type and credit date are read from the chain itself.
        true,
        proof.operation_date == chain.operation_date(),
        true,
        Some(proof.credit_time) == chain.credit_time(),
        proof.receiver == chain.receiver(),
        proof.payer.institution == chain.payer().institution,
        payer_name,
        payer_type,
        payer_account,
        payer_tax_id,
        proof.beneficiary.institution == chain.beneficiary().institution,
        name,
        account_type,
        account,
        tax_id,
        proof.concept.as_deref() == chain.concept(),
        proof.vat_centavos == chain.vat_centavos(),
        Some(proof.centavos) == chain.centavos(),
    ]
}

/// `true` for each that agrees: name, account type, account, tax id.
fn same_party(one: &Party, other: &Party) -> [bool; 4] {
    [
        one.name == other.name,
        one.account_type == other.account_type,
        one.account == other.account,
        one.tax_id == other.tax_id,
    ]
}
