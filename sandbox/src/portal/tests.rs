//! Preparation of proofs while `valida.do` is delayed.

use super::*;

fn portal(latency: Duration) -> Arc<Portal> {
    Arc::new(Portal::new(SandboxConfig {
        latency,
        now: Arc::new(|| DateTime::from_timestamp(1_795_197_600, 0).unwrap()),
    }))
}

fn form(amount: &str) -> Vec<(String, String)> {
    [
        ("tipoCriterio", "T"),
        ("criterio", "MBAN01002611200001234567"),
        ("fecha", "20-11-2026"),
        ("emisor", "40012"),
        ("receptor", "40002"),
        ("cuenta", "002010077777777771"),
        ("monto", amount),
        ("receptorParticipante", "0"),
        ("captcha", "c"),
        ("tipoConsulta", "1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

async fn ask(portal: &Arc<Portal>, fields: &[(String, String)]) {
    let form = Ok(Form(fields.to_vec()));
    validate(State(Arc::clone(portal)), HeaderMap::new(), form).await;
}

#[tokio::test]
async fn a_delayed_response_finds_its_proof_sealed() {
    let portal = portal(Duration::from_millis(1));
    let fields = form("1234.56");
    ask(&portal, &fields).await;
    let order = Inquiry::parse(&fields).unwrap().order;
    assert!(portal.proofs.contains_key(&order));
}

#[tokio::test]
async fn a_delayed_response_prepares_the_wrong_proof_too() {
    let portal = portal(Duration::from_millis(1));
    let fields = form("502.01");
    ask(&portal, &fields).await;
    let order = Inquiry::parse(&fields).unwrap().order;
    assert!(portal.proofs.contains_key(&order.another().unwrap()));
    assert!(!portal.proofs.contains_key(&order));
}

#[tokio::test]
async fn nothing_is_sealed_for_a_payment_without_a_proof() {
    let portal = portal(Duration::from_millis(1));
    ask(&portal, &form("404.02")).await;
    assert_eq!(portal.proofs.iter().count(), 0);
}

#[tokio::test]
async fn without_latency_the_proof_is_sealed_on_the_download() {
    let portal = portal(Duration::ZERO);
    let fields = form("1234.56");
    ask(&portal, &fields).await;
    let order = Inquiry::parse(&fields).unwrap().order;
    assert!(!portal.proofs.contains_key(&order));
    portal.file(&order, "XML").await;
    assert!(portal.proofs.contains_key(&order));
}
