//! Reading of receipts: a customer with many of them.

use application::{FollowUp, ReceiptRequest};
use bytes::Bytes;
use domain::keys::Environment;
use domain::receipts::ReceiptFile;

use super::checks::Gate;
use super::*;
use crate::support::ADMIN;

/// A text that is no receipt.
fn text() -> ReceiptRequest {
    ReceiptRequest {
        file: Bytes::from_static(b"hola"),
        kind: ReceiptFile::Text,
        follow_up: FollowUp::None,
    }
}

#[tokio::test]
async fn an_account_has_two_receipts_in_work_and_another_is_not_held_up() {
    let fixture = fixture(None).await;
    let gate = Gate::new(false);
    let greedy = &fixture.holder;
    let other = fixture.world.holder(&ADMIN, Environment::Test).await;
    let start = |holder: &Holder, gate: &Gate| {
        let question = gate.question(Ok(text()));
        let requests = fixture.process.requests.clone();
        let request = request(Some(holder.secret.reveal()), HERE);
        tokio::spawn(async move { answered(requests.read_receipt(request, question).await) })
    };
    let served: Vec<_> = (0..5).map(|_| start(greedy, &gate)).collect();
    gate.reading(2).await;
    let answer = start(&other, &Gate::new(true)).await.unwrap();
    assert_eq!(answer.charge, Charge::Settled(Outcome::ReceiptRead));
    assert_eq!(*gate.reading.borrow(), 2, "no third began meanwhile");
    gate.open.send_replace(true);
    for answer in served {
        assert!(matches!(answer.await.unwrap().reply, Reply::Answer(Ok(_))));
    }
}
