//! Tasks of the server that nobody asks for.

use std::sync::Arc;
use std::time::Duration;

use application::{AccountReencryption, ChangeFeed, Reencrypted, WebhookReencryption};
use domain::limits::replicas::BEAT_INTERVAL;
use ports::outbound::{LookupStore, StoreError, UsageJournal, WebhookStore};
use store_seaorm::Journal;
use tokio::task::JoinSet;

use crate::config::ServeOptions;
use crate::database_log::LogSizeWarning;
use crate::metrics::{self, Metrics};
use crate::telemetry::DroppedLines;
use crate::wiring::Gateway;
use crate::{catalogue_watch, seal_watch};

/// Interval at which changes of keys by other processes are looked for: they must take effect
/// within a second.
const KEY_WATCH: Duration = Duration::from_millis(250);
/// Interval at which idle keys are removed from memory.
const FORGET_IDLE: Duration = Duration::from_mins(1);
/// Interval at which lookups of revoked keys are canceled.
const ORPHANED_LOOKUPS: Duration = Duration::from_secs(2);
/// Interval at which rotated keys are revoked whose time of grace is over.
const RETIRE: Duration = Duration::from_secs(1);
/// Interval of checks that webhooks' secrets are encrypted with the newest store secret.
const REENCRYPT: Duration = Duration::from_mins(10);
/// Interval at which rows past their retention are removed.
const PRUNE: Duration = Duration::from_hours(1);
/// Interval at which the queues of lookups and of webhooks are measured.
const QUEUES: Duration = Duration::from_secs(10);
/// Interval at which the stored catalogue of participants is looked at.
const CATALOGUE_WATCH: Duration = Duration::from_secs(5);
/// Interval at which the stored keys of seals are read.
const SEAL_KEY_WATCH: Duration = Duration::from_secs(10);
/// Interval of checks if the catalogue's renewal is due.
const CATALOGUE_RENEWAL: Duration = Duration::from_secs(20);
/// Interval of checks of the size of an embedded database's log.
const LOG_SIZE: Duration = Duration::from_secs(5);
/// Interval of checks that the database answers.
const PULSE: Duration = Duration::from_secs(1);
/// Interval of looks for lines of the log that were dropped.
const REPORT_DROPS: Duration = Duration::from_secs(1);
/// Interval of reconciliation with Redis: with the time that a round takes, it must be less
/// than a minute.
const RECONCILE: Duration = Duration::from_secs(20);

/// Follows the changes of keys, and logs when that stops and when it goes on; returns whether it fails.
async fn follow(watch: &ChangeFeed, was_failing: bool) -> bool {
    let followed = watch.poll().await;
    match &followed {
        Ok(_) if was_failing => tracing::info!("changes of keys are followed again"),
        Err(error) if !was_failing => tracing::warn!(
            %error,
            "changes of keys can't be followed: the database can't be read, or the limiter \
             not told; they are tried four times a second"
        ),
        _ => {}
    }
    followed.is_err()
}

/// Starts the tasks of a gateway that serves. None of them ends by itself.
pub(super) fn start(gateway: &Gateway, options: &ServeOptions) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let watch = Arc::clone(&gateway.change_feed);
    let mut is_failing = false;
    tasks.spawn(every(KEY_WATCH, async move || {
        is_failing = follow(&watch, is_failing).await;
    }));
    let (watch, journal) = (Arc::clone(&gateway.change_feed), gateway.journal.clone());
    let mut answered = true;
    tasks.spawn(every(PULSE, async move || {
        answered = pulse(&watch, &journal, answered);
    }));
    tasks.spawn(gateway.journal.ended());
    let retirement = Arc::clone(&gateway.retirement);
    tasks.spawn(every(RETIRE, async move || {
        match retirement.sweep().await {
            Ok(0) => {}
            Ok(revoked) => tracing::info!(revoked, "rotated keys whose time of grace is over"),
            Err(error) => tracing::warn!(%error, "rotated keys could not be revoked"),
        }
    }));
    let catalogue = Arc::clone(&gateway.catalogue);
    tasks.spawn(every(CATALOGUE_WATCH, async move || {
        catalogue_watch::follow(&catalogue).await;
    }));
    let seals = Arc::clone(&gateway.seals);
    tasks.spawn(every(SEAL_KEY_WATCH, async move || {
        seal_watch::follow(&seals).await;
    }));
    if let Some(renewal) = gateway.catalogue_renewal.clone() {
        tasks.spawn(every(CATALOGUE_RENEWAL, async move || {
            catalogue_watch::renew(&renewal).await;
        }));
    }
    if let Some(reconciliation) = gateway.reconciliation.clone() {
        tasks.spawn(every(RECONCILE, async move || {
            match reconciliation.round().await {
                Ok(keys) => tracing::debug!(keys, "told to Redis again"),
                Err(error) => tracing::warn!(%error, "keys could not be read for Redis"),
            }
        }));
    }
    if let Some(monitor) = gateway.replica_monitor.clone() {
        tasks.spawn(every(BEAT_INTERVAL, async move || {
            if let Err(error) = monitor.beat().await {
                tracing::warn!(%error, "replicas can't be counted; their last number holds");
            }
        }));
    }
    let limiter = Arc::clone(&gateway.in_process);
    tasks.spawn(every(FORGET_IDLE, async move || {
        let forgotten = limiter.forget_idle();
        tracing::debug!(forgotten, "idle keys");
    }));
    let mut log_size = LogSizeWarning::new(gateway.store.clone());
    tasks.spawn(every(LOG_SIZE, async move || log_size.check()));
    start_lookups(&mut tasks, gateway);
    start_erasure(&mut tasks, gateway, options);
    tasks
}

