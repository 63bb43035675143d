//! Keys and samples of seals.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::seals::{SealKey, SealKeyOrigin, Signer};
use ports::outbound::{MAX_SAMPLES, SealSample, SealStore, StoredSealKey};

use super::{MemoryStore, Result};

#[async_trait]
impl SealStore for MemoryStore {
    async fn seal_keys(&self) -> Result<Vec<StoredSealKey>> {
        let mut keys = self.call("seal_keys").await?.seal_keys.clone();
        keys.sort_by_key(|stored| (stored.signer.clone(), stored.added_at));
        Ok(keys)
    }

    async fn add_seal_key(
        &self,
        signer: &Signer,
        key: &SealKey,
        origin: SealKeyOrigin,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let keys = &mut self.call("add_seal_key").await?.seal_keys;
        if keys.iter().any(|stored| is_of(stored, signer, key)) {
            return Ok(false);
        }
        keys.push(StoredSealKey {
            signer: signer.clone(),
            key: key.clone(),
            origin,
            added_at: now,
            first_used_at: None,
            last_used_at: None,
        });
        Ok(true)
    }

    async fn record_seal_use(
        &self,
        signer: &Signer,
        key: &SealKey,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let mut tables = self.call("record_seal_use").await?;
        let mut keys = tables.seal_keys.iter_mut();
        let Some(used) = keys.find(|stored| is_of(stored, signer, key)) else {
            return Ok(());
        };
        let a_day_ago = now - TimeDelta::days(1);
        if used.last_used_at.is_none_or(|last| last < a_day_ago) {
            used.first_used_at.get_or_insert(now);
            used.last_used_at = Some(now);
        }
        Ok(())
    }

    async fn add_seal_sample(&self, sample: &SealSample, now: DateTime<Utc>) -> Result<bool> {
        let samples = &mut self.call("add_seal_sample").await?.seal_samples;
        let known = samples.iter().map(|(_, known)| known);
        let of_signer = || known.clone().filter(|known| known.signer == sample.signer);
        let is_known = of_signer().any(|known| known.digest == sample.digest);
        if is_known || of_signer().count() >= MAX_SAMPLES {
            return Ok(false);
        }
        samples.push((now, sample.clone()));
        Ok(true)
    }

    async fn seal_samples(&self) -> Result<Vec<SealSample>> {
        let mut samples = self.call("seal_samples").await?.seal_samples.clone();
        samples.sort_by_key(|(added_at, sample)| (sample.signer.clone(), *added_at));
        Ok(samples.into_iter().map(|(_, sample)| sample).collect())
    }
}

fn is_of(stored: &StoredSealKey, signer: &Signer, key: &SealKey) -> bool {
    stored.signer == *signer && stored.key == *key
}
