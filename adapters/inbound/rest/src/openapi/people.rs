//! The routes for people: their operations, parameters and answers.

use serde_json::Value;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{Array, SchemaFormat};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Required, Response, Schema, Type,
};

use super::responses::with_headers;
use super::{accept_language, request_id};
use crate::people::keys::{ENVIRONMENTS, ORDERS, STATES};
use crate::people::usage::{BREAKDOWNS, ENDPOINTS, GRANULARITIES, OUTCOMES};
use web::MAX_SEARCH_LENGTH;

pub(super) mod answers;
pub(super) mod examples;
pub(super) mod schemas;

/// The name of the session among the security schemes.
pub(super) const SESSION: &str = "session";

/// How a person shows who it is.
pub(super) fn session() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
        "__Host-cep_session",
        "The session that signing in at `/login` gives a browser: the identity provider's access \
         token. The name can be configured; over plain http, which only a loopback address may \
         have, it has no `__Host-`. Exactly one cookie of the name counts. Neither an API key nor a \
         token in `Authorization` is accepted. A request that carries an `Origin` or a \
         `Sec-Fetch-Site` must come from this server's own pages or from an allowed origin.",
    )))
}

/// Every operation, with its path.
pub(super) fn operations() -> Vec<(&'static str, HttpMethod, Operation)> {
    vec![
        ("/keys", HttpMethod::Get, own_keys()),
        ("/keys", HttpMethod::Post, create_key()),
        ("/keys/{id}", HttpMethod::Delete, revoke_key()),
        ("/admin/keys", HttpMethod::Get, all_keys()),
        ("/admin/keys/{id}", HttpMethod::Get, any_key()),
        ("/admin/keys/{id}", HttpMethod::Patch, set_limits()),
        ("/admin/keys/{id}", HttpMethod::Delete, revoke_any_key()),
        ("/admin/accounts", HttpMethod::Get, accounts()),
        ("/admin/accounts/{id}", HttpMethod::Patch, set_plan()),
        ("/admin/usage", HttpMethod::Get, usage()),
        ("/admin/audit", HttpMethod::Get, audit()),
    ]
}

fn own_keys() -> Operation {
    let answer = ResponseBuilder::new()
        .description("All of them, newest first; an empty list for who has none.")
        .content(
            "application/json",
            ContentBuilder::new()
                .schema(Some(Array::new(Ref::from_schema_name("ApiKey"))))
                .example(Some(Value::Array(vec![examples::key()])))
                .build(),
        );
    operation("keys", "listKeys", "Your keys")
        .parameter(query(
            "include_revoked",
            "`false` hides revoked keys.",
            ObjectBuilder::new()
                .schema_type(Type::Boolean)
                .default(Some(true.into())),
        ))
        .response("200", with_headers(answer, &[]).build())
        .failing(&[BAD_REQUEST])
}

fn create_key() -> Operation {
    operation("keys", "createKey", "Make a key")
        .description(Some(
            "It starts with the limits of your plan. The complete key is in this answer and nowhere \
             else ever after: what is kept of it is a keyed hash.",
        ))
        .request_body(Some(body("NewKey", examples::new_key())))
        .response("201", json("The key, once.", "CreatedKey", examples::created_key()))
        .failing(&[BAD_REQUEST, CONFLICT, SLOW, LARGE, NO_JSON])
}

fn revoke_key() -> Operation {
    operation("keys", "revokeKey", "Revoke a key")
        .description(Some(
            "When it is answered, no request is admitted with the key any more. There is no way \
             back. Revoking it again changes nothing and is answered alike.",
        ))
        .parameter(id("The key."))
        .response(
            "200",
            json("The revoked key.", "ApiKey", examples::revoked_key()),
        )
        .failing(&[BAD_REQUEST, NOT_FOUND])
}

