//! `cep-gateway seals recover`: has the program `seal-keys` compute keys, and believes nothing of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use application::{MIN_CONFIRMING_SAMPLES, RecoveryCandidate, SealAdministration};
use domain::hex;
use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, SealKey, Signer};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use super::text::{lines, named, waits};
use crate::console::{say, say_error};

/// Name of the program.
const PROGRAM: &str = "seal-keys";
/// Far more than the program says of a thousand keys.
const MAX_OUTPUT: u64 = 4 * 1024 * 1024;

pub(super) async fn recover(seals: &SealAdministration, program: Option<PathBuf>) -> Result<()> {
    let candidates = seals.recovery_candidates().await?;
    let is_ready =
        |candidate: &RecoveryCandidate| candidate.samples.len() >= MIN_CONFIRMING_SAMPLES;
    let (ready, waiting): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_ready);
    for candidate in &waiting {
        say(&waits(candidate));
    }
    if ready.is_empty() {
        say(&format!(
            "No certificate without a key has {MIN_CONFIRMING_SAMPLES} samples. Live proofs add them: \
             up to four of each certificate whose key isn't known."
        ));
        return Ok(());
    }
    let program = program.map_or_else(beside_this_program, Ok)?;
    let samples = ready.iter().flat_map(|candidate| &candidate.samples);
    let answer = run(&program, lines(samples)).await?;
    let mut refused = 0;
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        let added = add(seals, &ready, line).await;
        match added
            .with_context(|| format!("{} answered a key that isn't stored", program.display()))
        {
            Ok(signer) => say(&format!(
                "{}  recovered, and confirmed by its samples",
                named(&signer)
            )),
            Err(error) => {
                refused += 1;
                say_error(&error);
            }
        }
    }
    let left = seals.recovery_candidates().await?;
    let left = left.iter().filter(|candidate| is_ready(candidate)).count();
    if refused > 0 || left > 0 {
        bail!(
            "{left} certificates with enough samples are without a key still, and {refused} answers \
             of {} were refused; it says above why",
            program.display()
        );
    }
    Ok(())
}

fn beside_this_program() -> Result<PathBuf> {
    let this = std::env::current_exe().context("looking for this program's folder")?;
    let program = this.with_file_name(PROGRAM);
    if !program.is_file() {
        bail!(
            "there is no program {}: build it (`cargo build --release -p {PROGRAM}`), and copy it there \
             or name it with --program",
            program.display()
        );
    }
    Ok(program)
}

/// Runs the program with the samples on its standard input, without this program's environment, which
/// has secrets. Returns its standard output; its standard error is shown.
async fn run(program: &Path, samples: String) -> Result<String> {
    let path = program.display();
    let mut child = Command::new(program)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("starting {path} (--program)"))?;
    let mut input = child.stdin.take().context("the program's standard input")?;
    let output = child
        .stdout
        .take()
        .context("the program's standard output")?;
    let write = async move {
        // A program that reads none of it says on its own why.
        let _ = input.write_all(samples.as_bytes()).await;
    };
    let mut answer = String::new();
    let mut output = output.take(MAX_OUTPUT);
    let (read, ()) = tokio::join!(output.read_to_string(&mut answer), write);
    read.with_context(|| format!("reading what {path} answers"))?;
    // It waits in vain for somebody to read more than that.
    drop(output);
    let status = child.wait().await;
    let status = status.with_context(|| format!("waiting for {path}"))?;
    if !status.success() {
        bail!("{path} failed ({status}); it says above why");
    }
    Ok(answer)
}

/// Stores a key that the program answered, once the samples of its certificate confirm it.
async fn add(
    seals: &SealAdministration,
    candidates: &[RecoveryCandidate],
    line: &str,
) -> Result<Signer> {
    let (signer, key) = parse(line)?;
    if candidates
        .iter()
        .all(|candidate| candidate.signer != signer)
    {
        bail!("{}: it wasn't asked for this certificate", named(&signer));
    }
    let added = seals.add_recovered(&signer, &key).await;
    added.with_context(|| named(&signer))?;
    Ok(signer)
}

fn parse(line: &str) -> Result<(Signer, SealKey)> {
    let answer: Value = serde_json::from_str(line).context("it is no JSON")?;
    let text = |name: &str| answer[name].as_str().unwrap_or_default();
    let participant = ParticipantCode::parse(text("participant"));
    let certificate = CertificateNumber::parse(text("certificate"));
    let numbers = hex::decode(text("modulus")).zip(hex::decode(text("exponent")));
    let (Some(participant), Some(certificate), Some((modulus, exponent))) =
        (participant, certificate, numbers)
    else {
        bail!("it lacks participant, certificate, modulus or exponent");
    };
    let signer = Signer {
        participant,
        certificate,
    };
    Ok((signer, SealKey::new(&modulus, &exponent)?))
}
