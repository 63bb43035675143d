//! Encryption of a lookup's data.

use std::sync::Arc;

use domain::keys::HashGeneration;
use domain::lookups::{LookupSecrets, Part};
use domain::people::customer::CustomerId;
use ports::Cause;
use ports::outbound::{Cipher, LookupFacts, StoredAccounts, StoredLookup};

use super::content::{Answer, Question};
use super::finding::Finding;
use crate::encryption::Sealing;

/// Encrypts and decrypts question, answer and finding of lookups. A ciphertext is bound to its lookup,
/// customer and part, and can't be decrypted as another one.
pub struct LookupEncryption {
    cipher: Arc<dyn Cipher>,
    secrets: LookupSecrets,
}

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

    /// Encrypts a customer's own accounts as this revision, with the newest secret.
    pub(crate) fn encrypt_own_accounts(
        &self,
        (customer, revision): (CustomerId, u64),
        plain: &[u8],
    ) -> Result<StoredAccounts, Cause> {
        let generation = self.generation();
        let sealing = self.of_own_accounts(generation, customer);
        Ok(StoredAccounts {
            customer,
            revision,
            generation,
            content: sealing.encrypt(&*self.cipher, plain)?,
        })
    }

    /// Decrypts a customer's own accounts.
    pub(crate) fn own_accounts(&self, stored: &StoredAccounts) -> Result<Vec<u8>, Cause> {
        let sealing = self.of_own_accounts(stored.generation, stored.customer);
        sealing.decrypt(&*self.cipher, &stored.content)
    }

    /// A ciphertext is bound to the owner.
    fn of_own_accounts(&self, generation: HashGeneration, customer: CustomerId) -> Sealing {
        Sealing {
            key: self.secrets.own_accounts_key(generation, customer),
            generation,
            context: customer.0.as_bytes().to_vec(),
        }
    }

    fn encrypt(&self, facts: &LookupFacts, part: Part, plain: &[u8]) -> Result<Vec<u8>, Cause> {
        self.sealing(facts, part).encrypt(&*self.cipher, plain)
    }

    fn decrypt(&self, facts: &LookupFacts, part: Part, content: &[u8]) -> Result<Vec<u8>, Cause> {
        self.sealing(facts, part).decrypt(&*self.cipher, content)
    }

    /// A ciphertext is bound to the lookup, its owner and the part.
    fn sealing(&self, facts: &LookupFacts, part: Part) -> Sealing {
        Sealing {
            key: self.secrets.key(facts.generation, facts.id, part),
            generation: facts.generation,
            context: [
                &facts.id.0.as_bytes()[..],
                facts.customer.0.as_bytes(),
                part.name().as_bytes(),
            ]
            .concat(),
        }
    }
}
