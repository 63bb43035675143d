//! `cep-gateway verify …`: checks files with the stored keys of seals, and asks nobody.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use application::ProofCheckService;
use domain::check::{Check, CheckOutcome, CheckReport, MAX_FILE_BYTES};
use domain::key::Environment;
use web::Language;
use web::problem::explanation;

use crate::cli::VerifyOptions;
use crate::{say, say_error, wiring};

/// Status when a file isn't a valid proof.
const INVALID: u8 = 1;
/// Status when no file is invalid and one could not be checked.
const NOT_CHECKED: u8 = 2;

pub(super) async fn run(options: VerifyOptions) -> Result<ExitCode> {
    super::prepare_data_dir(&options.database)?;
    let environment = if options.sandbox {
        Environment::Test
    } else {
        Environment::Live
    };
    let files = &options.files;
    let work =
        async |checks: &ProofCheckService| {
            let statuses = files.iter().map(|file| verify(checks, environment, file));
            // An invalid proof is worse than one of which nothing is known.
            Ok(statuses
                .max_by_key(|status| [0, NOT_CHECKED, INVALID].iter().position(|s| s == status)))
        };
    let status = wiring::with_proof_checks(&options.database, work).await?;
    Ok(ExitCode::from(status.unwrap_or_default()))
}

/// Checks one file, and prints the report; returns the status.
fn verify(checks: &ProofCheckService, environment: Environment, path: &Path) -> u8 {
    let file = match read(path) {
        Ok(file) => file,
        Err(error) => {
            say_error(&error);
            return NOT_CHECKED;
        }
    };
    let report = checks.verify(environment, &file);
    let outcome = report.outcome();
    say(&text(path, outcome, &report));
    match outcome {
        CheckOutcome::Valid => 0,
        CheckOutcome::Invalid => INVALID,
        CheckOutcome::NotChecked => NOT_CHECKED,
    }
}

/// A file, or as much of it as shows that it is too large.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    File::open(path)
        .and_then(|opened| {
            let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
            opened.take(most + 1).read_to_end(&mut file)
        })
        .with_context(|| format!("reading {}", path.display()))?;
    Ok(file)
}

fn text(path: &Path, outcome: CheckOutcome, report: &CheckReport) -> String {
    let heading = format!("{}: {}", path.display(), outcome.name());
    let page = report.page().map(|page| format!("  {:<18}  {}", "pagina", page.name()));
    let checks = report.checks.iter().map(line);
    std::iter::once(heading)
        .chain(page)
        .chain(checks)
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(check: &Check) -> String {
    let name = format!("  {:<18}  {:<11}", check.name.name(), check.result.name());
    let text = check
        .reason
        .map(|_| format!("  {}", explanation(check, Language::English)));
    let fields = check.fields.iter().map(|field| field.name());
    let named: Vec<_> = fields.chain(check.element).collect();
    let named = (!named.is_empty()).then(|| format!(" ({})", named.join(", ")));
    let line = [Some(name), text, named].map(Option::unwrap_or_default);
    line.concat().trim_end().to_owned()
}
