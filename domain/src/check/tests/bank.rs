//! Comparison with the bank's record.

use super::*;
use crate::calendar::parse_date;
use crate::participant::Catalogue;
use crate::payment::PaymentState;
use crate::query::ProofQuery;

fn issued() -> Proof {
    Proof::parse(xml().as_bytes()).unwrap()
}

/// The check against the proof that the bank issues.
fn compared(xml: &str) -> Check {
    let mut report = report(xml);
    report.compare_with_bank(BankRecord::Issued(&issued()));
    report.check(CheckName::Portal).unwrap().clone()
}

fn query(xml: &str, verdict: fn(&Proof) -> Verdict) -> Option<ProofQuery> {
    let report = CheckReport::of_xml(xml.as_bytes(), verdict);
    report.query(Catalogue::embedded(), parse_date("2026-11-24").unwrap())
}

#[test]
fn the_same_proof_is_ok_whatever_the_seal_says() {
    assert_eq!(compared(&xml()), Check::ok(CheckName::Portal));
    let mut report = CheckReport::of_xml(xml().as_bytes(), unknown);
    report.compare_with_bank(BankRecord::Issued(&issued()));
    assert_eq!(
        report.check(CheckName::Portal).unwrap().result,
        CheckResult::Ok
    );
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
}

#[rstest]
#[case(
    r#"MontoPago="1234.56""#,
    r#"MontoPago="1234.57""#,
    "otro_monto",
    "monto"
)]
#[case(
    r#"Nombre="Luis Ejemplo""#,
    r#"Nombre="Luis""#,
    "otro_beneficiario",
    "beneficiario.nombre"
)]
#[case(
    r#"Cuenta="4111111111111111""#,
    r#"Cuenta="4111111111111112""#,
    "otro_beneficiario",
    "beneficiario.cuenta"
)]
#[case(
    r#"RFC="ND""#,
    r#"RFC="XAXX010101000""#,
    "otro_beneficiario",
    "beneficiario.rfc_curp"
)]
#[case(
    r#"TipoCuenta="03""#,
    r#"TipoCuenta="40""#,
    "otros_datos",
    "beneficiario.tipo_cuenta"
)]
#[case(
    r#"BancoReceptor="BANCO DOS""#,
    r#"BancoReceptor="BANCO""#,
    "otros_datos",
    "receptor.nombre"
)]
#[case(
    r#"BancoEmisor="BANCO UNO""#,
    r#"BancoEmisor="BANCO""#,
    "otros_datos",
    "emisor.nombre"
)]
#[case(
    r#"Nombre="Ana Prueba""#,
    r#"Nombre="Ana""#,
    "otros_datos",
    "ordenante.nombre"
)]
#[case(
    r#"TipoCuenta="40""#,
    r#"TipoCuenta="3""#,
    "otros_datos",
    "ordenante.tipo_cuenta"
)]
#[case(
    r#"Cuenta="012180000118359719""#,
    r#"Cuenta="012180000118359718""#,
    "otros_datos",
    "ordenante.cuenta"
)]
#[case(
    r#"RFC="XAXX010101000""#,
    r#"RFC="ND""#,
    "otros_datos",
    "ordenante.rfc_curp"
)]
#[case(
    r#"Concepto="Pago de prueba""#,
    r#"Concepto="Pago""#,
    "otros_datos",
    "concepto"
)]
#[case(r#"IVA="0.00""#, r#"IVA="0.01""#, "otros_datos", "iva")]
#[case(
    r#"Hora="18:02:30""#,
    r#"Hora="18:02:31""#,
    "otros_datos",
    "hora_abono"
)]
#[case(
    r#"FechaOperacion="2026-11-23""#,
    r#"FechaOperacion="2026-11-24""#,
    "otros_datos",
    "fecha_operacion"
)]
#[case(
    "||1|23112026|20112026|",
    "||1|23112026|21112026|",
    "otros_datos",
    "fecha_abono"
)]
#[case(
    r#"ClaveSPEI="40014""#,
    r#"ClaveSPEI="40012""#,
    "otros_datos",
    "receptor.codigo"
)]
#[case(
    r#"claveRastreo="PRUEBA0001""#,
    r#"claveRastreo="PRUEBA0002""#,
    "clave_de_otro_pago",
    "clave_rastreo"
)]
fn a_field_that_differs_from_the_banks_is_named(
    #[case] from: &str,
    #[case] to: &str,
    #[case] reason: &str,
    #[case] field: &str,
) {
    let altered = xml().replacen(from, to, 1);
    assert_ne!(altered, xml());
    let check = compared(&altered);
    assert_eq!(check.result, CheckResult::Failed);
    assert_eq!(check.reason.unwrap().name(), reason);
    let fields: Vec<_> = check.fields.iter().map(|field| field.name()).collect();
    assert_eq!(fields, [field]);
}