/// Starts the erasure of what is past its retention.
fn start_erasure(tasks: &mut JoinSet<()>, gateway: &Gateway, options: &ServeOptions) {
    let (store, clock) = (gateway.store.clone(), Arc::clone(&gateway.clock));
    let erasure = gateway.erasure;
    let (retained, archive_days) = (options.retention, options.archive.proof_archive);
    let lookup_days = options.lookups.lookup_retention;
    tasks.spawn(every(PRUNE, async move || {
        let (now, monotonic) = (clock.now(), clock.monotonic());
        let time = erasure.time(now, monotonic);
        let certain = erasure.certain(now, monotonic);
        if time < now {
            tracing::warn!(
                clock = %now,
                erasing_as_of = %time,
                "the clock is more than a day ahead of what the database knows: check it. What is past its retention \
                 is erased as of an earlier time, which catches up by a day each hour"
            );
        }
        let retention = retained.limits(archive_days, lookup_days, time);
        if let Err(error) = store.set_erasure_time(certain).await {
            tracing::warn!(%error, "the time of erasure could not be stored");
        }
        match store.prune(retention).await {
            Ok(removed) => tracing::debug!(?removed, "what was past its retention"),
            Err(error) => tracing::warn!(%error, "old requests could not be removed"),
        }
    }));
}

/// Starts the attempts of stored lookups, and looks after their queue.
fn start_lookups(tasks: &mut JoinSet<()>, gateway: &Gateway) {
    tasks.spawn(Arc::clone(&gateway.deliveries.worker).run());
    let reencryption = Arc::clone(&gateway.deliveries.reencryption);
    let accounts = gateway.lookups.account_reencryption(&gateway.store);
    tasks.spawn(every(REENCRYPT, async move || {
        reencrypt(&reencryption, &accounts).await;
    }));
    if let Some(worker) = gateway.lookups.worker.clone() {
        tasks.spawn(worker.run());
    }
    if let Some(feeder) = gateway.lookups.batches.feeder.clone() {
        tasks.spawn(feeder.run());
    }
    if let Some(listener) = gateway.lookups.listener.clone() {
        tasks.spawn(listener.run());
    }
    let lookups = Arc::clone(&gateway.lookups.service);
    tasks.spawn(every(ORPHANED_LOOKUPS, async move || {
        match lookups.cancel_orphaned().await {
            Ok(0) => {}
            Ok(canceled) => tracing::info!(canceled, "lookups of revoked keys"),
            Err(error) => tracing::warn!(%error, "lookups of revoked keys can't be canceled"),
        }
    }));
    let (store, clock) = (gateway.store.clone(), Arc::clone(&gateway.clock));
    tasks.spawn(every(QUEUES, async move || {
        let now = clock.now();
        match store.lookup_queue(now).await {
            Ok(queue) => metrics::lookup_queue(&queue, now),
            Err(error) => tracing::debug!(%error, "the queue of lookups can't be measured"),
        }
        match store.delivery_queue(now).await {
            Ok(queue) => metrics::webhook_queue(queue, now),
            Err(error) => tracing::debug!(%error, "the queue of webhooks can't be measured"),
        }
    }));
}

/// Encrypts webhooks' secrets and own accounts with the newest store secret.
async fn reencrypt(webhooks: &WebhookReencryption, accounts: &AccountReencryption) {
    reencrypted(webhooks.round().await, "webhooks' secrets");
    reencrypted(accounts.round().await, "customers' own accounts");
}

/// Logs what was encrypted anew, and what can't be.
fn reencrypted(round: Result<Reencrypted, StoreError>, what: &str) {
    match round {
        Ok(Reencrypted { done, unreadable }) => {
            if done > 0 {
                tracing::info!(
                    done,
                    "{what} are encrypted with the newest store secret now"
                );
            }
            if unreadable > 0 {
                tracing::warn!(
                    unreadable,
                    "{what} were encrypted with a store secret that isn't listed: list it in \
                     CEP_STORE_SECRET, or have their owners make them anew"
                );
            }
        }
        Err(error) => tracing::warn!(%error, "{what} can't be encrypted anew"),
    }
}

/// Adds up metrics, and reports lines of the log that were dropped.
pub(super) fn report(tasks: &mut JoinSet<()>, metrics: Metrics, dropped_lines: &Arc<DroppedLines>) {
    tasks.spawn(every(metrics::UPKEEP, async move || metrics.add_up()));
    let dropped_lines = Arc::clone(dropped_lines);
    tasks.spawn(every(REPORT_DROPS, async move || dropped_lines.report()));
}

/// Logs when the database stops and begins to answer, and returns whether it does. While it doesn't, the
/// journal tries to write, so that a replica without requests notices, too.
fn pulse(watch: &ChangeFeed, journal: &Journal, answered: bool) -> bool {
    let trouble = watch.trouble();
    match &trouble {
        Some(cause) => {
            journal.probe();
            if answered {
                tracing::warn!(%cause, "the database doesn't answer: proofs wait a few seconds for it, then they are refused");
            }
        }
        None if !answered => tracing::info!("the database answers again"),
        None => {}
    }
    trouble.is_none()
}

/// Does something at once, and again after each `period`.
pub(super) async fn every(period: Duration, mut work: impl AsyncFnMut()) {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        work().await;
    }
}
