//! Notifications of lookups: whose are passed on, and what ends them.

use std::time::Duration;

use ports::contract::fixture::{lookup_of, record};
use ports::outbound::{LookupNotification, LookupNotifications as _, LookupStore as _, StoreError};
use store_seaorm::{NotificationChannel, Store, StoreOptions};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::both::entries::journal;
use crate::postgres::server::database_or_skip;

use LookupNotification::{Added, Listening};

/// Longest time that anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Listens in a task; returns what it hears, and the task, which ends with the connection.
fn listen(
    channel: NotificationChannel,
) -> (
    UnboundedReceiver<LookupNotification>,
    JoinHandle<StoreError>,
) {
    let (sender, heard) = unbounded_channel();
    let listening = tokio::spawn(async move {
        let notify = |notification| {
            // Who doesn't look any more isn't told.
            let _ = sender.send(notification);
        };
        channel.listen(&notify).await
    });
    (heard, listening)
}

async fn next(heard: &mut UnboundedReceiver<LookupNotification>) -> Option<LookupNotification> {
    timeout(PATIENCE, heard.recv()).await.unwrap()
}

async fn add(store: &Store, number: u16) {
    let new = lookup_of(&record(1).key, number);
    store.add_lookup(&new).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_passes_over_its_own_notifications() {
    let database = database_or_skip!();
    let (here, elsewhere) = (
        database.open_to_serve().await,
        database.open_to_serve().await,
    );
    let _journals = [journal(&here, 1), journal(&elsewhere, 2)];
    let (mut own, _listening) = listen(here.notifications().unwrap());
    let (mut others, _listening) = listen(elsewhere.notifications().unwrap());
    for heard in [&mut own, &mut others] {
        assert_eq!(next(heard).await, Some(Listening));
    }
    add(&here, 1).await;
    assert_eq!(next(&mut others).await, Some(Added));
    add(&elsewhere, 2).await;
    assert_eq!(next(&mut own).await, Some(Added));
    assert!(own.try_recv().is_err() && others.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_crashes_ends_the_listening_and_is_listened_to_again_later() {
    let mut database = database_or_skip!(with_server);
    let store = database.open_to_serve().await;
    let (mut heard, listening) = listen(store.notifications().unwrap());
    assert_eq!(next(&mut heard).await, Some(Listening));
    database.0.own_server().kill();
    timeout(PATIENCE, listening).await.unwrap().unwrap();
    let (mut heard, listening) = listen(store.notifications().unwrap());
    timeout(PATIENCE, listening).await.unwrap().unwrap();
    assert_eq!(heard.recv().await, None, "nobody answers");
    database.0.own_server().start_again();
    let (mut heard, _listening) = listen(store.notifications().unwrap());
    assert_eq!(next(&mut heard).await, Some(Listening));
    add(&store, 1).await;
    assert_eq!(next(&mut heard).await, Some(Added));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_silent_ends_the_listening() {
    let database = database_or_skip!(with_server);
    let url = database.serving_url();
    let options = StoreOptions {
        connect_timeout: Duration::from_millis(500),
        ..StoreOptions::default()
    };
    let store = Store::open_with(&url, options).await.unwrap();
    let (mut heard, listening) = listen(store.notifications().unwrap());
    assert_eq!(next(&mut heard).await, Some(Listening));
    database.0.server().freeze();
    timeout(PATIENCE, listening).await.unwrap().unwrap();
    database.0.server().thaw();
}
