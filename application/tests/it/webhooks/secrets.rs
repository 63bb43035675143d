//! Secrets that sign messages.

use super::*;

fn signed(message: &OutgoingMessage, secrets: &[&EndpointSecret]) -> String {
    let (id, at) = (message.id, message.at);
    signature(secrets.iter().copied(), id, at, &message.body)
}

#[tokio::test]
async fn both_secrets_sign_for_a_day_after_a_rotation() {
    let (scene, keys) = (Scene::new(), encryption(&[1]));
    let created = scene.webhook(&keys).await;
    let endpoint = created.webhook.id;
    let worker = scene.worker(&keys, 8);
    let new = scene.rotate_secret(&keys, endpoint).await;
    let old = created.secret;
    assert_ne!(old, new);
    scene.tell(endpoint, 1).await;
    scene.round(&worker).await;
    let sent = scene.receiver.taken().remove(0);
    assert_eq!(sent.signature, signed(&sent, &[&new, &old]));
    scene.advance(TimeDelta::hours(24));
    scene.tell(endpoint, 2).await;
    scene.round(&worker).await;
    let sent = scene.receiver.taken().remove(0);
    assert_eq!(sent.signature, signed(&sent, &[&new]));
}

#[tokio::test]
async fn a_message_is_signed_by_the_secrets_that_can_be_read() {
    let scene = Scene::new();
    let old = scene.webhook(&encryption(&[1])).await;
    let endpoint = old.webhook.id;
    let both = encryption(&[2, 1]);
    let new = scene.rotate_secret(&both, endpoint).await;
    // The operator lists the first generation no more.
    scene.tell(endpoint, 1).await;
    scene.round(&scene.worker(&encryption(&[2]), 8)).await;
    let sent = scene.receiver.taken().remove(0);
    assert_eq!(sent.signature, signed(&sent, &[&new]));
}

#[tokio::test]
async fn nothing_is_sent_that_can_not_be_signed() {
    let scene = Scene::new();
    let endpoint = scene.webhook(&encryption(&[1])).await.webhook.id;
    scene.tell(endpoint, 1).await;
    scene.round(&scene.worker(&encryption(&[2]), 8)).await;
    assert!(scene.receiver.taken().is_empty());
    let delivery = scene.delivery(endpoint).await;
    let result = delivery.last_attempt.unwrap().result;
    assert_eq!(result, AttemptResult::Failed(SendFailure::NotSigned));
    assert!(delivery.next_attempt_at.is_some(), "it may be listed again");
}

#[tokio::test]
async fn a_replica_that_lacks_a_new_secret_costs_a_message_no_step_of_its_schedule() {
    let scene = Scene::new();
    let (old, new) = (encryption(&[1]), encryption(&[2, 1]));
    // Encrypted by a replica that was restarted already.
    let endpoint = scene.webhook(&new).await.webhook.id;
    scene.tell(endpoint, 1).await;
    for _ in 0..12 {
        scene.round(&scene.worker(&old, 8)).await;
        scene.advance(TimeDelta::seconds(90));
    }
    assert!(scene.receiver.taken().is_empty());
    scene.receiver.behave(&[Behaviour::Answers(500)]);
    let worker = scene.worker(&new, 8);
    scene.round(&worker).await;
    scene.advance(TimeDelta::seconds(10));
    scene.round(&worker).await;
    // The second after five seconds.
    assert_eq!(scene.receiver.taken().len(), 2);
    let delivery = scene.delivery(endpoint).await;
    assert_eq!(delivery.state, DeliveryState::Delivered);
}
