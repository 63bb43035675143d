//! The three routes of the sandbox portal.

use std::future::pending;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use bytes::Bytes;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::calendar;
use domain::participants::Catalogue;
use domain::payment::PaymentState;
use domain::proofs::file::Format;
use moka::future::Cache;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::answers::{abort_connection, chunked_page, file, page, server_error, set_cookie};
use crate::cookies::{CookieGenerator, session_cookie, session_of};
use crate::details::Details;
use crate::form::{self, FormError, Inquiry, QueryType};
use crate::order::Order;
use crate::outcome::Outcome;
use crate::pages::{self, Processing};
use crate::proof::SealedProof;
use crate::query_counts::QueryCounts;
use crate::sessions::Sessions;
use crate::{archive, pdf, validator};

/// Returns the current time.
pub type Now = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Settings of a sandbox portal.
#[derive(Clone)]
pub struct SandboxConfig {
    /// Latency of `valida.do` (the real portal's: 0 to 3 s).
    pub latency: Duration,
    /// The clock, for PDFs, cookies and the age of dates.
    pub now: Now,
}

/// Maximum size of a form in bytes; valid ones are smaller.
const MAX_FORM_BYTES: usize = 16 * 1024;
/// Memory limit in bytes of the cache of sealed proofs.
const PROOF_CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// Returns the portal's routes, `/cep/*.do`, and the validator's ([`crate::VALIDATOR_PATH`]). Serve it with [`crate::serve`]: axum's own server can't
/// close a connection without a response and sends an empty 503 instead.
pub fn router(config: SandboxConfig) -> Router {
    Router::new()
        .route("/cep/valida.do", post(validate))
        .route("/cep/descarga.do", get(download))
        .route("/cep/instituciones.do", get(institutions))
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .merge(validator::routes())
        .with_state(Arc::new(Portal::new(config)))
}

struct Portal {
    config: SandboxConfig,
    cookies: CookieGenerator,
    sessions: Sessions,
    queries: QueryCounts,
    proofs: Cache<Order, Arc<SealedProof>>,
    /// Limits concurrent signing to the number of processors, which the server needs too.
    sealers: Semaphore,
}

