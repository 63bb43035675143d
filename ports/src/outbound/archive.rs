//! Ports: the archive of issued proofs, and the cipher of its entries.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::archive::{ArchiveIndex, ContentKey};

use super::StoreError;

/// An entry of the archive, encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedProof {
    /// Place of the entry.
    pub index: ArchiveIndex,
    /// Encrypted content.
    pub content: Vec<u8>,
}

/// Port: issued proofs that all processes of a database share, encrypted.
#[async_trait]
pub trait ProofArchive: Send + Sync {
    /// The entries at these indexes that were written at `since` or later, in any order.
    async fn archived_proofs(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<ArchivedProof>, StoreError>;

    /// Writes an entry. Replaces the one at its index, and the time at which that was written.
    async fn archive_proof(
        &self,
        proof: &ArchivedProof,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Removes the entries at these indexes, as far as there are some.
    async fn remove_archived(&self, indexes: &[ArchiveIndex]) -> Result<(), StoreError>;

    /// Removes entries that were written before an instant; returns their number.
    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;
}

/// Failure of a cipher. It doesn't say why: content that was changed, and content of another key or
/// context, look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the content was changed, or belongs to another key or context")]
pub struct CipherError;

/// Port: authenticated encryption. Without I/O.
pub trait Cipher: Send + Sync {
    /// Encrypts a text under a nonce of its own. The same key and context are needed to decrypt it.
    ///
    /// # Errors
    /// The cipher can't work: there is no randomness, or the text is too long.
    fn encrypt(
        &self,
        key: &ContentKey,
        context: &[u8],
        plain: &[u8],
    ) -> Result<Vec<u8>, CipherError>;

    /// Decrypts what [`Cipher::encrypt`] returned.
    ///
    /// # Errors
    /// A single bit of text, key or context differs.
    fn decrypt(
        &self,
        key: &ContentKey,
        context: &[u8],
        encrypted: &[u8],
    ) -> Result<Vec<u8>, CipherError>;
}