fn all_keys() -> Operation {
    operation("admin", "searchKeys", "Everybody's keys")
        .parameter(query(
            "q",
            "A text in the name, at the beginning of the prefix or in the owner's subject; upper and \
             lower case of ASCII letters are alike.",
            search(),
        ))
        .parameter(query("owner", "Of this account alone.", uuid()))
        .parameter(query(
            "state",
            "In these states; repeat it, or separate them with commas.",
            Array::new(words(STATES)),
        ))
        .parameter(query("env", "Of this environment alone.", words(ENVIRONMENTS)))
        .parameter(query("order", "The order.", words(ORDERS).default(Some("newest".into()))))
        .paged()
        .response("200", json("One page.", "AdminKeyPage", examples::admin_keys()))
        .failing(&[BAD_REQUEST, ADMINS_ONLY])
}

fn any_key() -> Operation {
    operation("admin", "getKey", "Anybody's key")
        .parameter(id("The key."))
        .response("200", json("The key.", "AdminKey", examples::admin_key()))
        .failing(&[BAD_REQUEST, ADMINS_ONLY, NOT_FOUND])
}

fn set_limits() -> Operation {
    operation(
        "admin",
        "setKeyLimits",
        "Change the limits of anybody's key",
    )
    .description(Some(
        "What is absent stays as it is. `plan` sets the limits that keys of this plan start \
             with, above which `per_minute` and `monthly_quota` count; the account's own plan is \
             another thing and stays.",
    ))
    .parameter(id("The key."))
    .request_body(Some(body("LimitsChange", examples::limits_change())))
    .response(
        "200",
        json("The key, changed.", "AdminKey", examples::admin_key()),
    )
    .failing(&[
        BAD_REQUEST,
        ADMINS_ONLY,
        NOT_FOUND,
        CONFLICT,
        SLOW,
        LARGE,
        NO_JSON,
    ])
}

fn revoke_any_key() -> Operation {
    operation("admin", "revokeAnyKey", "Revoke anybody's key")
        .parameter(id("The key."))
        .response(
            "200",
            json("The revoked key.", "AdminKey", examples::admin_key()),
        )
        .failing(&[BAD_REQUEST, ADMINS_ONLY, NOT_FOUND])
}

fn accounts() -> Operation {
    operation("admin", "listAccounts", "All accounts, newest first")
        .parameter(query(
            "q",
            "A text in the owner's issuer or subject.",
            search(),
        ))
        .paged()
        .response(
            "200",
            json("One page.", "AccountPage", examples::accounts()),
        )
        .failing(&[BAD_REQUEST, ADMINS_ONLY])
}

fn set_plan() -> Operation {
    operation("admin", "setPlan", "Set an account's plan")
        .parameter(id("The account."))
        .request_body(Some(body("PlanChange", examples::plan_change())))
        .response(
            "200",
            json("The account, changed.", "Account", examples::account()),
        )
        .failing(&[BAD_REQUEST, ADMINS_ONLY, NOT_FOUND, SLOW, LARGE, NO_JSON])
}

fn usage() -> Operation {
    let count = |description: &str| {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(744))
            .default(Some(30.into()))
            .description(Some(description))
    };
    operation("admin", "getUsage", "Use over time")
        .description(Some(
            "Slots begin at full UTC hours, days and months; there are no gaps. A chart has at most \
             744 hours, 400 days or 36 months.",
        ))
        .parameter(query("account", "Of this account alone.", uuid()))
        .parameter(query("key", "Of this key alone.", uuid()))
        .parameter(query(
            "granularity",
            "The length of a slot.",
            words(GRANULARITIES).default(Some("day".into())),
        ))
        .parameter(query(
            "newest",
            "So many slots, the present one being the last. Not beside `from`.",
            count("Slots."),
        ))
        .parameter(query("from", "The slots from the one that holds this instant.", instant()))
        .parameter(query("to", "Up to this instant; now when it is absent.", instant()))
        .parameter(query(
            "by",
            "What is told apart; at most 20 series, what is left over is `others`.",
            words(BREAKDOWNS).default(Some("total".into())),
        ))
        .parameter(query("endpoint", "Of this endpoint alone.", words(ENDPOINTS)))
        .parameter(query("outcome", "With this outcome alone.", words(OUTCOMES)))
        .response("200", json("The use.", "Usage", examples::usage()))
        .failing(&[BAD_REQUEST, ADMINS_ONLY])
}

