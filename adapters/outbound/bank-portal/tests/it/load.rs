//! Many concurrent lookups.

use std::sync::Arc;
use std::time::Duration;

use axum::http::header;
use axum::response::IntoResponse as _;
use domain::proofs::file::RequestedFiles;
use ports::outbound::{Bank as _, BankAnswer};
use tokio::task::JoinSet;

use crate::support::{PDF, READY, TestPortal, XML, lookup};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_lookups_wait_for_a_slow_portal_together() {
    let portal = TestPortal::start(|request| async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        match request.target.as_str() {
            "/cep/valida.do" => ([(header::SET_COOKIE, "JSESSIONID=a")], READY).into_response(),
            "/cep/descarga.do?formato=XML" => XML.into_response(),
            _ => PDF.into_response(),
        }
    })
    .await;
    let adapter = Arc::new(portal.adapter());
    let mut lookups = JoinSet::new();
    for number in 0..2000 {
        let adapter = Arc::clone(&adapter);
        lookups.spawn(async move {
            let lookup = lookup(&format!("LOAD{number}"), RequestedFiles::Both);
            adapter.fetch(&lookup).await
        });
    }
    while let Some(answer) = lookups.join_next().await {
        let answer = answer.unwrap();
        assert!(matches!(answer, Ok(BankAnswer::Issued(_))), "{answer:?}");
    }
}
