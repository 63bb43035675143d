//! The central bank's validator of seals: one file a request, and its page of results.

use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::Lane;
use domain::seals::{FileFingerprint, SealOpinion};
use ports::outbound::{BankError, SealValidator, ValidatedFile};
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;

use super::Portal;
use crate::cookies::CookieJar;
use crate::http;
use crate::page::{classify, validation};

/// Maximum size of the page of results, which repeats parts of the file twice.
const MAX_RESULTS_BYTES: usize = 512 * 1024;

/// Client of the validator. It is a [`Portal`] with an address, a budget and a connection pool of its own.
pub struct Validator(Portal);

impl Validator {
    /// Creates the client from a portal whose base URL is the address that files are posted to.
    pub fn new(portal: Portal) -> Self {
        Self(portal)
    }

    async fn ask(
        &self,
        file: &ValidatedFile,
        lane: Lane,
        patience: Duration,
    ) -> Result<SealOpinion, BankError> {
        let Self(portal) = self;
        let slot = portal.acquire_slot(lane, patience).await?;
        let Form {
            name,
            content_type,
            body,
        } = Form::of(file);
        let request = portal.endpoints.client.post(portal.endpoints.base.clone());
        let request = request.header(CONTENT_TYPE, content_type).body(body);
        let trace_parent = portal.endpoints.trace_parent.as_ref();
        let mut jar = CookieJar::default();
        let response = http::exchange(request, &mut jar, MAX_RESULTS_BYTES, trace_parent).await?;
        let is_page = response.status == StatusCode::OK;
        let opinion = is_page.then(|| validation::opinion(&response.body, &name, &file.seal));
        let Some(opinion) = opinion.flatten() else {
            let page = classify(response.status, &response.body);
            return Err(portal.failure(page, &response, slot).await);
        };
        portal.record_success(slot).await;
        Ok(opinion)
    }
}

#[async_trait]
impl SealValidator for Validator {
    async fn validate(
        &self,
        file: &ValidatedFile,
        lane: Lane,
        patience: Duration,
    ) -> Result<SealOpinion, BankError> {
        let asking = self.ask(file, lane, patience);
        let answer = tokio::time::timeout(patience, asking).await;
        answer.unwrap_or(Err(BankError::Timeout))
    }
}

/// A form (`multipart/form-data`) with one file.
struct Form {
    /// Name of the file, by which its row in the page of results is found.
    name: String,
    content_type: String,
    body: Vec<u8>,
}

impl Form {
    /// The name and the boundary are made of the file's fingerprint, so the file can contain neither.
    fn of(file: &ValidatedFile) -> Self {
        let fingerprint = FileFingerprint::of(&file.xml).to_hex();
        let name = format!("cep-{}.xml", &fingerprint[..32]);
        let boundary = &fingerprint[32..];
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file[0]\"; filename=\"{name}\"\r\n\
             Content-Type: text/xml\r\n\r\n"
        );
        let end = format!("\r\n--{boundary}--\r\n");
        Self {
            content_type: format!("multipart/form-data; boundary={boundary}"),
            body: [head.as_bytes(), &file.xml, end.as_bytes()].concat(),
            name,
        }
    }
}