/// Memory of a proof in bytes: XML, chain and seal, plus less than a kilobyte.
fn weight(proof: &SealedProof) -> u32 {
    let bytes = proof.xml.len() + proof.chain.len() + proof.seal.len() + 1024;
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// `valida.do`: looks up a payment and, if it has a proof, allows the session to download it.
async fn validate(
    State(portal): State<Arc<Portal>>,
    headers: HeaderMap,
    form: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> Response {
    let fields = form.map_or_else(|_| Vec::new(), |Form(fields)| fields);
    let Validation { mut answer, armed } = portal.process(&fields).await;
    if !portal.config.latency.is_zero() {
        let delay = tokio::time::sleep(portal.config.latency);
        tokio::join!(delay, portal.prepare(&armed));
    }
    let known = session_of(&headers).filter(|id| portal.sessions.knows(id));
    let session = known.map_or_else(
        || {
            let id = portal.cookies.session_id();
            set_cookie(&mut answer, &session_cookie(&id));
            id
        },
        ToOwned::to_owned,
    );
    portal.sessions.arm(session, armed).await;
    portal.with_balancer_cookies(answer)
}

#[derive(Deserialize)]
struct Download {
    formato: String,
}

/// The response with named files in a ZIP; `at` is the time in Mexico City.
fn zipped(name: &str, files: &[(String, &[u8])], at: NaiveDateTime) -> Response {
    match archive::zip(files, at) {
        Ok(bytes) => file("application/zip", name, Bytes::from(bytes)),
        Err(_) => server_error(),
    }
}

/// `descarga.do`: the file of the proof that the session may download.
async fn download(
    State(portal): State<Arc<Portal>>,
    headers: HeaderMap,
    query: Result<Query<Download>, QueryRejection>,
) -> Response {
    let format = query.map_or_else(|_| String::new(), |Query(download)| download.formato);
    let armed = match session_of(&headers) {
        Some(id) => portal.sessions.armed(id).await,
        None => Arc::default(),
    };
    let answer = match &*armed {
        [] => server_error(),
        [order] => portal.file(order, &format).await,
        several => portal.files(several, &format),
    };
    portal.with_balancer_cookies(answer)
}

#[derive(Deserialize)]
struct CatalogueDay {
    fecha: String,
}

/// `instituciones.do`: SPEI's participants on a date, sorted by name; today's if the date is invalid.
async fn institutions(
    State(portal): State<Arc<Portal>>,
    query: Result<Query<CatalogueDay>, QueryRejection>,
) -> Json<Value> {
    let date = query
        .ok()
        .and_then(|Query(day)| form::date(&day.fecha))
        .unwrap_or_else(|| calendar::today(portal.now()));
    let mut listed: Vec<_> = Catalogue::embedded()
        .participants()
        .iter()
        .filter(|participant| participant.is_valid_on(date))
        .map(|participant| [participant.code.to_string(), participant.name.clone()])
        .collect();
    listed.sort_by(|[_, one], [_, other]| one.cmp(other));
    Json(json!({
        "instituciones": listed,
        "institucionesMISPEI": listed,
        "overrideCaptcha": false,
    }))
}

/// A response, and the orders that the session may then download.
struct Validation {
    answer: Response,
    armed: Vec<Order>,
}

impl Portal {
    fn new(config: SandboxConfig) -> Self {
        Self {
            cookies: CookieGenerator::new((config.now)()),
            sessions: Sessions::new(),
            queries: QueryCounts::new(),
            proofs: Cache::builder()
                .max_capacity(PROOF_CACHE_BYTES)
                .weigher(|_, proof: &Arc<SealedProof>| weight(proof))
                .build(),
            sealers: Semaphore::new(available_parallelism().map_or(1, NonZeroUsize::get)),
            config,
        }
    }

    fn now(&self) -> DateTime<Utc> {
        (self.config.now)()
    }

    async fn process(&self, fields: &[(String, String)]) -> Validation {
        let Inquiry {
            order,
            is_by_reference,
            query_type,
        } = match Inquiry::parse(fields) {
            Ok(inquiry) => inquiry,
            Err(error) => {
                let html = match error {
                    FormError::CriterionMissing => pages::CRITERION_MISSING,
                    FormError::Invalid => pages::QUERY_FAILED,
                };
                return Validation {
                    answer: page(html),
                    armed: Vec::new(),
                };
            }
        };
        let today = calendar::today(self.now());
        let outcome = Outcome::of((&order, is_by_reference), today, &self.queries);
        let answer = self.answer(outcome, &order, query_type).await;
        let armed = match (outcome, query_type) {
            (Outcome::Found, QueryType::Proof) => vec![order],
            (Outcome::FoundSeveral, QueryType::Proof) => order.with_same_reference(),
            (Outcome::FoundAnother, QueryType::Proof) => Vec::from_iter(order.another()),
            _ => Vec::new(),
        };
        Validation { answer, armed }
    }

    async fn answer(&self, outcome: Outcome, order: &Order, query_type: QueryType) -> Response {
        match outcome {
            Outcome::Found | Outcome::FoundAnother => match query_type {
                QueryType::Proof => page(pages::READY),
                QueryType::State => self.state_page(order, PaymentState::Settled, query_type),
            },
            // Neither page is recorded.
            Outcome::FoundSeveral => match query_type {
                QueryType::Proof => page(pages::READY),
                QueryType::State => page(pages::UNSEEN),
            },
            Outcome::KnownWithoutProof(state) => self.state_page(order, state, query_type),
            Outcome::NotFoundRecent => page(pages::NOT_FOUND_RECENT),
            Outcome::NotFoundHistoric => page(pages::NOT_FOUND_HISTORIC),
            Outcome::TooManyQueries => page(pages::TOO_MANY_QUERIES),
            Outcome::CaptchaWanted => page(pages::CAPTCHA_WANTED),
            Outcome::ServerError => server_error(),
            Outcome::UnseenPage => page(pages::UNSEEN),
            Outcome::HangUp => abort_connection(),
            Outcome::Silence => pending().await,
        }
    }

    /// The page of a payment's state. Its times are never in the future.
    fn state_page(&self, order: &Order, state: PaymentState, query_type: QueryType) -> Response {
        let now = calendar::mexico_city(self.now());
        let processed = Details::of(order).credited_at.min(now);
        let processing = Processing {
            received: processed - TimeDelta::seconds(3),
            processed,
        };
        chunked_page(pages::state(order, state, &processing, query_type))
    }

    /// Seals the proof before its download, during the response delay. Sealing takes about a
    /// millisecond, which matters under load.
    async fn prepare(&self, armed: &[Order]) {
        let [order] = armed else {
            return;
        };
        let issue = async {
            let _sealer = self.sealers.acquire().await.ok()?;
            let order = order.clone();
            let sealing = spawn_blocking(move || Arc::new(SealedProof::issue(order)));
            // If this fails, the proof is sealed when it is downloaded.
            sealing.await.ok()
        };
        self.proofs.optionally_get_with_by_ref(order, issue).await;
    }

    async fn file(&self, order: &Order, format: &str) -> Response {
        let issue = async { Arc::new(SealedProof::issue(order.clone())) };
        let proof = self.proofs.get_with_by_ref(order, issue).await;
        let now = calendar::mexico_city(self.now());
        match format {
            "XML" => {
                let name = proof.stem.with_extension(Format::Xml.extension());
                file(Format::Xml.media_type(), &name, proof.xml.clone())
            }
            "PDF" => {
                let name = proof.stem.with_extension(Format::Pdf.extension());
                file(
                    Format::Pdf.media_type(),
                    &name,
                    pdf::render(&proof, now).into(),
                )
            }
            "ZIP" => {
                let pdf = pdf::render(&proof, now);
                let files = [(Format::Xml, &*proof.xml), (Format::Pdf, &*pdf)]
                    .map(|(format, bytes)| (proof.stem.with_extension(format.extension()), bytes));
                zipped(&proof.stem.with_extension("zip"), &files, now)
            }
            _ => server_error(),
        }
    }

    /// The PDFs of several orders in a ZIP, whatever format but XML is asked for.
    fn files(&self, orders: &[Order], format: &str) -> Response {
        if !matches!(format, "PDF" | "ZIP") {
            return server_error();
        }
        let now = calendar::mexico_city(self.now());
        let pdfs: Vec<_> = orders
            .iter()
            .map(|order| {
                let proof = SealedProof::issue(order.clone());
                let name = proof.stem.with_extension(Format::Pdf.extension());
                (name, pdf::render(&proof, now))
            })
            .collect();
        let files: Vec<_> = pdfs
            .iter()
            .map(|(name, pdf)| (name.clone(), &**pdf))
            .collect();
        zipped("CEP.zip", &files, now)
    }

    /// Adds the cookies that the load balancer sets in every response.
    fn with_balancer_cookies(&self, mut answer: Response) -> Response {
        for cookie in self.cookies.balancer_cookies(self.now()) {
            set_cookie(&mut answer, &cookie);
        }
        answer
    }
}

#[cfg(test)]
mod tests;
