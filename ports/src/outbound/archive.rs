//! Ports: the archive of issued proofs, and the cipher of its entries.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::proofs::archive::{ArchiveIndex, ContentKey};

use super::StoreError;

/// An encrypted entry of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedProof {
    /// Index under which the entry is stored, derived from its transfer.
    pub index: ArchiveIndex,
    /// The proof's files, encrypted under a key that is derived from the transfer.
    pub content: Vec<u8>,
}

/// Port: archive of issued proofs, encrypted and shared by all processes of a database.
#[async_trait]
pub trait ProofArchive: Send + Sync {
    /// The entries at these indexes that were written at `since` or later, in any order.
    async fn archived_proofs(
        &self,
        indexes: &[ArchiveIndex],
        since: DateTime<Utc>,
    ) -> Result<Vec<ArchivedProof>, StoreError>;

    /// Writes an entry. An existing entry at its index is replaced, and its time of writing set to `now`.
    async fn archive_proof(
        &self,
        proof: &ArchivedProof,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Removes the entries at these indexes; indexes without an entry are ignored.
    async fn remove_archived(&self, indexes: &[ArchiveIndex]) -> Result<(), StoreError>;

    /// Removes entries that were written before an instant; returns their number.
    async fn prune_archive(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;
}

/// Error of encrypting or decrypting. It holds no reason: changed content can't be told from content of
/// another key or context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the content was changed, or belongs to another key or context")]
pub struct CipherError;

/// Port: authenticated encryption, without I/O.
pub trait Cipher: Send + Sync {
    /// Encrypts a text under a fresh random nonce. The same key and context are needed to decrypt it.
    ///
    /// # Errors
    /// The text is too long, or no random bytes are available.
    fn encrypt(
        &self,
        key: &ContentKey,
        context: &[u8],
        plain: &[u8],
    ) -> Result<Vec<u8>, CipherError>;

    /// Decrypts the result of [`Cipher::encrypt`].
    ///
    /// # Errors
    /// The text, the key or the context isn't the one of the encryption.
    fn decrypt(
        &self,
        key: &ContentKey,
        context: &[u8],
        encrypted: &[u8],
    ) -> Result<Vec<u8>, CipherError>;
}
