//! Proofs that appear at the third query of their transfer.

use rstest::rstest;

use super::support::{Form, Portal};

const KNOWN: &str = "<td>Estado del pago en Banxico</td><td>Liquidado</td>";
const UNKNOWN: &str = "no ha recibido una orden de pago";

#[rstest]
#[case("700.00", KNOWN)]
#[case("700.01", UNKNOWN)]
#[tokio::test]
async fn a_proof_appears_at_the_third_query_of_its_transfer(
    #[case] amount: &str,
    #[case] before: &str,
) {
    let portal = Portal::start().await;
    for (is_before, status) in [(true, 500), (true, 500), (false, 200), (false, 200)] {
        let mut visitor = portal.visitor();
        let answer = visitor.validate(&Form::of(amount)).await;
        let page = answer.text();
        assert_eq!(page.contains(before), is_before, "{page}");
        let xml = visitor.download("XML").await;
        assert_eq!(xml.status, status);
        assert!(is_before || xml.text().contains("MontoPago=\"700"));
    }
}

#[tokio::test]
async fn queries_are_counted_for_each_transfer() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    let form = |key| Form::of("700.00").with("criterio", key);
    for (key, status) in [
        ("ONE", 500),
        ("ONE", 500),
        ("OTHER", 500),
        ("ONE", 200),
        ("OTHER", 500),
        ("OTHER", 200),
        ("NEW", 500),
    ] {
        let xml = visitor.fetch(&form(key), "XML").await;
        assert_eq!(xml.status, status, "{key}");
    }
}
