use super::*;
use rstest::rstest;

const GOOD: [(&str, &str); 10] = [
    ("tipoCriterio", "T"),
    ("criterio", "MBAN01002611200001234567"),
    ("fecha", "20-11-2026"),
    ("emisor", "40012"),
    ("receptor", "40002"),
    ("cuenta", "002010077777777771"),
    ("monto", "1234.50"),
    ("receptorParticipante", "0"),
    ("captcha", "c"),
    ("tipoConsulta", "1"),
];

/// The fields of a good form, of which one has another value.
pub(crate) fn fields(name: &str, value: &str) -> Vec<(String, String)> {
    let changed = |(field, good)| (field, if field == name { value } else { good });
    let owned = |(field, value): (&str, &str)| (field.to_owned(), value.to_owned());
    GOOD.map(changed).map(owned).into()
}

fn read(name: &str, value: &str) -> Result<Inquiry, FormError> {
    Inquiry::parse(&fields(name, value))
}

#[test]
fn the_order_of_the_fields_does_not_matter() {
    let mut backwards = fields("captcha", "c");
    backwards.reverse();
    assert_eq!(Inquiry::parse(&backwards), read("captcha", "c"));
}

#[test]
fn amounts_are_compared_as_numbers() {
    for spelling in ["1234.5", "0001234.50"] {
        assert_eq!(read("monto", spelling), read("monto", "1234.50"));
    }
}

#[rstest]
#[case(FormError::CriterionMissing, &[("tipoCriterio", ""), ("tipoCriterio", "X"), ("criterio", " ")])]
#[case(FormError::CriterionMissing, &[("criterio", "1234567890123456789012345678901")])]
#[case(FormError::Invalid, &[("fecha", "2026-11-20"), ("fecha", "1-11-2026"), ("fecha", "31-11-2026")])]
#[case(FormError::Invalid, &[("emisor", ""), ("receptor", "0002"), ("cuenta", "12345")])]
#[case(FormError::Invalid, &[("monto", "1,234.50"), ("monto", "0.00"), ("receptorParticipante", "2")])]
#[case(FormError::Invalid, &[("captcha", ""), ("tipoConsulta", "")])]
fn a_form_without_a_criterion_or_with_an_invalid_field_is_refused(
    #[case] error: FormError,
    #[case] fields: &[(&str, &str)],
) {
    for (name, value) in fields {
        assert_eq!(read(name, value), Err(error), "{name} {value}");
    }
}

#[test]
fn a_payment_is_found_by_its_reference_number() {
    let mut fields = fields("tipoCriterio", "R");
    fields[1].1 = "4600001".to_owned();
    let order = Inquiry::parse(&fields).unwrap().order;
    assert_eq!(order.reference, 4_600_001);
    assert_eq!(order.tracking_key.as_str(), "SANDBOX4600001");
}
