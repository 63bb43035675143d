//! Comparison with the bank's record.

use super::*;
use crate::calendar::parse_date;
use crate::participants::Catalogue;
use crate::payment::PaymentState::{
    Canceled, InProcess, NotFound, NotSettled, Rejected, ReturnInProcess, Returned, SentBack,
    Settled,
};
use crate::query::ProofQuery;
use BankRecord::NotIssued;
use CheckResult::{Failed, NotChecked};

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
    // A tax of zero that the file leaves out is no difference.
    let without = xml().replace(r#"IVA="0.00""#, "");
    assert_eq!(compared(&without), Check::ok(CheckName::Portal));
    let mut report = CheckReport::of_xml(xml().as_bytes(), unknown);
    report.compare_with_bank(BankRecord::Issued(&issued()));
    let portal = report.check(CheckName::Portal).unwrap();
    assert_eq!(portal.result, CheckResult::Ok);
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
}

#[rstest]
#[case("otro_monto", &[("monto", "1234.57")])]
#[case("otro_beneficiario", &[
    ("beneficiario.nombre", "Luis"), ("beneficiario.cuenta", "4111111111111112"),
    ("beneficiario.rfc_curp", "XAXX010101000"),
])]
#[case("otros_datos", &[
    ("beneficiario.tipo_cuenta", "40"), ("receptor.nombre", "BANCO"), ("emisor.nombre", "BANCO"),
    ("ordenante.nombre", "Ana"), ("ordenante.tipo_cuenta", "3"), ("ordenante.rfc_curp", "ND"),
    ("ordenante.cuenta", "012180000118359718"), ("concepto", "Pago"), ("iva", "0.01"),
    ("hora_abono", "18:02:31"), ("fecha_operacion", "2026-11-24"), ("receptor.codigo", "40012"),
])]
#[case("clave_de_otro_pago", &[("clave_rastreo", "PRUEBA0002")])]
fn a_field_that_differs_from_the_banks_is_named(
    #[case] reason: &str,
    #[case] edits: &[(&str, &str)],
) {
    for (field, value) in edits {
        let check = compared(&edited(field, value));
        assert_eq!(check.result, Failed);
        assert_eq!(check.reason.unwrap().name(), reason);
        assert!(check.fields.iter().map(|field| field.name()).eq([*field]));
    }
}

/// The file with other dates of operation and credit in its chain: the second one stands there alone.
fn credited(dates: &str) -> String {
    xml().replacen("||1|23112026|20112026|", &format!("||1|{dates}|"), 1)
}

#[test]
fn another_date_of_credit_than_the_banks_is_named() {
    let check = compared(&credited("23112026|21112026"));
    let reason = Some(CheckReason::OtherData);
    assert_eq!((check.result, check.reason), (Failed, reason));
    assert_eq!(check.fields, [ProofField::CreditDate]);
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
    let altered = edited("monto", "9.00");
    for verdict in [known, unknown] {
        for file in [&xml(), &altered] {
            let report = CheckReport::of_xml(file.as_bytes(), verdict);
            assert_eq!(tracking_key(report, BankRecord::Issued(&issued)), ok);
        }
    }
    let edited = edited("clave_rastreo", "PRUEBA0002");
    let other = of_another_payment();
    let of_unknown = CheckReport::of_xml(edited.as_bytes(), unknown);
    let issued = BankRecord::Issued(&other);
    let unknown = BankRecord::Unknown;
    for (report, record, reason) in [
        (report(&edited), issued, CheckReason::KeyOfAnotherPayment),
        (of_unknown, issued, CheckReason::OtherBeneficiary),
        (report(&edited), unknown, CheckReason::UnknownToBank),
    ] {
        let failed = (Failed, Some(reason), OTHER);
        assert_eq!(tracking_key(report, record), failed);
    }
    let (result, reason, _) = tracking_key(report(&edited), NotIssued(Settled));
    let unsealed = Some(CheckReason::Unsealed);
    assert_eq!((result, reason), (NotChecked, unsealed));
}

#[test]
fn sealed_data_are_never_said_to_differ_beside_a_valid_seal() {
    let mut report = report(&edited("clave_rastreo", "PRUEBA0002"));
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
    let mut altered = edited_all(&[("beneficiario.nombre", "Luis"), ("concepto", "Pago")]);
    let reason = |altered: &str| compared(altered).reason.unwrap();
    assert_eq!(reason(&altered), CheckReason::OtherBeneficiary);
    edit(&mut altered, "monto", "9.00");
    assert_eq!(reason(&altered), CheckReason::OtherAmount);
}

#[rstest]
#[case(BankRecord::Unknown, Failed, CheckReason::UnknownToBank)]
#[case(NotIssued(Settled), NotChecked, CheckReason::NotIssuedByBank)]
#[case(NotIssued(InProcess), NotChecked, CheckReason::PaymentInProcess)]
#[case(NotIssued(ReturnInProcess), NotChecked, CheckReason::PaymentInProcess)]
#[case(NotIssued(Returned), Failed, CheckReason::PaymentReturned)]
#[case(NotIssued(SentBack), Failed, CheckReason::PaymentReturned)]
#[case(NotIssued(Rejected), Failed, CheckReason::PaymentRejected)]
#[case(NotIssued(NotSettled), Failed, CheckReason::PaymentRejected)]
#[case(NotIssued(Canceled), Failed, CheckReason::PaymentCanceled)]
#[case(NotIssued(NotFound), Failed, CheckReason::UnknownToBank)]
#[case(BankRecord::NotAskable, NotChecked, CheckReason::NotAskable)]
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
    let altered = edited_all(&[
        ("monto", "9.00"),
        ("beneficiario.cuenta", "012180000118359719"),
        ("receptor.codigo", "40012"),
    ]);
    let sealed = query(&xml(), known).unwrap();
    assert_eq!(sealed.date, parse_date("2026-11-20").unwrap());
    assert_eq!(sealed.criterion.to_string(), "PRUEBA0001");
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
        let xml = edited("emisor.nombre", name);
        let report = report(&xml);
        let issuer = report.issuer(Catalogue::embedded()).unwrap();
        assert_eq!(issuer.to_string(), "90646");
        assert_eq!(query(&xml, unknown).unwrap().issuer, Some(issuer));
    }
    assert_eq!(report(&xml()).issuer(Catalogue::embedded()), None);
}

#[test]
fn a_receiver_that_may_be_newer_than_the_list_is_asked_for() {
    let query = query(&edited("receptor.codigo", "40999"), unknown).unwrap();
    assert_eq!(query.receiver.unwrap().to_string(), "40999");
}

#[rstest]
#[case(edited("beneficiario.cuenta", "NA"))]
#[case(edited("monto", "0.00"))]
#[case(edited("clave_rastreo", "PRUEBA 0001 con otra clave que es muy larga"))]
#[case(credited("23112026|25112026"))]
#[case(credited("23112003|23112003"))]
fn a_file_that_lacks_what_the_bank_asks_for_has_no_query(#[case] altered: String) {
    assert_ne!(altered, xml());
    assert_eq!(query(&altered, unknown), None);
    assert!(query(&xml(), unknown).is_some());
}
