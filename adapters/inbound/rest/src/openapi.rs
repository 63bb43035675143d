//! The API's description (OpenAPI 3.1). Routes and body types are described where they are defined; this
//! module adds the parts that they share.

use domain::outcome::Endpoint;
use domain::query::Institutions;
use utoipa::ToSchema as _;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::server::ServerBuilder;
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, Content, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response, Schema,
};
use web::problem::ErrorBody;

use self::headers::add_header;
use crate::{batches, lookups, operations, participants, people, proofs, receipts};

pub(crate) mod bodies;
pub(crate) mod examples;
mod headers;
mod parameters;
pub(crate) mod responses;
pub(crate) mod schemas;
#[cfg(test)]
mod tests;

/// Version of the API, independent of the gateway's version.
const VERSION: &str = "1.0.0";

const DESCRIPTION: &str = "\
Looks up and downloads electronic payment proofs (CEP) of SPEI transfers.

Every path is also served under `/api`. Field names and error codes are fixed; the `message` of an \
error is Spanish, or English when `Accept-Language` prefers it. Every answer carries \
`X-Request-Id`, except where HTTP itself refuses the request: a malformed or oversized head. A \
request whose key is good counts against the key's minute and month; failures of the service or of \
the bank (5xx) are given back to the month.\n\n\
Other paths answer 404 `ROUTE_NOT_FOUND`, other methods 405 `METHOD_NOT_ALLOWED` with `Allow`; \
neither is counted.";

/// Names of the security schemes.
const API_KEY: &str = "x-api-key";
const SESSION: &str = "session";

/// The description as JSON; the text is deterministic.
///
/// # Panics
/// Never: every value in the document can be serialised.
pub fn openapi_json() -> String {
    let mut text = document()
        .to_pretty_json()
        .expect("it has string keys only, and nothing in it can fail");
    text.push('\n');
    text
}

fn document() -> OpenApi {
    let mut document = general();
    for (mut part, group) in [
        (proofs::routes().into_openapi(), Group::Proofs),
        (proofs::check::routes().into_openapi(), Group::Checks),
        (receipts::routes().into_openapi(), Group::Receipts),
        (lookups::creation().into_openapi(), Group::LookupCreation),
        (lookups::list().into_openapi(), Group::LookupReads),
        (lookups::items().into_openapi(), Group::LookupReads),
        (batches::routes().into_openapi(), Group::Batches),
        (participants::routes().into_openapi(), Group::Public),
        (operations::probes().into_openapi(), Group::Public),
        (operations::description().into_openapi(), Group::Public),
        (people::routes().into_openapi(), Group::Sessions),
    ] {
        for item in part.paths.paths.values_mut() {
            for operation in described(item) {
                group.complete(operation);
            }
        }
        document.merge(part);
    }
    let components = document.components.get_or_insert_default();
    components.extend();
    document
}

fn described(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem {
        get,
        post,
        patch,
        delete,
        ..
    } = item;
    [get, post, patch, delete].into_iter().flatten()
}

/// Operations that share parameters and responses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Proofs,
    Checks,
    Receipts,
    LookupCreation,
    LookupReads,
    Batches,
    Sessions,
    /// Operations that need neither a key nor a session.
    Public,
}

impl Group {
    /// Returns `true` if the operations accept an API key, whose limits their responses then show.
    fn has_key(self) -> bool {
        match self {
            Self::Proofs
            | Self::Checks
            | Self::Receipts
            | Self::LookupCreation
            | Self::LookupReads
            | Self::Batches => true,
            Self::Sessions | Self::Public => false,
        }
    }

    /// Returns `true` if an operation accepts an idempotency key.
    fn is_repeatable(self, operation: &str) -> bool {
        match self {
            Self::Proofs | Self::Checks | Self::Receipts | Self::LookupCreation => true,
            Self::Batches => operation == "createBatch",
            Self::LookupReads | Self::Sessions | Self::Public => false,
        }
    }

