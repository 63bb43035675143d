//! Seals of proofs: checked with the keys that count, recorded for the recovery of unknown ones.

mod administration;
mod recording;
mod support;
mod verdicts;

use application::{SealImportError, SealVerdicts as _};
use domain::seals::{NotChecked, SealHash, SealKeyOrigin, UncheckedSeal, Verdict};
use ports::outbound::{Clock as _, MAX_SAMPLES, SealChecks as _, SealSample, SealStore as _};
use testkit::fakes::Fault;

use support::{Fixture, Institution, LIVE, TEST, signer, start};
