//! Content of a request with an idempotency key.

use axum::body::Body;
use bytes::Bytes;
use domain::check::MAX_FILE_BYTES;
use domain::outcome::Endpoint;
use web::{Problem, Upload};

use super::Call;
use crate::{MAX_BODY_BYTES, json};

impl Call {
    /// Method, path and body in canonical form. The body can be read again afterwards.
    pub(super) async fn content(&mut self) -> Option<Vec<u8>> {
        let body = match self.received().await {
            Ok(body) => body,
            Err(problem) => {
                self.fault = Some(problem);
                return None;
            }
        };
        let deadline = self.head.state.request_layer.body_deadline;
        self.upload = Upload::new(&self.headers, Body::from(body.clone()), deadline);
        // The path may have the prefix `/api` or not.
        let (path, query) = (
            self.head.endpoint.name(),
            self.query.as_deref().unwrap_or_default(),
        );
        let method = &self.head.method;
        let mut content = format!("{method}\n{path}?{query}\n").into_bytes();
        match self.head.endpoint {
            Endpoint::Verify => content.extend_from_slice(&body),
            _ => content.extend(json::canonical(&body).unwrap_or_else(|| body.to_vec())),
        }
        Some(content)
    }

    async fn received(&mut self) -> Result<Bytes, Problem> {
        let headers = &self.headers;
        match self.head.endpoint {
            Endpoint::Verify => self.upload.read_file(headers, MAX_FILE_BYTES).await,
            _ => self.upload.read(headers, MAX_BODY_BYTES).await,
        }
    }
}
