//! Second opinions on seals: questions to the central bank's validator.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::calendar;
use domain::keys::Environment;
use domain::pacing::Lane;
use domain::proofs::check::CheckReport;
use domain::seals::{FileFingerprint, NoOpinion, SealOpinion, SecondOpinion};
use moka::future::Cache;
use ports::outbound::{BankError, Clock, SealValidator, ValidatedFile};

/// Time limit of a question, including the wait for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of verdicts in memory, about 100 bytes each.
const KEPT: u64 = 10_000;
/// Age at which a verdict is forgotten: the validator may have learned of a certificate since.
const KEPT_FOR: Duration = Duration::from_hours(24);

/// The validators of both environments; `None` where files aren't sent anywhere.
#[derive(Clone, Default)]
pub struct ValidatorBySide {
    /// The central bank's.
    pub live: Option<Arc<dyn SealValidator>>,
    /// The sandbox's.
    pub test: Option<Arc<dyn SealValidator>>,
}

/// Asks the validators about seals of unknown certificates. Concurrent questions about one file are one, and
/// verdicts are kept by the file: an edited copy must not decide about the original.
pub struct SecondOpinions {
    validators: ValidatorBySide,
    clock: Arc<dyn Clock>,
    kept: Cache<(Environment, FileFingerprint), SealOpinion>,
}

impl SecondOpinions {
    /// Creates the service.
    pub fn new(validators: ValidatorBySide, clock: Arc<dyn Clock>) -> Self {
        let kept = Cache::builder().max_capacity(KEPT).time_to_live(KEPT_FOR);
        Self {
            validators,
            clock,
            kept: kept.build(),
        }
    }

    /// Adds the second opinion to the reports of an upload, with at most one question: if their seals differ,
    /// about none. `disputable` is the first XML of which [`CheckReport::is_disputable_xml`]. Returns `false` if
    /// another request may have another opinion.
    pub(super) async fn add(
        &self,
        asking: (Environment, Lane),
        reports: &mut [&mut CheckReport],
        disputable: Option<Bytes>,
    ) -> bool {
        let opinion = self.opinion(asking, reports, disputable).await;
        for report in reports {
            report.add_second_opinion(asking.0, opinion);
        }
        !opinion.is_err_and(NoOpinion::is_passing)
    }

    async fn opinion(
        &self,
        (environment, lane): (Environment, Lane),
        reports: &[&mut CheckReport],
        disputable: Option<Bytes>,
    ) -> SecondOpinion {
        let mut seals = reports.iter().filter_map(|it| it.disputable_seal().ok());
        let seal = seals.next().ok_or(NoOpinion::NotNeeded)?;
        let validator = match environment {
            Environment::Live => self.validators.live.as_ref(),
            Environment::Test => self.validators.test.as_ref(),
        };
        let validator = validator.ok_or(NoOpinion::NotConfigured)?;
        if seals.any(|other| (other.text(), other.bytes()) != (seal.text(), seal.bytes())) {
            return Err(NoOpinion::SeveralSeals);
        }
        let xml = disputable.ok_or(NoOpinion::NotXml)?;
        let report = reports.iter().find(|report| report.is_disputable_xml());
        let report = report.ok_or(NoOpinion::NotXml)?;
        report.check_validatable(&xml, calendar::today(self.clock.now()))?;
        let proof = report.proof.as_ref().ok_or(NoOpinion::NotXml)?;
        let question = (environment, FileFingerprint::of(&xml));
        let file = ValidatedFile {
            xml,
            seal: proof.seal.clone(),
        };
        let asked = validator.validate(&file, lane, PATIENCE);
        let answer = self.kept.try_get_with(question, asked).await;
        answer.map_err(|error| reason(&error))
    }
}

/// The reason why a question has no answer.
fn reason(error: &BankError) -> NoOpinion {
    match error {
        BankError::Throttled { .. } => NoOpinion::Busy,
        BankError::Timeout => NoOpinion::Timeout,
        BankError::Unavailable { cause, .. } => {
            tracing::warn!(%cause, "the validator of seals could not be asked");
            NoOpinion::Unavailable
        }
        BankError::Protocol { cause } => {
            tracing::warn!(%cause, "the validator of seals gave an unknown answer");
            NoOpinion::UnknownAnswer
        }
    }
}