/// The check of the tracking key, compared with the bank's record, and the code of the notice on it.
fn tracking_key(
    report: CheckReport,
    record: BankRecord<'_>,
) -> (CheckResult, Option<CheckReason>, &'static str) {
    let mut report = report;
    report.compare_with_bank(record);
    let check = report.check(CheckName::TrackingKey).unwrap();
    let notice = report.notices().pop().unwrap();
    (check.result, check.reason, notice.code.name())
}

/// The proof that the bank issues for a tracking key of another payment.
fn of_another_payment() -> Proof {
    let other = xml()
        .replace("PRUEBA0001", "PRUEBA0002")
        .replace("Luis Ejemplo", "Otra Persona");
    Proof::parse(other.as_bytes()).unwrap()
}

#[test]
fn the_banks_proof_tells_whose_the_tracking_key_is() {
    const SAME: &str = "campos_sin_sellar_comparados_con_el_banco";
    const OTHER: &str = "campos_sin_sellar_no_coinciden_con_el_banco";
    let ok = (CheckResult::Ok, None, SAME);
    let issued = issued();
    let altered = xml().replace(r#"MontoPago="1234.56""#, r#"MontoPago="9.00""#);
    for verdict in [known, unknown] {
        for file in [&xml(), &altered] {
            let report = CheckReport::of_xml(file.as_bytes(), verdict);
            assert_eq!(tracking_key(report, BankRecord::Issued(&issued)), ok);
        }
    }
    let edited = xml().replace("PRUEBA0001", "PRUEBA0002");
    let other = of_another_payment();
    for (verdict, reason) in [
        (
            known as fn(&Proof) -> Verdict,
            CheckReason::KeyOfAnotherPayment,
        ),
        (unknown, CheckReason::OtherBeneficiary),
    ] {
        let report = CheckReport::of_xml(edited.as_bytes(), verdict);
        let failed = (CheckResult::Failed, Some(reason), OTHER);
        assert_eq!(tracking_key(report, BankRecord::Issued(&other)), failed);
    }
    let unknown_key = tracking_key(report(&edited), BankRecord::Unknown);
    let reason = Some(CheckReason::UnknownToBank);
    assert_eq!(unknown_key, (CheckResult::Failed, reason, OTHER));
    let settled = BankRecord::NotIssued(PaymentState::Settled);
    let (result, reason, _) = tracking_key(report(&edited), settled);
    assert_eq!(
        (result, reason),
        (CheckResult::NotChecked, Some(CheckReason::Unsealed))
    );
}

#[test]
fn sealed_data_are_never_said_to_differ_beside_a_valid_seal() {
    let mut report = report(&xml().replace("PRUEBA0001", "PRUEBA0002"));
    report.compare_with_bank(BankRecord::Issued(&of_another_payment()));
    assert_eq!(report.outcome(), CheckOutcome::Invalid);
    let portal = report.check(CheckName::Portal).unwrap();
    assert_eq!(portal.reason, Some(CheckReason::KeyOfAnotherPayment));
    assert_eq!(portal.fields, [ProofField::TrackingKey]);
}

#[test]
fn a_payment_that_the_bank_sealed_again_is_the_same() {
    let again = xml().replace(CERTIFICATE, "00001000000500000002");
    let again = Proof::parse(again.as_bytes()).unwrap();
    let report = report(&xml());
    let (result, ..) = tracking_key(report, BankRecord::Issued(&again));
    assert_eq!(result, CheckResult::Ok);
}

#[test]
fn the_amount_is_the_gravest_difference_and_then_the_beneficiary() {
    let altered = xml()
        .replace(r#"Nombre="Luis Ejemplo""#, r#"Nombre="Luis""#)
        .replace(r#"Concepto="Pago de prueba""#, r#"Concepto="Pago""#);
    assert_eq!(
        compared(&altered).reason,
        Some(CheckReason::OtherBeneficiary)
    );
    let altered = altered.replace(r#"MontoPago="1234.56""#, r#"MontoPago="9.00""#);
    assert_eq!(compared(&altered).reason, Some(CheckReason::OtherAmount));
}

#[test]
fn a_tax_that_the_file_leaves_out_is_no_difference() {
    let without = xml().replace(r#"IVA="0.00""#, "");
    assert_eq!(compared(&without).result, CheckResult::Ok);
}

#[rstest]
#[case(BankRecord::Unknown, CheckResult::Failed, CheckReason::UnknownToBank)]
#[case(
    BankRecord::NotIssued(PaymentState::Settled),
    CheckResult::NotChecked,
    CheckReason::NotIssuedByBank
)]
#[case(
    BankRecord::NotIssued(PaymentState::InProcess),
    CheckResult::NotChecked,
    CheckReason::PaymentInProcess
)]
#[case(
    BankRecord::NotIssued(PaymentState::ReturnInProcess),
    CheckResult::NotChecked,
    CheckReason::PaymentInProcess
)]
#[case(
    BankRecord::NotIssued(PaymentState::Returned),
    CheckResult::Failed,
    CheckReason::PaymentReturned
)]
#[case(
    BankRecord::NotIssued(PaymentState::SentBack),
    CheckResult::Failed,
    CheckReason::PaymentReturned
)]
#[case(
    BankRecord::NotIssued(PaymentState::Rejected),
    CheckResult::Failed,
    CheckReason::PaymentRejected
)]
#[case(
    BankRecord::NotIssued(PaymentState::NotSettled),
    CheckResult::Failed,
    CheckReason::PaymentRejected
)]
#[case(
    BankRecord::NotIssued(PaymentState::Canceled),
    CheckResult::Failed,
    CheckReason::PaymentCanceled
)]
#[case(
    BankRecord::NotIssued(PaymentState::NotFound),
    CheckResult::Failed,
    CheckReason::UnknownToBank
)]
#[case(
    BankRecord::NotAskable,
    CheckResult::NotChecked,
    CheckReason::NotAskable
)]
fn without_a_proof_of_the_bank_the_check_says_why(
    #[case] record: BankRecord<'_>,
    #[case] result: CheckResult,
    #[case] reason: CheckReason,
) {
    let mut report = report(&xml());
    report.compare_with_bank(record);
    let check = report.check(CheckName::Portal).unwrap();
    assert_eq!((check.result, check.reason), (result, Some(reason)));
    let mut no_proof = CheckReport::of_xml(b"<a/>", known);
    no_proof.compare_with_bank(record);
    assert_eq!(no_proof.check(CheckName::Portal), None);
}

