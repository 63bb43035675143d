//! Recorded requests and their banks.

use application::RequestedScope;
use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::page::{Page, PageRequest};
use domain::request::{self, RequestId, RequestRecord};
use domain::usage::RequestCriteria;
use web::problem::GraphqlProblem;
use web::views::participants::{Participant, Participants};
use web::views::requests::{Endpoint, Outcome};
use web::views::scalars::{DateTime, Id, int};
use web::views::seals::SealVerdict;

use super::arguments::{key_id, span};
use super::connection::{PageInfo, connection, page_request};
use super::context::{ports, requester};
use crate::field_error::FieldError;

/// Filter of requests; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct RequestFilter {
    /// Of this key.
    key_id: Option<ID>,
    /// Of this endpoint.
    endpoint: Option<Endpoint>,
    /// With this outcome. Requests that a limit refused (`RATE_LIMITED`, `QUOTA_EXCEEDED`) are
    /// counted in `usage` and never listed.
    outcome: Option<Outcome>,
    /// With this request id.
    request_id: Option<String>,
    /// At or after this instant.
    from: Option<DateTime>,
    /// Before this instant.
    to: Option<DateTime>,
}

/// Converts the arguments of a list of requests.
fn request_query(
    page: PageRequest,
    filter: Option<RequestFilter>,
) -> Result<request::RequestQuery, FieldError> {
    let filter = filter.unwrap_or_default();
    let request_id = filter.request_id.as_deref().map(|text| {
        RequestId::parse(text).ok_or(GraphqlProblem::ArgumentRequestId {
            argument: "filter.requestId",
        })
    });
    let (from, to) = span("filter.from", filter.from, filter.to)?;
    Ok(request::RequestQuery {
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        criteria: RequestCriteria {
            endpoint: filter.endpoint.map(Endpoint::into),
            outcome: filter.outcome.map(Outcome::into),
        },
        request_id: request_id.transpose()?,
        from,
        to,
        page,
    })
}

/// One request for a proof, as it is kept. It holds no account, name or amount.
#[derive(SimpleObject)]
#[expect(clippy::struct_field_names, reason = "the names are the API's")]
pub(crate) struct Request {
    /// The gateway's own identity of it.
    id: Id,
    /// The id that the answer carried in `X-Request-Id`; a caller may have chosen it.
    request_id: String,
    /// The key that it was made with.
    key_id: Id,
    /// Time of its admission.
    at: DateTime,
    /// Its endpoint.
    endpoint: Endpoint,
    /// Its outcome.
    outcome: Outcome,
    /// Milliseconds from its admission to its answer.
    duration_ms: u32,
    /// Milliseconds spent with the bank; null when the bank wasn't asked.
    bank_ms: Option<u32>,
    /// The bank that sent the transfer; null when it wasn't known.
    issuer: Option<Participant>,
    /// The bank that received the transfer; null when it wasn't known.
    receiver: Option<Participant>,
    /// The verdict on the seal of the proof that was delivered; null when none was, and of requests
    /// before verdicts were recorded. Of a request of `VERIFY` the result of all checks: `INVALID` is a file that
    /// isn't to be trusted, whatever its seal.
    seal: Option<SealVerdict>,
}

impl Request {
    fn new(record: &RequestRecord, participants: &Participants) -> Self {
        let participant = |code| participants.find(code);
        Self {
            id: record.id.into(),
            request_id: record.request_id.to_string(),
            key_id: record.key.into(),
            at: DateTime(record.at),
            endpoint: record.endpoint.into(),
            outcome: record.outcome.into(),
            duration_ms: int(record.duration.as_millis()),
            bank_ms: record.bank_time.map(|span| int(span.as_millis())),
            issuer: record.banks.map(|banks| participant(banks.issuer)),
            receiver: record.banks.map(|banks| participant(banks.receiver)),
            seal: record.seal.map(Into::into),
        }
    }
}

connection! {
    /// One page of the requests, newest first.
    RequestConnection,
    /// A request and its place in the list.
    RequestEdge of Request
}

impl RequestConnection {
    fn new(page: Page<RequestRecord>, request: &PageRequest, participants: &Participants) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: RequestEdge::of(page.items, |record| Request::new(&record, participants)),
        }
    }
}

#[derive(Default)]
pub(crate) struct RequestQuery;

#[Object]
impl RequestQuery {
    /// Requests made with the viewer's keys, newest first.
    async fn requests(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "How many: 1 to 100.", default = 20)] first: i32,
        #[graphql(desc = "The cursor of the item before the page.")] after: Option<String>,
        #[graphql(desc = "Which requests; all when not given.")] filter: Option<RequestFilter>,
    ) -> Result<RequestConnection, FieldError> {
        let page = page_request(first, after.as_deref())?;
        list(context, RequestedScope::Own, page, filter).await
    }
}

/// Reads a page of the requests in a scope.
pub(super) async fn list(
    context: &Context<'_>,
    scope: RequestedScope,
    page: PageRequest,
    filter: Option<RequestFilter>,
) -> Result<RequestConnection, FieldError> {
    let query = request_query(page, filter)?;
    let ports = ports(context);
    let caller = &requester(context).caller;
    let page = ports.insights.requests(caller, scope, &query).await?;
    Ok(RequestConnection::new(
        page,
        &query.page,
        &ports.participants,
    ))
}
