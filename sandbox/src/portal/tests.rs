//! Preparation of proofs while `valida.do` is delayed.

use super::*;

fn fields(amount: &str) -> Vec<(String, String)> {
    crate::form::tests::fields("monto", amount)
}

/// A portal that was asked for a payment, and the payment's order.
async fn asked(latency: Duration, amount: &str) -> (Arc<Portal>, Order) {
    let portal = Arc::new(Portal::new(SandboxConfig {
        latency,
        now: Arc::new(|| DateTime::from_timestamp(1_795_197_600, 0).unwrap()),
    }));
    let form = Ok(Form(fields(amount)));
    validate(State(Arc::clone(&portal)), HeaderMap::new(), form).await;
    (portal, Inquiry::parse(&fields(amount)).unwrap().order)
}

#[tokio::test]
async fn a_delayed_response_finds_the_proof_sealed_that_it_brings() {
    let (portal, order) = asked(Duration::from_millis(1), "1234.56").await;
    assert!(portal.proofs.contains_key(&order));
    let (portal, order) = asked(Duration::from_millis(1), "502.01").await;
    assert!(portal.proofs.contains_key(&order.another().unwrap()));
    assert!(!portal.proofs.contains_key(&order));
    let (portal, _) = asked(Duration::from_millis(1), "404.02").await;
    assert_eq!(portal.proofs.iter().count(), 0);
}

#[tokio::test]
async fn without_latency_the_proof_is_sealed_on_the_download() {
    let (portal, order) = asked(Duration::ZERO, "1234.56").await;
    assert!(!portal.proofs.contains_key(&order));
    portal.file(&order, "XML").await;
    assert!(portal.proofs.contains_key(&order));
}
