//! Encryption anew after the operator's secret was rotated.

use application::Reencrypted;

use super::*;

#[tokio::test]
async fn secrets_are_encrypted_with_the_newest_secret_and_sign_as_before() {
    let scene = Scene::new();
    let old = encryption(&[1]);
    let created = scene.webhook(&old).await;
    let endpoint = created.webhook.id;
    let new = scene.rotate_secret(&old, endpoint).await;
    scene.webhook(&old).await;
    let both = encryption(&[2, 1]);
    let done = |done| Reencrypted {
        done,
        unreadable: 0,
    };
    assert_eq!(scene.reencryption(&both).round().await.unwrap(), done(2));
    assert_eq!(scene.reencryption(&both).round().await.unwrap(), done(0));
    scene.tell(endpoint, 1).await;
    scene.round(&scene.worker(&encryption(&[2]), 8)).await;
    let sent = scene.receiver.taken().remove(0);
    let expected = signature([&new, &created.secret], sent.id, sent.at, &sent.body);
    assert_eq!(sent.signature, expected);
}

#[tokio::test]
async fn a_secret_that_signs_no_more_is_left_out() {
    let scene = Scene::new();
    let endpoint = scene.webhook(&encryption(&[1])).await.webhook.id;
    let second = encryption(&[2, 1]);
    scene.rotate_secret(&second, endpoint).await;
    scene.advance(TimeDelta::hours(24));
    // The first one's generation isn't listed any more, which doesn't matter.
    let newest = encryption(&[2]);
    let round = scene.reencryption(&newest).round().await.unwrap();
    assert_eq!((round.done, round.unreadable), (1, 0));
    let shown = scene.service(&newest).find(&scene.owner, endpoint).await;
    assert_eq!(shown.unwrap().previous_secret_until, None);
}

#[tokio::test]
async fn a_secret_that_can_not_be_read_is_counted_and_kept_and_a_failing_store_ends_the_round() {
    let scene = Scene::new();
    let readable = encryption(&[1]);
    scene.webhook(&readable).await;
    let newest = encryption(&[2]);
    let round = scene.reencryption(&newest).round().await.unwrap();
    assert_eq!((round.done, round.unreadable), (0, 1));
    let both = encryption(&[2, 1]);
    let faults = scene.store.faults();
    faults.inject_into("reencrypt_endpoint", Fault::Fails);
    assert!(scene.reencryption(&both).round().await.is_err());
    faults.clear();
    let later = scene.reencryption(&both).round().await.unwrap();
    assert_eq!((later.done, later.unreadable), (1, 0));
}
