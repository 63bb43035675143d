//! `cep-gateway seals …`: works on the store directly, also while a server runs on it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use application::SealAdministration;
use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, Signer};
use ports::outbound::StoredSealKey;
use seal_rsa::PublicKeyFile;

use super::data_dir;
use crate::cli::SealsCommand;
use crate::config::DatabaseOptions;
use crate::console::say;
use crate::wiring;

mod recovery;
mod text;

use text::{lines, named, waits};

pub(super) async fn run(options: DatabaseOptions, command: SealsCommand) -> Result<()> {
    data_dir::prepare(&options)?;
    let work = async |seals: &SealAdministration| match command {
        SealsCommand::List => list(seals).await,
        SealsCommand::Import {
            file,
            participant,
            certificate,
        } => import(seals, &file, participant, certificate).await,
        SealsCommand::ExportSamples { output } => export(seals, output.as_deref()).await,
        SealsCommand::Recover { program } => recovery::recover(seals, program).await,
    };
    wiring::with_seals(&options, work).await
}

async fn list(seals: &SealAdministration) -> Result<()> {
    let keys = seals.keys().await?;
    let waiting = seals.recovery_candidates().await?;
    let lines = keys.iter().map(of_key).chain(waiting.iter().map(waits));
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        say("There are no keys of seals, and no samples.");
    } else {
        say(&lines.join("\n"));
    }
    Ok(())
}

fn of_key(stored: &StoredSealKey) -> String {
    let used = match (stored.first_used_at, stored.last_used_at) {
        (Some(first), Some(last)) => {
            format!("used {} to {}", first.date_naive(), last.date_naive())
        }
        _ => "never used".to_owned(),
    };
    format!(
        "{}  {} {}  {used}  {}",
        named(&stored.signer),
        stored.origin.name(),
        stored.added_at.date_naive(),
        stored.key.fingerprint()
    )
}

async fn import(
    seals: &SealAdministration,
    file: &Path,
    participant: Option<ParticipantCode>,
    certificate: Option<CertificateNumber>,
) -> Result<()> {
    let path = file.display();
    let bytes = std::fs::read(file).with_context(|| format!("reading {path}"))?;
    let read = PublicKeyFile::parse(&bytes).with_context(|| format!("reading {path}"))?;
    let certificate = match (certificate, read.certificate) {
        (Some(given), Some(own)) if given != own => bail!(
            "--certificate is {given}, and {path} is the certificate {own}: leave the option out, or \
             give the file of that certificate"
        ),
        (Some(number), _) | (None, Some(number)) => number,
        (None, None) => bail!(
            "{path} tells no certificate number of 20 digits: give it with --certificate, as proofs \
             have it (numeroCertificado), and the institution's code with --participant"
        ),
    };
    let Some(participant) = participant else {
        bail!("{path} tells no participant of SPEI: give its code with --participant");
    };
    let signer = Signer {
        participant,
        certificate,
    };
    let confirming = seals.import(&signer, &read.key).await;
    let confirming = confirming.with_context(|| format!("the key in {path} isn't stored"))?;
    let confirmed = match confirming {
        0 => "this gateway has no seal of it yet, so nothing confirms it".to_owned(),
        one_or_more => format!("{one_or_more} seals that this gateway has confirm it"),
    };
    say(&format!(
        "The key of certificate {} of {participant} is stored; {confirmed}. Running gateways use it \
         within seconds. SHA-256 of its modulus: {}",
        signer.certificate,
        read.key.fingerprint()
    ));
    Ok(())
}

async fn export(seals: &SealAdministration, output: Option<&Path>) -> Result<()> {
    let samples = seals.samples().await?;
    let lines = lines(samples.iter());
    match output {
        Some(file) => {
            let written = std::fs::write(file, lines);
            written.with_context(|| format!("writing {} (--output)", file.display()))
        }
        None if lines.is_empty() => Ok(()),
        None => {
            say(lines.trim_end());
            Ok(())
        }
    }
}
