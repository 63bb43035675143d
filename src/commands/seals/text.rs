//! Certificates and samples as lines of text.

use application::{MIN_CONFIRMING_SAMPLES, RecoveryCandidate};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::hex;
use domain::seals::Signer;
use ports::outbound::SealSample;
use serde_json::json;

pub(super) fn waits(candidate: &RecoveryCandidate) -> String {
    let samples = candidate.samples.len();
    let samples = format!("{}  no key, {samples} samples", named(&candidate.signer));
    if candidate.samples.len() < MIN_CONFIRMING_SAMPLES {
        format!("{samples} of the {MIN_CONFIRMING_SAMPLES} that its recovery needs")
    } else {
        format!("{samples}: `cep-gateway seals recover` computes it")
    }
}

pub(super) fn named(signer: &Signer) -> String {
    format!("{:>5}  {}", signer.participant, signer.certificate)
}

/// Samples as `seal-keys` reads them, a line of JSON for each.
pub(super) fn lines<'a>(samples: impl Iterator<Item = &'a SealSample>) -> String {
    let lines = samples.map(|sample| {
        let sample = json!({
            "participant": sample.signer.participant.to_string(),
            "certificate": sample.signer.certificate.as_str(),
            "digest": hex::encode(&sample.digest.0),
            "seal": STANDARD.encode(sample.seal),
        });
        format!("{sample}\n")
    });
    lines.collect()
}