#[test]
fn the_query_is_that_of_the_sealed_text_when_the_seal_is_valid() {
    let altered = xml()
        .replace(r#"MontoPago="1234.56""#, r#"MontoPago="9.00""#)
        .replace(
            r#"Cuenta="4111111111111111""#,
            r#"Cuenta="012180000118359719""#,
        )
        .replace(r#"ClaveSPEI="40014""#, r#"ClaveSPEI="40012""#);
    let sealed = query(&xml(), known).unwrap();
    assert_eq!(sealed.date, parse_date("2026-11-20").unwrap());
    assert_eq!(sealed.tracking_key.as_str(), "PRUEBA0001");
    assert_eq!(sealed.amount.centavos(), 123_456);
    assert_eq!(sealed.receiver.unwrap().to_string(), "40014");
    assert_eq!(sealed.account.as_str(), "4111111111111111");
    assert_eq!(sealed.issuer, None, "no participant has the name");
    // The certificate's participant isn't the one that signed, so the file says another receiver: its
    // seal is checked by the chain's all the same.
    assert_eq!(query(&altered, known), Some(sealed));
    let visible = query(&altered, unknown).unwrap();
    assert_eq!(visible.amount.centavos(), 900);
    assert_eq!(visible.receiver.unwrap().to_string(), "40012");
    assert_eq!(visible.account.as_str(), "012180000118359719");
}

#[test]
fn the_issuer_is_the_participant_of_the_name() {
    for name in ["STP", " stp "] {
        let xml = xml().replace(
            r#"BancoEmisor="BANCO UNO""#,
            &format!(r#"BancoEmisor="{name}""#),
        );
        let report = report(&xml);
        let issuer = report.issuer(Catalogue::embedded()).unwrap();
        assert_eq!(issuer.to_string(), "90646");
        assert_eq!(query(&xml, unknown).unwrap().issuer, Some(issuer));
    }
    assert_eq!(report(&xml()).issuer(Catalogue::embedded()), None);
}

#[test]
fn a_receiver_that_may_be_newer_than_the_list_is_asked_for() {
    let xml = xml().replacen(r#"ClaveSPEI="40014""#, r#"ClaveSPEI="40999""#, 1);
    let receiver = query(&xml, unknown).and_then(|query| query.receiver);
    assert_eq!(
        receiver.map(|code| code.to_string()).as_deref(),
        Some("40999")
    );
}

#[rstest]
#[case(r#"Cuenta="4111111111111111""#, r#"Cuenta="NA""#)]
#[case(r#"MontoPago="1234.56""#, r#"MontoPago="0.00""#)]
#[case(
    r#"claveRastreo="PRUEBA0001""#,
    r#"claveRastreo="PRUEBA 0001 con otra clave que es muy larga""#
)]
#[case("||1|23112026|20112026|", "||1|23112026|25112026|")]
#[case("||1|23112026|20112026|", "||1|23112003|23112003|")]
fn a_file_that_lacks_what_the_bank_asks_for_has_no_query(#[case] from: &str, #[case] to: &str) {
    let altered = xml().replacen(from, to, 1);
    assert_ne!(altered, xml());
    assert_eq!(query(&altered, unknown), None);
    assert!(query(&xml(), unknown).is_some());
}
