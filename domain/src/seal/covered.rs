//! Fields of a proof that its seal covers.

use super::SEALED_FIELDS;
use crate::proof::{Party, Proof};

/// The names of a proof's fields whose values are those of the sealed text, in the order of
/// [`SEALED_FIELDS`]. A field that says something else than the sealed text isn't covered, and neither is one
/// whose value isn't certain ([`Proof::uncertain_fields`]), or one of [`super::UNSEALED_FIELDS`]. Says nothing
/// about whether the seal is valid.
pub fn covered_fields(proof: &Proof) -> Vec<&'static str> {
    let uncertain = proof.uncertain_fields();
    let is_certain = |name: &str| uncertain.iter().all(|field| field.name() != name);
    let named = SEALED_FIELDS.into_iter().zip(agreements(proof));
    named
        .filter_map(|(name, agrees)| (agrees && is_certain(name)).then_some(name))
        .collect()
}

/// Agreement of each of [`SEALED_FIELDS`] with the original chain.
fn agreements(proof: &Proof) -> [bool; SEALED_FIELDS.len()] {
    let chain = &proof.chain;
    let [payer_name, payer_type, payer_account, payer_tax_id] =
        same_party(&proof.payer, &chain.payer());
    let [name, account_type, account, tax_id] =
        same_party(&proof.beneficiary, &chain.beneficiary());
    [
        // Type and credit date are read from the chain itself.
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

/// Agreement of name, account type, account and tax id.
fn same_party(one: &Party, other: &Party) -> [bool; 4] {
    [
        one.name == other.name,
        one.account_type == other.account_type,
        one.account == other.account,
        one.tax_id == other.tax_id,
    ]
}
