//! `seal-keys`: recovers the public key of a certificate from the seals of two proofs, and confirms it
//! with a third.
//!
//! Steps: `input` reads [`SealSample`]s from JSON lines or proofs, `recovery` chooses pairs of one
//! signer's seals and checks the result with the others, `modulus` holds the arithmetic, `padding`
//! the text that an RSA signature encodes. One JSON line per key goes to standard output, everything
//! else to standard error.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "keys for a pipe, progress for a person"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use domain::hex;
use domain::seals::Signer;
use ports::outbound::SealSample;
use serde::Serialize;

use modulus::SEALS;
use padding::signature;
use recovery::{Recovered, recover};

mod input;
mod modulus;
mod padding;
mod recovery;
#[cfg(test)]
mod small_keys;

const HELP: &str = "\
Input: JSON lines as `cep-gateway seals export-samples` writes them, with the fields participant, \
certificate (20 digits), digest (128 hexadecimal digits, SHA-512 of the sealed text) and seal (base64 \
of 256 bytes); or proofs (XML). Two seals of a certificate give its key, a third confirms it.

Exit status: 0 when every certificate's key was recovered, 1 when one was not, 2 when the input can't \
be read. A key takes about a minute, 300 MB and one core.";

/// Recovers the public keys of institutions from the seals of their proofs.
#[derive(Parser)]
#[command(version, after_help = HELP, max_term_width = 100)]
struct Arguments {
    /// Files with samples or proofs; standard input when there is none.
    files: Vec<PathBuf>,
}

/// A recovered key as a line of the output.
#[derive(Serialize)]
struct Line {
    participant: String,
    certificate: String,
    /// Big-endian, 512 hexadecimal digits.
    modulus: String,
    /// Big-endian, in hexadecimal digits.
    exponent: &'static str,
    /// A third seal verifies with the key.
    confirmed: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(Completeness::AllKeys) => ExitCode::SUCCESS,
        Ok(Completeness::KeysMissing) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Result of a run whose input could be read.
enum Completeness {
    AllKeys,
    KeysMissing,
}

fn run(arguments: &Arguments) -> Result<Completeness> {
    let samples = input::read(&arguments.files)?;
    let mut completeness = Completeness::AllKeys;
    for (signer, samples) in by_signer(samples) {
        let Signer {
            participant,
            certificate,
        } = &signer;
        let name = format!("participant {participant}, certificate {certificate}");
        eprintln!("{name}: {} different seals", samples.len());
        let signatures: Vec<_> = samples.iter().map(signature).collect();
        let progress = |step: String| eprintln!("{name}: {step}");
        match recover(&SEALS, &signatures, progress) {
            Ok(recovered) => {
                eprintln!("{name}: {}", summary(&recovered, samples.len()));
                println!("{}", line(&signer, &recovered)?);
            }
            Err(reason) => {
                eprintln!("{name}: {reason}");
                completeness = Completeness::KeysMissing;
            }
        }
    }
    Ok(completeness)
}

/// The different samples of each signer, in the order of the input.
fn by_signer(samples: Vec<SealSample>) -> BTreeMap<Signer, Vec<SealSample>> {
    let mut signers = BTreeMap::<Signer, Vec<SealSample>>::new();
    for sample in samples {
        let known = signers.entry(sample.signer.clone()).or_default();
        if !known.contains(&sample) {
            known.push(sample);
        }
    }
    signers
}

fn summary(recovered: &Recovered, samples: usize) -> String {
    let verified = recovered.verified;
    match (recovered.is_confirmed(), samples - verified) {
        (true, 0) => format!("key recovered, and confirmed by all {verified} seals"),
        (true, others) => format!(
            "key recovered, and confirmed by {verified} seals; {others} are not this key's: another \
             hash than SHA-512, another text, or another key"
        ),
        (false, 0) => "key recovered, but NOT confirmed: that takes a third proof".to_owned(),
        (false, others) => format!(
            "key recovered, but NOT confirmed: {others} further seals are not this key's. Don't \
             trust it without a proof that confirms it"
        ),
    }
}

fn line(signer: &Signer, recovered: &Recovered) -> Result<String> {
    let line = Line {
        participant: signer.participant.to_string(),
        certificate: signer.certificate.to_string(),
        modulus: hex::encode(&modulus::to_bytes(&recovered.modulus)),
        exponent: "010001",
        confirmed: recovered.is_confirmed(),
    };
    Ok(serde_json::to_string(&line)?)
}

#[cfg(test)]
mod tests;
