//! `cep-gateway verify …`: checks files with the stored keys of seals, and asks nobody.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use application::{ProofCheckService, ZippedReport};
use bytes::Bytes;
use domain::check::{Check, CheckOutcome, CheckReason, CheckReport, MAX_FILE_BYTES};
use domain::key::Environment;
use domain::seal::{NotChecked, Verdict};
use web::Language;
use web::problem::{NoticeMessage, explanation};

use crate::cli::VerifyOptions;
use crate::{say, say_error, wiring};

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

/// The report of a file, and the key that its seal was checked with.
struct Checked {
    report: CheckReport,
    is_of_sandbox: bool,
}

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
    super::prepare_data_dir(&options.database)?;
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
    let reports = if options.sandbox {
        let reports = reports(checks, Environment::Test, &file).into_iter();
        reports.map(|zipped| (zipped, true)).collect()
    } else {
        live_reports(checks, &file)
    };
    let shown = path.display().to_string();
    let (mut worst, mut proofs) = (Status::Valid, 0);
    for (zipped, is_of_sandbox) in reports {
        let ZippedReport { name, report } = zipped;
        let name = if name.is_empty() {
            shown.clone()
        } else {
            format!("{shown}/{name}")
        };
        if report.proof.is_none() && name != shown {
            say(&passed_over(&name, &report));
            continue;
        }
        let checked = Checked {
            report,
            is_of_sandbox,
        };
        let status = status(&checked, options);
        say(&text(&name, status, &checked));
        worst = worst.max(status);
        proofs += 1;
    }
    if proofs == 0 {
        let empty = Checked {
            report: CheckReport::of_other(CheckReason::ZipWithoutProofs),
            is_of_sandbox: false,
        };
        say(&text(&shown, Status::Invalid, &empty));
        return Status::Invalid;
    }
    worst
}

/// The reports with the stored keys. Where none of them is a proof's, the sandbox's is tried: nobody should take
/// a proof of it for one that can't be checked.
fn live_reports(checks: &ProofCheckService, file: &Bytes) -> Vec<(ZippedReport, bool)> {
    const UNKNOWN: Verdict = Verdict::NotChecked(NotChecked::UnknownCertificate);
    let live = reports(checks, Environment::Live, file);
    if live.iter().all(|zipped| zipped.report.verdict != UNKNOWN) {
        return live.into_iter().map(|zipped| (zipped, false)).collect();
    }
    let test = reports(checks, Environment::Test, file);
    let chosen = live.into_iter().zip(test).map(|(live, test)| {
        let is_of_sandbox =
            live.report.verdict == UNKNOWN && test.report.verdict != live.report.verdict;
        (if is_of_sandbox { test } else { live }, is_of_sandbox)
    });
    chosen.collect()
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

fn status(checked: &Checked, options: &VerifyOptions) -> Status {
    match checked.report.outcome() {
        CheckOutcome::Invalid => Status::Invalid,
        _ if checked.is_of_sandbox && !options.sandbox => Status::Sandbox,
        CheckOutcome::Valid => Status::Valid,
        CheckOutcome::NotChecked => Status::NotChecked,
    }
}

/// A file, or as much of it as shows that it is too large.
fn read(path: &Path) -> Result<Bytes> {
    let mut file = Vec::new();
    File::open(path)
        .and_then(|opened| {
            let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
            opened.take(most + 1).read_to_end(&mut file)
        })
        .with_context(|| format!("reading {}", path.display()))?;
    Ok(file.into())
}

fn text(name: &str, status: Status, checked: &Checked) -> String {
    let report = &checked.report;
    let word = match status {
        Status::Sandbox => "sandbox",
        _ => report.outcome().name(),
    };
    let sandbox = checked.is_of_sandbox.then(|| {
        "  The seal is the sandbox bank's, whose key is published: anybody can make such a proof, and it proves \
         nothing."
            .to_owned()
    });
    let notices = report.proof.iter().flat_map(|_| report.notices());
    let notices = notices.map(|notice| {
        let message = NoticeMessage::from(notice.code).message(LANGUAGE);
        format!("  {message}")
    });
    let page = report
        .page()
        .map(|page| format!("  {:<18}  {}", "pagina", page.name()));
    let checks = report.checks.iter().map(line);
    std::iter::once(format!("{name}: {word}"))
        .chain(sandbox)
        .chain(notices)
        .chain(page)
        .chain(checks)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The line of a file of a ZIP that is no proof.
fn passed_over(name: &str, report: &CheckReport) -> String {
    let reasons = report.checks.iter().map(|check| explanation(check, LANGUAGE));
    format!("{name}: no proof. {}", reasons.collect::<Vec<_>>().join(" "))
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
