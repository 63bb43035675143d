//! Secrets, known by their marks.

use async_trait::async_trait;
use domain::key::{HashGeneration, SecretMark};
use ports::outbound::{Recognition, SecretMarks, StoreError};

use super::MemoryStore;

#[async_trait]
impl SecretMarks for MemoryStore {
    async fn recognise(
        &self,
        secrets: &[(HashGeneration, SecretMark)],
    ) -> Result<Recognition, StoreError> {
        let mut books = self.books();
        for (generation, mark) in secrets {
            let known = books.secrets.get(generation);
            if known.is_some_and(|known| known != mark) {
                return Ok(Recognition::Other(*generation));
            }
        }
        books.secrets.extend(secrets.iter().copied());
        Ok(Recognition::Same)
    }
}
