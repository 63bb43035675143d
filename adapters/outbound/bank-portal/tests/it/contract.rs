//! The port's contract suite, run against the sandbox, which speaks the portal's protocol.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::proofs::Proof;
use domain::proofs::file::RequestedFiles;
use ports::contract::bank as suite;
use ports::outbound::{Bank, BankAnswer, Lookup};
use sandbox::SandboxConfig;
use tokio::net::TcpListener;

use crate::support::{adapter, assert_protocol_error, config, lookup};

/// Starts a sandbox and an adapter for it.
async fn sandboxed_adapter() -> Arc<dyn Bank> {
    let now: DateTime<Utc> = "2026-11-20T17:00:00Z".parse().unwrap();
    let router = sandbox::router(SandboxConfig {
        latency: Duration::ZERO,
        now: Arc::new(move || now),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/cep", listener.local_addr().unwrap());
    tokio::spawn(sandbox::serve(listener, router, std::future::pending()));
    Arc::new(adapter(config(&url)))
}

ports::bank!(sandboxed_adapter().await);

#[tokio::test]
async fn an_issued_proof_is_that_of_the_transfer() {
    let bank = sandboxed_adapter().await;
    let lookup = lookup("SANDBOX0001", RequestedFiles::Both);
    let BankAnswer::Issued(files) = bank.fetch(&lookup).await.unwrap() else {
        panic!("a proof was expected");
    };
    let proof = Proof::parse(&files.xml.unwrap()).unwrap();
    assert_eq!(proof.answers(&lookup.transfer), Ok(()));
}

#[tokio::test]
async fn a_proof_of_another_transfer_is_left_to_the_caller_and_its_pdf_is_refused() {
    let bank = sandboxed_adapter().await;
    let about = |wanted| Lookup {
        transfer: suite::transfer(50_201, "SANDBOX0001"),
        ..lookup("SANDBOX0001", wanted)
    };
    let question = about(RequestedFiles::Xml);
    let BankAnswer::Issued(files) = bank.fetch(&question).await.unwrap() else {
        panic!("a proof was expected");
    };
    let proof = Proof::parse(&files.xml.unwrap()).unwrap();
    proof.answers(&question.transfer).unwrap_err();
    for wanted in [RequestedFiles::Pdf, RequestedFiles::Both] {
        assert_protocol_error(&bank.fetch(&about(wanted)).await);
    }
}
