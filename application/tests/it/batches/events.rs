//! Events of rows, of which webhooks are told.

use super::imports::{file, import};
use super::*;
use crate::webhooks::harness::{Scene, encryption};

/// Sends what a process tells a webhook of the operator's, at first and then whenever it is signalled.
async fn sending(world: &World, process: &Process) -> Scene {
    let scene = Scene {
        store: process.store.clone(),
        clock: world.base.clock.clone(),
        timer: world.timer.clone(),
        signal: process.webhooks.clone(),
        owner: operator(),
        ..Scene::new()
    };
    let keys = encryption(&[1]);
    scene.webhook(&keys).await;
    drop(tokio::spawn(scene.worker(&keys, 4).run()));
    settle().await;
    // The worker rests for a moment after a look that found nothing, and then waits for a signal.
    world.pass(Duration::from_millis(100)).await;
    scene
}

#[tokio::test]
async fn an_imported_proof_is_told_at_once() {
    let (world, process, holder) = start().await;
    let scene = sending(&world, &process).await;
    let id = process.create(&holder, ready(2)).await;
    import(&process, &holder, id, vec![file(&payment(1))]).await;
    settle().await;
    let told = scene.receiver.taken();
    assert_eq!(told.len(), 1);
    let lookup = process.lookups_of(id).await[0].facts.id;
    for part in [
        "\"type\":\"lookup.delivered\"".to_owned(),
        format!("\"id\":\"{lookup}\""),
        format!("\"batch_id\":\"{id}\""),
    ] {
        let body = &told[0].body;
        assert!(body.contains(&part), "no {part}: {body}");
    }
}