    /// The headers that only this group's successful responses have.
    fn own_headers(self, status: &str, response: &Response) -> &'static [&'static str] {
        match (self, status) {
            (Self::Receipts, _) if !response.content.is_empty() => &["Location"],
            (Self::Batches, "202") => &["Location", "Retry-After"],
            (Self::LookupCreation, "202") => &["Location", "Retry-After", "Preference-Applied"],
            (Self::LookupCreation, _) if !response.content.is_empty() => {
                &["Location", "Preference-Applied"]
            }
            _ => &[],
        }
    }

    /// Adds the security, parameters and responses that the group shares, and examples.
    fn complete(self, operation: &mut Operation) {
        let (schemes, errors): (&[&str], &[&str]) = match self {
            Self::Proofs => (&[API_KEY], &responses::OF_PROOFS),
            Self::Checks => (&[API_KEY, SESSION], &responses::OF_CHECKS),
            Self::Receipts => (&[API_KEY, SESSION], &responses::OF_RECEIPTS),
            Self::LookupCreation => (&[API_KEY, SESSION], &responses::OF_LOOKUP_CREATION),
            Self::LookupReads => (&[API_KEY], &responses::OF_LOOKUP_READS),
            Self::Batches => (&[API_KEY, SESSION], &responses::OF_BATCHES),
            Self::Sessions => (&[SESSION], &responses::OF_SESSIONS),
            Self::Public => (&[], &[]),
        };
        let alternatives = schemes.iter();
        let alternatives = alternatives.map(|scheme| SecurityRequirement::new(*scheme, [""; 0]));
        operation.security = (!schemes.is_empty()).then(|| alternatives.collect());
        for named in responses::ALL {
            // An operation's own response is more specific, so it is kept.
            if errors.contains(&named.name) {
                let own = operation.responses.responses.entry(named.status.to_owned());
                own.or_insert_with(|| Ref::from_response_name(named.name).into());
            }
        }
        let id = operation.operation_id.clone().unwrap_or_default();
        let mut shared = vec![RefOr::T(parameters::request_id())];
        // Responses of these have no messages, so they have no language.
        if !matches!(&*id, "healthz" | "openapi") {
            shared.push(RefOr::T(parameters::accept_language()));
        }
        if self.is_repeatable(&id) {
            shared.push(RefOr::T(parameters::idempotency_key()));
        }
        let own = operation.parameters.get_or_insert_default();
        own.splice(0..0, shared);

        if let Some(RefOr::T(body)) = &mut operation.request_body {
            for content in contents(&mut body.content) {
                let example = schema_name(content.schema.as_ref()).and_then(examples::request);
                content.example = example.or(content.example.take());
            }
        }
        for (status, response) in &mut operation.responses.responses {
            let RefOr::T(response) = response else {
                continue;
            };
            add_header(response, "X-Request-Id");
            if self.has_key() {
                for name in headers::LIMITS {
                    add_header(response, name);
                }
            }
            if self.is_repeatable(&id) && !is_preview(response) {
                add_header(response, "Idempotent-Replayed");
            }
            if id == "listParticipants" {
                for name in ["ETag", "Cache-Control"] {
                    add_header(response, name);
                }
            }
            for name in self.own_headers(status, response) {
                add_header(response, name);
            }
            for name in file_headers(&id, response) {
                add_header(response, name);
            }
            debug_assert!(!status.starts_with(['4', '5']), "errors are named");
            for content in contents(&mut response.content) {
                content.example = match schema_name(content.schema.as_ref()) {
                    Some("Envelope") => Endpoint::from_name(&id).map(examples::envelope),
                    Some("BatchPreview") => Some(examples::batches::preview()),
                    Some("BatchRow") => Some(examples::batches::row()),
                    _ => examples::success(&id),
                };
            }
        }
    }
}

/// The headers of a response with a proof or a download.
fn file_headers(operation: &str, response: &Response) -> Vec<&'static str> {
    if matches!(
        operation,
        "getLookupXml"
            | "getLookupPdf"
            | "getLookupZip"
            | "getOwnLookupXml"
            | "getOwnLookupPdf"
            | "getOwnLookupZip"
    ) {
        return vec!["X-Seal", "X-Origin", "Content-Disposition"];
    }
    if matches!(
        operation,
        "getBatchResults" | "getBatchFiles" | "getBatchBankFiles"
    ) {
        return vec!["Content-Disposition"];
    }
    let Some(endpoint) = Endpoint::from_name(operation) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    if endpoint == Endpoint::Receipts {
        return names;
    }
    if endpoint != Endpoint::Lookups {
        names.push("X-Seal");
    }
    if !response.content.contains_key("application/json") {
        names.push("Content-Disposition");
    }
    if endpoint.institutions() == Institutions::Inferable {
        names.extend(["X-Inferred-Emisor", "X-Inferred-Receptor"]);
    }
    names
}

/// Returns `true` for the response to a dry run.
fn is_preview(response: &Response) -> bool {
    let mut contents = response.content.values();
    contents.any(|content| match content {
        RefOr::T(content) => schema_name(content.schema.as_ref()) == Some("BatchPreview"),
        RefOr::Ref(_) => false,
    })
}

