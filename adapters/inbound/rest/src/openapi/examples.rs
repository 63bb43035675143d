//! Example bodies of requests and responses, built by the production code from fictitious data.

use crate::participants::views::ParticipantList;
use domain::outcome::Endpoint;
use domain::participants::Catalogue;
use domain::proofs::file::{Format, RequestedFiles};
use domain::seals::SealVerdict;
use serde_json::{Value, json};

pub(super) mod batches;
mod lookups;
mod people;
mod problems;
mod proofs;
mod receipts;
mod webhooks;

pub(crate) use batches::{JSON_LINES, TABLE};
pub(super) use problems::of;
use problems::{LANGUAGE, WAIT, date, inferred, parameter, payment, too_many_reads};

/// Example of a request body by schema name.
pub(super) fn request(schema: &str) -> Option<Value> {
    let mut request = json!({
        "fecha": "2026-11-20",
        "clave_rastreo": "MBAN01002611200001234567",
        "cuenta": "002010077777777771",
        "monto": 1234.56
    });
    match schema {
        "ProofRequest" | "ProofRequestAuto" => {}
        "ParsedProofRequest" | "ParsedProofRequestAuto" => {
            request["nombre_beneficiario"] = json!("Ejemplo, S.A. de C.V.");
            request["rfc_beneficiario"] = json!("EJE800101AB1");
        }
        "NewLookup" => {
            request["formats"] = json!(["xml", "pdf"]);
            request["retry_for"] = json!(86_400);
            request["metadata"] = json!({ "pedido": "A-1042" });
            return Some(request);
        }
        "NewOwnAccount" => {
            return Some(json!({ "name": "Ventas", "cuenta": "002010077777777771" }));
        }
        "NewKey" => return Some(json!({ "name": "caja 4", "env": "live" })),
        "LimitsChange" => return Some(json!({ "per_minute": 120, "monthly_quota": 5000 })),
        "NewWebhook" => {
            return Some(json!({
                "url": "https://hooks.example.com/cep",
                "events": ["lookup.delivered", "lookup.expired"],
                "env": "live"
            }));
        }
        "WebhookChange" => return Some(json!({ "enabled": false })),
        "PlanChange" => {
            return Some(json!({ "plan": "enterprise", "existing_keys": "follow" }));
        }
        _ => return None,
    }
    if !schema.ends_with("Auto") {
        request["emisor"] = json!("40012");
        request["receptor"] = json!("40002");
    }
    Some(request)
}

/// Example of an operation's successful response; `None` for files.
pub(super) fn success(operation: &str) -> Option<Value> {
    Some(match operation {
        "json" | "json_auto" => proofs::parsed(),
        "verify" => proofs::checked(),
        "receipts" => receipts::read(),
        "lookups" | "getLookup" | "removeLookup" => lookups::waiting(),
        "listLookups" => lookups::page(),
        "createBatch" | "getBatch" => batches::running(),
        "cancelBatch" => batches::canceled(),
        "listBatches" => batches::page(),
        "importBatch" => batches::import(),
        "listKeys" => Value::Array(vec![people::key()]),
        "createKey" => people::created_key(),
        "revokeKey" => people::revoked_key(),
        "searchKeys" => people::admin_keys(),
        "getKey" | "setKeyLimits" | "revokeAnyKey" => people::admin_key(),
        "listAccounts" => people::accounts(),
        "setPlan" => people::account(),
        "getUsage" => people::usage(),
        "readAudit" => people::audit(),
        "listWebhooks" => Value::Array(vec![webhooks::webhook()]),
        "getWebhook" | "changeWebhook" | "removeWebhook" => webhooks::webhook(),
        "createWebhook" | "rotateWebhookSecret" => webhooks::created(),
        "testWebhook" | "resendWebhookDelivery" => webhooks::sent(),
        "listWebhookDeliveries" => webhooks::deliveries(),
        "listOwnAccounts" => json!([people::own_account()]),
        "addOwnAccount" | "removeOwnAccount" => people::own_account(),
        "listParticipants" => participants(),
        "healthz" => json!({ "status": "ok" }),
        "readyz" => json!({
            "status": "ready",
            "components": [{ "name": "store", "state": "up" }]
        }),
        "openapi" => json!({ "openapi": "3.1.0" }),
        _ => return None,
    })
}

/// A list of two participants of the embedded catalogue.
fn participants() -> Value {
    let list = ParticipantList::new(Catalogue::embedded(), date(11, 20));
    let mut list = serde_json::to_value(list).unwrap_or_default();
    if let Some(participants) = list["participants"].as_array_mut() {
        participants.truncate(2);
    }
    list
}

/// Example of the base64 envelope of an endpoint.
pub(super) fn envelope(endpoint: Endpoint) -> Value {
    let format = match endpoint.wanted() {
        RequestedFiles::Xml => Format::Xml,
        RequestedFiles::Pdf | RequestedFiles::Both => Format::Pdf,
    };
    let extension = format.extension();
    json!({
        "ok": true,
        "filename": format!("CEP-20261120-MBAN01002611200001234567.{extension}"),
        "content_type": format.media_type(),
        "seal": SealVerdict::Valid.name(),
        "data": "JVBERi0xLjcK"
    })
}
