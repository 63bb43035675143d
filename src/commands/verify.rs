//! `cep-gateway verify …`: checks files with the stored keys of seals, and asks nobody.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use application::{ProofCheckService, ZippedReport};
use bytes::Bytes;
use domain::keys::Environment;
use domain::proofs::check::{
    Check, CheckOutcome, CheckReason, CheckReport, FileKind, MAX_FILE_BYTES,
};
use domain::proofs::file::EntryName;
use domain::seals::Verdict;
use web::Language;
use web::problem::{explanation, notice_message};

use super::data_dir;
use crate::cli::VerifyOptions;
use crate::console::{say, say_error};
use crate::wiring;

/// Result of a file, the gravest last. Its status is the program's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Valid,
    NotChecked,
    /// A proof of the sandbox bank, which proves nothing.
    Sandbox,
    /// No file that could be read.
    Unreadable,
    Invalid,
}

impl Status {
    /// The result in a word.
    fn word(self) -> &'static str {
        match self {
            Self::Valid => CheckOutcome::Valid.name(),
            Self::NotChecked => CheckOutcome::NotChecked.name(),
            Self::Sandbox => "sandbox",
            Self::Unreadable => "unreadable",
            Self::Invalid => CheckOutcome::Invalid.name(),
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::Invalid => 1,
            Self::NotChecked => 2,
            Self::Sandbox => 3,
            Self::Unreadable => EX_NOINPUT,
        }
    }
}

/// An input that can't be read (sysexits.h).
const EX_NOINPUT: u8 = 66;
/// Status when nothing could be checked, because the database can't be used (sysexits.h): that no file is
/// invalid must not be told from an error.
const EX_UNAVAILABLE: u8 = 69;

/// Language of the report.
const LANGUAGE: Language = Language::English;

pub(super) async fn run(options: VerifyOptions) -> ExitCode {
    match check_all(&options).await {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) => {
            say_error(&error);
            ExitCode::from(EX_UNAVAILABLE)
        }
    }
}

async fn check_all(options: &VerifyOptions) -> Result<Status> {
    data_dir::prepare(&options.database)?;
    let work = async |checks: &ProofCheckService| {
        let files = options.files.iter();
        let statuses = files.map(|file| verify(checks, options, file));
        Ok(statuses.max().unwrap_or(Status::Valid))
    };
    wiring::with_proof_checks(&options.database, work).await
}

/// Checks one file, and prints the report.
fn verify(checks: &ProofCheckService, options: &VerifyOptions, path: &Path) -> Status {
    let file = match read(path) {
        Ok(file) => file,
        Err(error) => {
            say_error(&error);
            return Status::Unreadable;
        }
    };
    let environment = if options.sandbox {
        Environment::Test
    } else {
        Environment::Live
    };
    let shown = shown(path).to_string();
    let is_named_so = shown.to_ascii_lowercase().ends_with(".zip");
    if !is_named_so && FileKind::of(&file) == FileKind::Zip {
        say(&format!(
            "{shown}: a ZIP, whatever its name says. What a program shows that opens it as anything else isn't checked."
        ));
    }
    let mut worst = None;
    for ZippedReport { name, report, .. } in reports(checks, environment, &file) {
        let name = if name.is_empty() {
            shown.clone()
        } else {
            format!("{shown}/{name}")
        };
        if report.outcome_in_total().is_none() && name != shown {
            say(&passed_over(&name, &report));
            continue;
        }
        let status = status(&report, environment);
        say(&text(&name, status, &report));
        worst = worst.max(Some(status));
    }
    worst.unwrap_or_else(|| {
        let empty = CheckReport::of_other(CheckReason::ZipWithoutProofs);
        say(&text(&shown, Status::Invalid, &empty));
        Status::Invalid
    })
}

/// The report of a file, without a name, or those of the files of a ZIP.
fn reports(
    checks: &ProofCheckService,
    environment: Environment,
    file: &Bytes,
) -> Vec<ZippedReport> {
    let of_file = |report| {
        vec![ZippedReport {
            name: String::new(),
            report,
            disputable: None,
        }]
    };
    match checks.open(file) {
        None => of_file(checks.verify(environment, file)),
        Some(Err(reason)) => of_file(CheckReport::of_other(reason)),
        Some(Ok(mut files)) => {
            std::iter::from_fn(|| checks.verify_next(environment, &mut *files)).collect()
        }
    }
}

fn status(report: &CheckReport, environment: Environment) -> Status {
    match (report.outcome(), report.by_sandbox, environment) {
        (CheckOutcome::Invalid, ..) | (_, Some(Verdict::Invalid), _) => Status::Invalid,
        (_, Some(_), Environment::Live) => Status::Sandbox,
        (CheckOutcome::Valid, ..) => Status::Valid,
        (CheckOutcome::NotChecked, ..) => Status::NotChecked,
    }
}

/// The name of a file, without characters that move the cursor of a terminal.
fn shown(path: &Path) -> EntryName {
    EntryName::of_path(&path.to_string_lossy())
}

/// A file, or as much of it as shows that it is too large.
fn read(path: &Path) -> Result<Bytes> {
    let mut file = Vec::new();
    File::open(path)
        .and_then(|opened| {
            let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
            opened.take(most + 1).read_to_end(&mut file)
        })
        .with_context(|| format!("reading {}", shown(path)))?;
    Ok(file.into())
}

fn text(name: &str, status: Status, report: &CheckReport) -> String {
    let notices = report.proof.iter().flat_map(|_| report.notices());
    let notices = notices.map(|notice| {
        let message = notice_message(notice.code, LANGUAGE);
        format!("  {message}")
    });
    let page = report
        .page()
        .map(|page| format!("  {:<18}  {}", "pagina", page.name()));
    let checks = report.checks.iter().map(line);
    std::iter::once(format!("{name}: {}", status.word()))
        .chain(notices)
        .chain(page)
        .chain(checks)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The line of a file of a ZIP that is no proof.
fn passed_over(name: &str, report: &CheckReport) -> String {
    let reasons = report
        .checks
        .iter()
        .map(|check| explanation(check, LANGUAGE));
    format!(
        "{name}: no proof. {}",
        reasons.collect::<Vec<_>>().join(" ")
    )
}

fn line(check: &Check) -> String {
    let name = format!("  {:<18}  {:<11}", check.name.name(), check.result.name());
    let text = check
        .reason
        .map(|_| format!("  {}", explanation(check, LANGUAGE)));
    let fields = check.fields.iter().map(|field| field.name());
    let named: Vec<_> = fields.chain(check.element).collect();
    let named = (!named.is_empty()).then(|| format!(" ({})", named.join(", ")));
    let line = [Some(name), text, named].map(Option::unwrap_or_default);
    line.concat().trim_end().to_owned()
}