/// The contents that aren't references.
fn contents<'a, C>(content: &'a mut C) -> impl Iterator<Item = &'a mut Content>
where
    &'a mut C: IntoIterator<Item = (&'a String, &'a mut RefOr<Content>)>,
{
    content
        .into_iter()
        .filter_map(|(_, content)| match content {
            RefOr::T(content) => Some(content),
            RefOr::Ref(_) => None,
        })
}

fn schema_name(schema: Option<&RefOr<Schema>>) -> Option<&str> {
    match schema {
        Some(RefOr::Ref(reference)) => reference.ref_location.rsplit('/').next(),
        _ => None,
    }
}

trait Extend {
    /// Adds the components that operations don't declare: security schemes, headers, errors.
    fn extend(&mut self);
}

impl Extend for Components {
    fn extend(&mut self) {
        let key = ApiKeyValue::with_description(
            "x-api-key",
            "The complete key, `cep_<live|test>_<8 characters>.<24 characters>`, in exactly one header. \
             `test` keys ask the sandbox bank, `live` keys the central bank's portal.",
        );

        self.add_security_scheme(API_KEY, SecurityScheme::ApiKey(ApiKey::Header(key)));
        self.add_security_scheme(SESSION, session());
        let mut errors = vec![(
            ErrorBody::name().into_owned(),
            <ErrorBody as utoipa::PartialSchema>::schema(),
        )];
        ErrorBody::schemas(&mut errors);
        self.schemas.extend(errors);
        for (name, header) in headers::all() {
            self.headers.insert(name.to_owned(), header.into());
        }
        for named in responses::ALL {
            let response = named.describe().into();
            self.responses.insert(named.name.to_owned(), response);
        }
    }
}

fn general() -> OpenApi {
    let server = |url, description| {
        let server = ServerBuilder::new().url(url);
        server.description(Some(description)).build()
    };
    let tag = |name, description| {
        let tag = TagBuilder::new().name(name);
        tag.description(Some(description)).build()
    };
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("CEP gateway")
                .version(VERSION)
                .description(Some(DESCRIPTION)),
        )
        .servers(Some([
            server("/", "At the root."),
            server("/api", "The same routes, under `/api`."),
        ]))
        .tags(Some([
            tag(
                "proofs",
                "Proofs of transfers. They need an API key; to `/v1/cep/verify` a session will do, with `key_id`.",
            ),
            tag(
                "receipts",
                "Receipts that people hold: their text, PDF or picture is read into the query for the proof. They \
                 need an API key, or a session with `key_id`.",
            ),
            tag(
                "lookups",
                "Lookups that are carried to their end while nobody waits. They need an API key; to create one, a session \
                 will do, with `key_id`. Reads are free, at most 600 a minute.",
            ),
            tag(
                "batches",
                "Files of many payments, each of whose rows is a stored lookup, and the bank's own batch. They \
                 need an API key, or a session: with a session `key_id` names the key that is charged, batches \
                 of both environments are read, and every POST needs the `Content-Type` of its body, or \
                 `application/json` without one. Only rows are counted, and a key asks about batches at most 600 times a minute.",
            ),
            tag("participants", "Participants of SPEI. They need no key."),
            tag(
                "keys",
                "Your own keys. They need a session, and a gateway where people can sign in.",
            ),
            tag(
                "own lookups",
                "Files of your own account's stored lookups, of both environments. They need a session; \
                 GraphQL lists, cancels and erases these lookups.",
            ),
            tag(
                "accounts",
                "Accounts that you receive transfers on, with which masked and missing accounts are completed. They \
                 need a session.",
            ),
            tag(
                "webhooks",
                "Messages to your servers when lookups and batches end. They need a session.",
            ),
            tag(
                "admin",
                "Everybody's keys, accounts, use and the audit log. They need an admin's session.",
            ),
            tag("operation", "For operators. They need no key."),
        ]))
        .build()
}

fn session() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
        "__Host-cep_session",
        "The session that signing in at `/login` gives a browser: the identity provider's access \
         token. The name can be configured; over plain http, which only a loopback address may \
         have, it has no `__Host-`. Exactly one cookie of the name counts. Neither an API key nor a \
         token in `Authorization` is accepted. A request that carries an `Origin` or a \
         `Sec-Fetch-Site` must come from this server's own pages or from an allowed origin.",
    )))
}
