//! Attempts, and what follows each of their results.

use super::*;
use crate::support::world::settle;

#[tokio::test]
async fn a_message_is_delivered_once() {
    let (scene, endpoint, worker) = start_told().await;
    assert_eq!(scene.round(&worker).await, 1);
    assert_eq!(scene.round(&worker).await, 0);
    let sent = scene.receiver.taken();
    assert_eq!(sent.len(), 1);
    let delivery = scene.delivery(endpoint).await;
    assert_eq!(delivery.state, DeliveryState::Delivered);
    assert_eq!((delivery.id, delivery.attempts), (sent[0].id, 1));
    let last = delivery.last_attempt.unwrap();
    assert_eq!(last.result, AttemptResult::Answered(204));
    assert_eq!(last.answer.as_str(), "gracias");
}

#[tokio::test]
async fn a_failing_receiver_is_tried_ten_times_with_the_same_message() {
    let (scene, endpoint, worker) = start_told().await;
    let failure = [
        Behaviour::Answers(500),
        Behaviour::Answers(302),
        Behaviour::Fails(SendFailure::Unreachable),
        Behaviour::Panics,
    ];
    let ten: Vec<_> = failure.into_iter().cycle().take(10).collect();
    scene.receiver.behave(&ten);
    let begin = scene.now();
    for attempt in 1..=10 {
        assert_eq!(scene.round(&worker).await, 1, "attempt {attempt}");
        let delivery = scene.delivery(endpoint).await;
        assert_eq!(delivery.attempts, attempt);
        let left = delivery.attempts_left.map_or(0, |left| left.count);
        assert_eq!(left, 10 - attempt);
        let Some(next) = delivery.next_attempt_at else {
            assert_eq!((delivery.state, attempt), (DeliveryState::Failed, 10));
            break;
        };
        assert_eq!(scene.round(&worker).await, 0, "it isn't due");
        scene.advance(next - scene.now());
    }
    // 75 h and 35 min and 5 s of waits, each with up to a fifth more or less.
    let took = scene.now() - begin;
    assert!((60..91).contains(&took.num_hours()), "{took}");
    let sent = scene.receiver.taken();
    assert_eq!(sent.len(), 10);
    assert!(sent.iter().all(|message| message.id == sent[0].id));
    assert!(sent.iter().all(|message| message.body == sent[0].body));
    // Each is signed as of its time.
    assert_ne!(sent[0].signature, sent[1].signature);
}

#[tokio::test]
async fn a_receiver_that_asks_for_time_gets_some() {
    let (scene, endpoint, worker) = start_told().await;
    let wait = Duration::from_mins(2);
    scene.receiver.behave(&[Behaviour::AsksToWait(503, wait)]);
    scene.round(&worker).await;
    let delivery = scene.delivery(endpoint).await;
    assert_eq!(delivery.next_attempt_at, Some(scene.now() + wait));
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_sent_nothing_more() {
    let (scene, endpoint, worker) = start(1).await;
    for number in 1..=3 {
        scene.tell(endpoint, number).await;
    }
    scene.receiver.behave(&[Behaviour::Answers(410)]);
    assert_eq!(scene.round(&worker).await, 1);
    assert_eq!(scene.round(&worker).await, 0);
    let service = scene.service(&encryption(&[1]));
    let shown = service.find(&scene.owner, endpoint).await.unwrap();
    assert!(matches!(shown.state, EndpointState::Disabled { .. }));
    let deliveries = scene.deliveries(endpoint).await;
    let is_discarded = |it: &&DeliveryView| it.state == DeliveryState::Discarded;
    assert_eq!(deliveries.iter().filter(is_discarded).count(), 2);
}

#[tokio::test]
async fn an_attempt_that_hangs_is_given_up() {
    let (scene, endpoint, worker) = start_told().await;
    scene.receiver.behave(&[Behaviour::Hangs]);
    assert_eq!(worker.round().await.unwrap(), 1);
    settle().await;
    scene.advance(TimeDelta::seconds(20));
    assert_eq!(scene.round(&worker).await, 0);
    let last = scene.delivery(endpoint).await.last_attempt;
    let result = AttemptResult::Failed(SendFailure::TimedOut);
    assert_eq!(last.map(|last| last.result), Some(result));
}

#[tokio::test]
async fn a_result_that_can_not_be_stored_is_sent_again_with_the_same_id() {
    let (scene, endpoint, worker) = start_told().await;
    let faults = scene.store.faults();
    faults.inject_into("end_delivery", Fault::Fails);
    assert_eq!(scene.round(&worker).await, 1);
    faults.clear();
    scene.advance(TimeDelta::seconds(29));
    assert_eq!(scene.round(&worker).await, 0, "its lease holds");
    scene.advance(TimeDelta::seconds(1));
    assert_eq!(scene.round(&worker).await, 1);
    let sent = scene.receiver.taken();
    assert_eq!(sent.len(), 2);
    assert_eq!((sent[0].id, &sent[0].body), (sent[1].id, &sent[1].body));
    let delivery = scene.delivery(endpoint).await;
    assert_eq!(delivery.state, DeliveryState::Delivered);
    assert_eq!(delivery.attempts, 1);
}
