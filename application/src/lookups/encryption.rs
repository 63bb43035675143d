//! Encryption of a lookup's data.

use std::sync::Arc;

use domain::keys::HashGeneration;
use domain::lookups::{LookupId, LookupSecrets, Part};
use domain::people::customer::CustomerId;
use domain::proofs::archive::ContentKey;
use ports::Cause;
use ports::outbound::{Cipher, CipherError, LookupFacts, StoredLookup};

use super::content::{Answer, Question};
use super::finding::Finding;

/// Encrypts and decrypts question, answer and finding of lookups. A ciphertext is bound to its lookup,
/// customer and part, and can't be decrypted as another one.
pub struct LookupEncryption {
    cipher: Arc<dyn Cipher>,
    secrets: LookupSecrets,
}

/// The secret of a lookup's generation isn't configured any more.
#[derive(Debug, thiserror::Error)]
#[error("the store secret of generation {0} isn't listed any more: list it in CEP_STORE_SECRET")]
pub(crate) struct UnknownGeneration(pub(crate) u16);

impl LookupEncryption {
    /// Creates the encryption with these secrets.
    pub fn new(cipher: Arc<dyn Cipher>, secrets: LookupSecrets) -> Self {
        Self { cipher, secrets }
    }

    /// Generation of the secret for new lookups.
    pub(crate) fn generation(&self) -> HashGeneration {
        self.secrets.newest()
    }

    pub(crate) fn encrypt_question(
        &self,
        facts: &LookupFacts,
        question: &Question,
    ) -> Result<Vec<u8>, Cause> {
        self.encrypt(facts, Part::Question, &question.encode())
    }

    pub(crate) fn encrypt_answer(
        &self,
        facts: &LookupFacts,
        answer: &Answer,
    ) -> Result<Vec<u8>, Cause> {
        self.encrypt(facts, Part::Proof, &answer.encode())
    }

    pub(super) fn encrypt_finding(
        &self,
        facts: &LookupFacts,
        finding: &Finding,
    ) -> Result<Vec<u8>, Cause> {
        self.encrypt(facts, Part::Finding, &finding.encode())
    }

    pub(crate) fn question(&self, lookup: &StoredLookup) -> Result<Question, Cause> {
        let plain = self.decrypt(&lookup.facts, Part::Question, &lookup.question)?;
        Question::decode(plain.into()).map_err(|error| Arc::new(error) as Cause)
    }

    /// Decrypts the result of a lookup; `None` unless it is delivered.
    pub(crate) fn answer(&self, lookup: &StoredLookup) -> Result<Option<Answer>, Cause> {
        let Some(proof) = &lookup.proof else {
            return Ok(None);
        };
        let plain = self.decrypt(&lookup.facts, Part::Proof, proof)?;
        let answer = Answer::decode(plain.into());
        answer.map(Some).map_err(|error| Arc::new(error) as Cause)
    }

    /// Decrypts the bank's last answer without a proof; `None` if the lookup has none.
    pub(crate) fn finding(&self, lookup: &StoredLookup) -> Result<Option<Finding>, Cause> {
        let Some(finding) = &lookup.finding else {
            return Ok(None);
        };
        let plain = self.decrypt(&lookup.facts, Part::Finding, finding)?;
        let finding = Finding::decode(plain.into());
        finding.map(Some).map_err(|error| Arc::new(error) as Cause)
    }

    fn encrypt(&self, facts: &LookupFacts, part: Part, plain: &[u8]) -> Result<Vec<u8>, Cause> {
        self.with_key(facts, part, |key, context| {
            self.cipher.encrypt(key, context, plain)
        })
    }

    fn decrypt(&self, facts: &LookupFacts, part: Part, content: &[u8]) -> Result<Vec<u8>, Cause> {
        self.with_key(facts, part, |key, context| {
            self.cipher.decrypt(key, context, content)
        })
    }

    fn with_key(
        &self,
        facts: &LookupFacts,
        part: Part,
        run: impl FnOnce(&ContentKey, &[u8]) -> Result<Vec<u8>, CipherError>,
    ) -> Result<Vec<u8>, Cause> {
        let key = self.secrets.key(facts.generation, facts.id, part);
        let key = key.ok_or_else(|| Arc::new(UnknownGeneration(facts.generation.0)) as Cause)?;
        let context = context(facts.id, facts.customer, part);
        run(&key, &context).map_err(|error| Arc::new(error) as Cause)
    }
}

/// Additional authenticated data: the lookup, its owner and the part.
fn context(LookupId(id): LookupId, CustomerId(customer): CustomerId, part: Part) -> Vec<u8> {
    [
        &id.as_bytes()[..],
        customer.as_bytes(),
        part.name().as_bytes(),
    ]
    .concat()
}
