//! The catalogue of participants while a server runs: follows the stored one, and renews it.

use application::{CatalogueRenewal, RenewalError, RenewalRound, SharedCatalogue};

/// Takes a catalogue into use that another process stored. A database that fails is reported by the
/// change feed.
pub(crate) async fn follow(catalogue: &SharedCatalogue) {
    if let Err(error) = catalogue.follow().await {
        tracing::debug!(%error, "the stored catalogue of participants can't be read");
    }
}

/// Renews the catalogue when it is due.
pub(crate) async fn renew(renewal: &CatalogueRenewal) {
    match renewal.round().await {
        Ok(RenewalRound::NotDue) => {}
        Ok(RenewalRound::Renewed(renewal)) => tracing::info!(
            as_of = %renewal.catalogue.as_of(),
            added = ?renewal.added,
            removed = ?renewal.removed,
            "the catalogue of participants was renewed"
        ),
        Err(RenewalError::Store(error)) => {
            tracing::debug!(%error, "the renewal of the catalogue of participants can't be claimed");
        }
        Err(error) => tracing::warn!(
            %error,
            "the catalogue of participants stays as it is; its renewal is tried again in an hour"
        ),
    }
}
