//! Cost of reading, sealing and checking proofs.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use application::ProofCheckService;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::seals::{NotChecked, SealKey, UncheckedSeal, Verdict};
use pdf_text::PortalPdf;
use ports::outbound::SealVerifier as _;
use sandbox::seal::SealCertificate;
use seal_rsa::{PublicKeyFile, RsaSealVerifier};
use tempfile::{TempDir, tempdir};
use zip_files::DeflatedZip;

use crate::admission::MachineClock;
use crate::load::{self, Connection, Load, Throughput, lookup, post};
use crate::process::{Program, gateway_command_of, key};
use crate::{Row, millis, row};

const SPAN: Duration = Duration::from_secs(3);
const ROUNDS: usize = 3;
const CONNECTIONS: usize = 64;
/// Proofs in memory that are asked for in turn.
const PROOFS: u64 = 256;
/// Checks of a file, one after another.
const CHECKS: u32 = 2_000;

/// A gateway with proofs in memory.
struct Remembering {
    gateway: Program,
    api_key: String,
    /// Its data, which go with it.
    _folder: TempDir,
}

impl Remembering {
    async fn start(program: Option<&Path>) -> Result<Self> {
        let folder = tempdir()?;
        let gateway = Program::start(gateway_command_of(program, folder.path())?)?;
        let api_key = key(folder.path(), "test")?;
        let started = Self {
            gateway,
            api_key,
            _folder: folder,
        };
        // A key has 64 lookups under way, so the proofs are fetched before all ask for them at once.
        started.file("pdf").await?;
        for number in 1..=PROOFS {
            started.answer(&started.lookup("xml", number)).await?;
        }
        Ok(started)
    }

    fn lookup(&self, endpoint: &str, number: u64) -> Vec<u8> {
        lookup(endpoint, &self.api_key, number)
    }

    /// A lookup of each proof.
    fn lookups(&self, endpoint: &str) -> Vec<Vec<u8>> {
        let lookup = |number| self.lookup(endpoint, number);
        (1..=PROOFS).map(lookup).collect()
    }

    fn upload(&self, media_type: &str, file: &[u8]) -> Vec<u8> {
        let caller = format!("x-api-key: {}", self.api_key);
        post("/v1/cep/verify", &caller, media_type, file)
    }

    async fn file(&self, endpoint: &str) -> Result<Vec<u8>> {
        self.answer(&self.lookup(endpoint, 1)).await
    }

    async fn answer(&self, request: &[u8]) -> Result<Vec<u8>> {
        let mut connection = Connection::open(self.gateway.address).await?;
        let answer = connection.succeed(request).await?;
        Ok(connection.body(&answer).to_vec())
    }

    async fn throughput(&self, requests: &[Vec<u8>]) -> Result<Throughput> {
        let load = Load::new(vec![self.gateway.address], requests.to_vec());
        let measured = load::throughput(&load, CONNECTIONS, SPAN).await?;
        ensure!(measured.failed == 0, "some requests failed");
        Ok(measured)
    }
}

/// (n) The check of a file in process, and (o) endpoints side by side; `other` is the program of another
/// build, whose `xml` is measured beside ours.
pub(crate) async fn checked_and_parsed(other: Option<&Path>) -> Result<Vec<Row>> {
    let ours = Remembering::start(None).await?;
    let xml = ours.file("xml").await?;
    let pdf = ours.file("pdf").await?;
    let mut rows = checks(&xml, &pdf)?;

    let before = match other {
        Some(program) => Some(Remembering::start(Some(program)).await?),
        None => None,
    };
    let mut uploads = Vec::new();
    for lookup in ours.lookups("xml") {
        let file = ours.answer(&lookup).await?;
        uploads.push(ours.upload("application/xml", &file));
    }
    let requests = [
        ("xml", ours.lookups("xml")),
        ("json", ours.lookups("json")),
        ("json of one proof", vec![ours.lookup("json", 1)]),
        ("verify, XMLs", uploads),
        (
            "verify, one XML",
            vec![ours.upload("application/xml", &xml)],
        ),
        (
            "verify, one PDF",
            vec![ours.upload("application/pdf", &pdf)],
        ),
    ];
    let mut measured: Vec<Vec<Throughput>> = requests.iter().map(|_| Vec::new()).collect();
    let mut earlier = Vec::new();
    // Interleaved, so that a slow moment of the machine strikes all.
    for _ in 0..ROUNDS {
        for ((_, request), measured) in requests.iter().zip(&mut measured) {
            measured.push(ours.throughput(request).await?);
            if let (Some(before), true) = (&before, earlier.len() + 1 == measured.len()) {
                earlier.push(before.throughput(&before.lookups("xml")).await?);
            }
        }
    }
    let best = |runs: &[Throughput]| {
        let best = runs.iter().max_by(|a, b| a.rate.total_cmp(&b.rate));
        best.map(|run| (run.rate, run.p99)).context("no run")
    };
    let (of_xml, _) = best(&measured[0])?;
    for ((what, _), runs) in requests.iter().zip(&measured) {
        let (rate, p99) = best(runs)?;
        rows.push(row(
            &format!("(o) {what}, requests/s, in those of `xml`"),
            format!("{rate:.0} ({:.2}), p99 {}", rate / of_xml, millis(p99)),
            "–",
        ));
    }
    if before.is_some() {
        let (rate, p99) = best(&earlier)?;
        rows.push(row(
            "(o) `xml` of the other build, requests/s; ours in its",
            format!("{rate:.0} ({:.2}), p99 {}", of_xml / rate, millis(p99)),
            "1",
        ));
    }
    Ok(rows)
}

/// (n) The check of a file: reading it, comparing its fields, its seal.
fn checks(xml: &[u8], pdf: &[u8]) -> Result<Vec<Row>> {
    let file = PublicKeyFile::parse(SealCertificate::Known.public_key_der());
    let seal_key: SealKey = file.context("the sandbox's key")?.key;
    let verdict = move |_: Environment, proof: &Proof| match UncheckedSeal::of(proof) {
        Ok(seal) => RsaSealVerifier
            .verify(&seal_key, &seal)
            .map_or(Verdict::Invalid, Verdict::Valid),
        Err(_) => Verdict::NotChecked(NotChecked::Unreadable),
    };
    let service = ProofCheckService::new(
        Arc::new(verdict),
        Arc::new(PortalPdf),
        Arc::new(DeflatedZip),
        Arc::new(MachineClock(Instant::now())),
    );
    let mut rows = Vec::new();
    for (what, file, goal) in [
        ("(n) the check of an XML", xml, "≤ 100 µs"),
        ("(n) the check of a PDF", pdf, "≤ 5,000 µs"),
    ] {
        let started = Instant::now();
        for _ in 0..CHECKS {
            let report = service.verify(Environment::Test, black_box(file));
            let is_valid = matches!(report.verdict, Verdict::Valid(_));
            ensure!(is_valid, "the sandbox's proof has no valid seal");
        }
        let micros = started.elapsed().as_secs_f64() * 1e6 / f64::from(CHECKS);
        rows.push(row(what, format!("{micros:.0} µs"), goal));
    }
    Ok(rows)
}
