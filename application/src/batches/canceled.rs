//! Lookups that were canceled with their batch.

use std::time::Duration;

use domain::batches::BatchState;
use domain::lookups::LookupState;
use domain::outcome::Outcome;
use ports::outbound::CanceledLookup;

use crate::admission::{GatekeeperService, Settlement};
use crate::lookups::{LookupService, charged};
use crate::metrics;

/// Counts a batch that was canceled with these lookups, signals their ends, and records the ends of their requests.
pub(super) async fn conclude_canceled(
    canceled: Vec<CanceledLookup>,
    lookups: &LookupService,
    gatekeeper: &GatekeeperService,
) {
    metrics::batch_ended(BatchState::Canceled);
    metrics::lookups_ended(LookupState::Canceled, canceled.len());
    for CanceledLookup { facts, refunded } in canceled {
        lookups.signal_change(facts.id);
        let charged = charged(&facts);
        if refunded {
            gatekeeper.refund_unattended(&charged).await;
        }
        let settlement = Settlement::of(Outcome::Canceled);
        let conclusion = gatekeeper.conclude(charged, settlement, Duration::ZERO);
        conclusion.await;
    }
}