fn audit() -> Operation {
    operation("admin", "readAudit", "The audit log, newest first")
        .parameter(query("account", "About this account alone.", uuid()))
        .parameter(query("key", "About this key alone.", uuid()))
        .parameter(query("from", "At or after this instant.", instant()))
        .parameter(query("to", "Before this instant.", instant()))
        .paged()
        .response("200", json("One page.", "AuditPage", examples::audit()))
        .failing(&[BAD_REQUEST, ADMINS_ONLY])
}

type NamedAnswer = (&'static str, &'static str);

const BAD_REQUEST: NamedAnswer = ("400", "FaultyInput");
const ADMINS_ONLY: NamedAnswer = ("403", "AdminsOnly");
const NOT_FOUND: NamedAnswer = ("404", "NoSuchThing");
const SLOW: NamedAnswer = ("408", "SlowBody");
const CONFLICT: NamedAnswer = ("409", "Conflict");
const LARGE: NamedAnswer = ("413", "LargeBody");
const NO_JSON: NamedAnswer = ("415", "NoJson");

/// What every route under a session may answer.
const ALWAYS: [NamedAnswer; 4] = [
    ("401", "Unauthenticated"),
    ("403", "CrossSite"),
    ("500", "Fault"),
    ("503", "NotNow"),
];

trait Describe {
    /// With `limit` and `after`.
    fn paged(self) -> Self;
    /// With these errors, and those of every route under a session.
    fn failing(self, answers: &[NamedAnswer]) -> Operation;
}

impl Describe for OperationBuilder {
    fn paged(self) -> Self {
        let limit = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(100))
            .default(Some(50.into()));
        self.parameter(query("limit", "Items of the page.", limit))
            .parameter(query(
                "after",
                "The `next` of the page before, with the same other parameters.",
                ObjectBuilder::new().schema_type(Type::String),
            ))
    }

    fn failing(mut self, answers: &[NamedAnswer]) -> Operation {
        // The later ones of a status win.
        for (status, name) in ALWAYS.iter().chain(answers) {
            self = self.response(*status, Ref::from_response_name(*name));
        }
        self.build()
    }
}

fn operation(tag: &str, id: &str, summary: &str) -> OperationBuilder {
    OperationBuilder::new()
        .tag(tag)
        .operation_id(Some(id))
        .summary(Some(summary))
        .security(SecurityRequirement::new(SESSION, [""; 0]))
        .parameter(request_id())
        .parameter(accept_language())
}

fn query(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
}

fn id(description: &str) -> Parameter {
    ParameterBuilder::new()
        .name("id")
        .parameter_in(ParameterIn::Path)
        .description(Some(description))
        .schema(Some(uuid()))
        .build()
}

fn words(words: &'static [&'static str]) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.iter().copied()))
}

fn uuid() -> ObjectBuilder {
    formatted("uuid")
}

fn instant() -> ObjectBuilder {
    formatted("date-time")
}

fn formatted(format: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom(format.to_owned())))
}

fn search() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(MAX_SEARCH_LENGTH))
}

fn body(schema: &str, example: Value) -> RequestBody {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .example(Some(example))
        .build();
    RequestBodyBuilder::new()
        .description(Some(
            "At most 16384 bytes of UTF-8, complete within 10 seconds. Unknown members and repeated \
             ones are refused.",
        ))
        .content("application/json", content)
        .required(Some(Required::True))
        .build()
}

fn json(description: &str, schema: &str, example: Value) -> Response {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .example(Some(example))
        .build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/json", content);
    with_headers(response, &[]).build()
}
