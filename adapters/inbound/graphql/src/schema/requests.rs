//! Recorded requests and their banks.

use async_graphql::{ID, SimpleObject};
use chrono::NaiveDate;
use domain::page::{Page, PageRequest};
use domain::participants::ParticipantCode;
use domain::request::RequestRecord;

use super::connection::{PageInfo, connection};
use super::context::Ports;
use super::enums::{Endpoint, Outcome, SealVerdict};
use super::numbers::milliseconds;
use super::scalars::DateTime;

/// One request for a proof, as it is kept. It holds no account, name or amount.
#[derive(SimpleObject)]
#[expect(clippy::struct_field_names, reason = "the names are the API's")]
pub(crate) struct Request {
    /// The gateway's own identity of it.
    id: ID,
    /// The id that the answer carried in `X-Request-Id`; a caller may have chosen it.
    request_id: String,
    /// The key that it was made with.
    key_id: ID,
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
    fn new(record: &RequestRecord, ports: &Ports, today: NaiveDate) -> Self {
        let participant = |code| Participant::of(code, ports, today);
        Self {
            id: record.id.into(),
            request_id: record.request_id.to_string(),
            key_id: record.key.into(),
            at: record.at.into(),
            endpoint: record.endpoint.into(),
            outcome: record.outcome.into(),
            duration_ms: milliseconds(record.duration),
            bank_ms: record.bank_time.map(milliseconds),
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
    pub(super) fn new(page: Page<RequestRecord>, request: &PageRequest, ports: &Ports) -> Self {
        let today = ports.today();
        Self {
            page_info: PageInfo::new(&page, request),
            edges: RequestEdge::of(page.items, |record| Request::new(&record, ports, today)),
        }
    }
}

/// A participant of SPEI: a bank.
#[derive(SimpleObject)]
pub(crate) struct Participant {
    /// Its code, as `emisor` and `receptor` want it: five digits, and `2001` for the central bank.
    code: String,
    /// Its short name, as the central bank lists it.
    name: String,
    /// True when the code is valid today in Mexico City.
    active: bool,
}

impl Participant {
    pub(super) fn new(participant: &domain::participants::Participant, today: NaiveDate) -> Self {
        Self {
            code: participant.code.to_string(),
            name: participant.name.clone(),
            active: participant.is_valid_on(today),
        }
    }

    /// The participant with a code. If the catalogue doesn't have the code any more, it also serves as name.
    pub(super) fn of(code: ParticipantCode, ports: &Ports, today: NaiveDate) -> Self {
        let unknown = || Self {
            code: code.to_string(),
            name: code.to_string(),
            active: false,
        };
        let catalogue = ports.participants.catalogue();
        let found = catalogue.find(code);
        found.map_or_else(unknown, |participant| Self::new(participant, today))
    }
}
