//! Validator of seals whose answers a test gives.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::Lane;
use domain::seals::SealOpinion;
use ports::outbound::{BankError, SealValidator, ValidatedFile};
use tokio::sync::watch;

use super::lock;

/// Gives its answers in order, the last one again and again, and keeps the files that it was sent.
pub struct ScriptedValidator {
    answers: Mutex<Vec<Result<SealOpinion, BankError>>>,
    asked: watch::Sender<Vec<ValidatedFile>>,
    open: watch::Sender<bool>,
}

impl ScriptedValidator {
    /// A validator with these answers, at least one.
    pub fn answering(answers: impl Into<Vec<Result<SealOpinion, BankError>>>) -> Self {
        Self {
            answers: Mutex::new(answers.into()),
            asked: watch::Sender::default(),
            open: watch::Sender::new(true),
        }
    }

    /// Holds answers back, or gives them.
    pub fn hold(&self, held: bool) {
        self.open.send_replace(!held);
    }

    /// The files so far.
    pub fn asked(&self) -> Vec<ValidatedFile> {
        self.asked.borrow().clone()
    }

    /// Waits until it was sent as many files, or more.
    pub async fn was_asked(&self, files: usize) {
        let mut asked = self.asked.subscribe();
        let waiting = asked.wait_for(|it| it.len() >= files).await;
        waiting.expect("the validator has the sender");
    }
}

#[async_trait]
impl SealValidator for ScriptedValidator {
    async fn validate(
        &self,
        file: &ValidatedFile,
        _: Lane,
        _: Duration,
    ) -> Result<SealOpinion, BankError> {
        self.asked.send_modify(|asked| asked.push(file.clone()));
        let mut open = self.open.subscribe();
        let _ = open.wait_for(|is_open| *is_open).await;
        let mut answers = lock(&self.answers);
        match answers.len() {
            0 | 1 => answers.first().cloned().expect("a test gives an answer"),
            _ => answers.remove(0),
        }
    }
}
