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
    let form = Form::new().with("monto", amount);
    for _ in 0..2 {
        let mut visitor = portal.visitor();
        let answer = visitor.validate(&form).await;
        assert!(answer.text().contains(before), "{}", answer.text());
        assert_eq!(visitor.download("XML").await.status, 500);
    }
    for _ in 0..2 {
        let mut visitor = portal.visitor();
        let answer = visitor.validate(&form).await;
        assert!(!answer.text().contains(before), "{}", answer.text());
        let xml = visitor.download("XML").await;
        assert_eq!(xml.status, 200);
        assert!(xml.text().contains("MontoPago=\"700"), "{}", xml.text());
    }
}

#[tokio::test]
async fn queries_are_counted_for_each_transfer() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    let form = |key| Form::new().with("monto", "700.00").with("criterio", key);
    for (key, status) in [
        ("ONE", 500),
        ("ONE", 500),
        ("OTHER", 500),
        ("ONE", 200),
        ("OTHER", 500),
        ("OTHER", 200),
        ("NEW", 500),
    ] {
        visitor.validate(&form(key)).await;
        assert_eq!(visitor.download("XML").await.status, status, "{key}");
    }
}
