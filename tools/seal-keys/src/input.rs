//! Samples: read from JSON lines, or from proofs.

use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::hex;
use domain::participants::ParticipantCode;
use domain::proofs::Proof;
use domain::seals::{CertificateNumber, SealedDigest, Signer, UncheckedSeal};
use ports::outbound::SealSample;
use serde::Deserialize;

/// A line of the input.
#[derive(Deserialize)]
struct Line {
    participant: String,
    certificate: String,
    digest: String,
    seal: String,
}

/// Reads the samples of these files, or of standard input when there is none.
///
/// # Errors
/// The file, the line and the field that can't be read.
pub(crate) fn read(files: &[PathBuf]) -> Result<Vec<SealSample>> {
    let mut samples = Vec::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("{} can't be read", file.display()))?;
        samples.extend(parse(&bytes).with_context(|| file.display().to_string())?);
    }
    if files.is_empty() {
        samples = parse(&standard_input()?).context("standard input")?;
    }
    ensure!(!samples.is_empty(), "the input holds no sample");
    Ok(samples)
}

fn standard_input() -> Result<Vec<u8>> {
    let mut input = io::stdin().lock();
    ensure!(
        !input.is_terminal(),
        "no input: name files, or pipe `cep-gateway seals export-samples` into this program"
    );
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a proof when the first character is `<`, else JSON lines.
fn parse(bytes: &[u8]) -> Result<Vec<SealSample>> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.trim_ascii_start().starts_with(b"<") {
        return Ok(vec![of_proof(text)?]);
    }
    let text = str::from_utf8(text).context("neither a proof nor JSON lines: not UTF-8")?;
    let lines = text.lines().zip(1..);
    lines
        .filter(|(line, _)| !line.trim().is_empty())
        .map(|(line, number)| of_line(line).with_context(|| format!("line {number}")))
        .collect()
}

fn of_proof(xml: &[u8]) -> Result<SealSample> {
    let proof = Proof::parse(xml)?;
    let seal = UncheckedSeal::of(&proof)
        .ok()
        .filter(UncheckedSeal::is_readable)
        .context("sello is not base64 of 256 bytes, or the certificate number not 20 digits")?;
    ensure!(
        seal.is_repeated(),
        "sello is not the seal at the end of cadenaCDA"
    );
    Ok(SealSample {
        signer: seal.signer().clone(),
        digest: seal.digest(),
        seal: seal.bytes().try_into()?,
    })
}

fn of_line(line: &str) -> Result<SealSample> {
    let line: Line = serde_json::from_str(line)?;
    let digest = hex::decode(&line.digest).and_then(|bytes| bytes.try_into().ok());
    let seal = STANDARD.decode(&line.seal).ok();
    Ok(SealSample {
        signer: Signer {
            participant: ParticipantCode::parse(&line.participant)
                .context("participant is not a code of 5 digits")?,
            certificate: CertificateNumber::parse(&line.certificate)
                .context("certificate is not a number of 20 digits")?,
        },
        digest: SealedDigest(digest.context("digest is not 128 hexadecimal digits")?),
        seal: seal
            .and_then(|bytes| bytes.try_into().ok())
            .context("seal is not base64 of 256 bytes")?,
    })
}
