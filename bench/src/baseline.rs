//! The baseline: a bare axum handler that parses the same body and answers as many bytes.

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::Json;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use serde::Deserialize;

/// The size of a sandbox proof.
const ANSWER: &[u8] = &[b'x'; 1_700];

#[derive(Deserialize)]
struct Body {
    fecha: String,
    clave_rastreo: String,
    cuenta: String,
    monto: f64,
    emisor: String,
    receptor: String,
}

pub(crate) async fn serve() -> Result<()> {
    let handler = |Json(body): Json<Body>| async move {
        let texts = [
            body.fecha,
            body.clave_rastreo,
            body.cuenta,
            body.emisor,
            body.receptor,
        ];
        let read = texts.iter().all(|text| !text.is_empty()) && body.monto > 0.0;
        (
            [(CONTENT_TYPE, "application/xml")],
            if read { ANSWER } else { b"" },
        )
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{} ", listener.local_addr()?);
    axum::serve(listener, Router::new().route("/v1/cep/xml", post(handler)))
        .await
        .context("serving the baseline")
}
