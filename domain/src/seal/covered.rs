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

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: &str = "||1|20112026|20112026|105336|40014|STP|Ana Prueba|40|012180000000000017|ND|\
        SANTANDER|Ejemplo|40|014180000000000013|XAXX010101000|renta|16.50|1234.56|\
        00001000000500000001||c2VsbG8=";

    fn proof(changes: &[(&str, &str)]) -> Proof {
        let mut xml = format!(
            r#"<SPEI_Tercero FechaOperacion="2026-11-20" Hora="10:53:36" ClaveSPEI="40014"
            sello="c2VsbG8=" numeroCertificado="00001000000500000001" cadenaCDA="{CHAIN}"
            claveRastreo="PRUEBA0001"><Beneficiario BancoReceptor="SANTANDER" Nombre="Ejemplo"
            TipoCuenta="40" Cuenta="014180000000000013" RFC="XAXX010101000" Concepto="renta"
            IVA="16.5" MontoPago="1234.56"/><Ordenante BancoEmisor="STP" Nombre="Ana Prueba"
            TipoCuenta="40" Cuenta="012180000000000017" RFC="NA"/></SPEI_Tercero>"#
        );
        for (from, to) in changes {
            assert!(xml.contains(from), "{from}");
            xml = xml.replace(from, to);
        }
        Proof::parse(xml.as_bytes()).unwrap()
    }

    #[test]
    fn every_sealed_field_of_a_proof_that_agrees_with_its_chain_is_covered() {
        assert_eq!(covered_fields(&proof(&[])), SEALED_FIELDS);
    }

    #[test]
    fn a_field_that_differs_from_the_sealed_text_is_not_covered() {
        for (from, to, field) in [
            (r#"Hora="10:53:36""#, r#"Hora="10:53:37""#, "hora_abono"),
            (
                r#"BancoEmisor="STP""#,
                r#"BancoEmisor="ST""#,
                "emisor.nombre",
            ),
            (
                r#"Nombre="Ana Prueba""#,
                r#"Nombre="Ana""#,
                "ordenante.nombre",
            ),
            (
                r#"RFC="NA""#,
                r#"RFC="XEXX010101000""#,
                "ordenante.rfc_curp",
            ),
            (
                r#"Nombre="Ejemplo""#,
                r#"Nombre="Otro""#,
                "beneficiario.nombre",
            ),
            (
                r#"Cuenta="014180000000000013""#,
                r#"Cuenta="014180000000000026""#,
                "beneficiario.cuenta",
            ),
            (r#"Concepto="renta""#, r#"Concepto="luz""#, "concepto"),
            (r#"IVA="16.5""#, r#"IVA="0""#, "iva"),
        ] {
            let covered = covered_fields(&proof(&[(from, to)]));
            let missing: Vec<_> = SEALED_FIELDS
                .into_iter()
                .filter(|name| !covered.contains(name))
                .collect();
            assert_eq!(missing, [field]);
        }
    }

    #[test]
    fn what_a_bar_within_a_text_makes_uncertain_is_not_covered() {
        let read_once = proof(&[("|renta|", "|renta|luz|"), ("\"renta\"", "\"renta|luz\"")]);
        assert_eq!(covered_fields(&read_once), SEALED_FIELDS);
        let concept = "renta|0.00|9999999.00";
        let moved = proof(&[
            ("|renta|", &format!("|{concept}|")),
            ("\"renta\"", &format!("\"{concept}\"")),
        ]);
        assert_eq!(covered_fields(&moved), SEALED_FIELDS[..15]);
    }

    #[test]
    fn the_tracking_key_is_never_covered() {
        let covered = covered_fields(&proof(&[("PRUEBA0001", "PRUEBA0002")]));
        assert!(!covered.contains(&"clave_rastreo"));
    }
}
