//! The portal's pages, byte-identical to recorded ones: line ends, entities, unescaped accents,
//! comments that repeat the message, descriptions of the nine states. Only the data of one payment is
//! filled in. `criterion-missing` and `query-failed` are derived from the source code of clients,
//! `unseen` is invented. `validation` and `validation-failed`, the validator's, are derived from a client's tests.

use chrono::NaiveDateTime;
use domain::payment::PaymentState;

use crate::form::QueryType;
use crate::order::{Order, participant_name};
use crate::proof::escape;

pub(crate) const READY: &str = include_str!("pages/ready.html");
pub(crate) const NOT_FOUND_RECENT: &str = include_str!("pages/not-found-recent.html");
pub(crate) const NOT_FOUND_HISTORIC: &str = include_str!("pages/not-found-historic.html");
pub(crate) const CAPTCHA_WANTED: &str = include_str!("pages/captcha-wanted.html");
pub(crate) const TOO_MANY_QUERIES: &str = include_str!("pages/too-many-queries.html");
pub(crate) const SERVER_ERROR: &str = include_str!("pages/server-error.html");
pub(crate) const CRITERION_MISSING: &str = include_str!("pages/criterion-missing.html");
pub(crate) const QUERY_FAILED: &str = include_str!("pages/query-failed.html");
pub(crate) const UNSEEN: &str = include_str!("pages/unseen.html");

pub(crate) const VALIDATION_FAILED: &str = include_str!("pages/validation-failed.html");

const STATE: &str = include_str!("pages/state.html");
const VALIDATION: &str = include_str!("pages/validation.html");

const IDENTIFIED: &str = "Con la información proporcionada se identificó el siguiente pago:";
const APOLOGY: &str = "Lo sentimos, por el momento no es posible generar el CEP. ";

/// Times at which SPEI received and processed a payment, in Mexico City.
pub(crate) struct Processing {
    pub(crate) received: NaiveDateTime,
    pub(crate) processed: NaiveDateTime,
}

/// Returns the page of a payment's state, with an apology if a proof was requested.
pub(crate) fn state(
    order: &Order,
    state: PaymentState,
    processing: &Processing,
    query_type: QueryType,
) -> String {
    let time = |time: NaiveDateTime| time.format("%d/%m/%Y %H:%M:%S").to_string();
    let heading = match query_type {
        QueryType::Proof => format!("{APOLOGY}{IDENTIFIED}"),
        QueryType::State => IDENTIFIED.to_owned(),
    };
    fill(STATE, |name| match name {
        "heading" => heading.clone(),
        "reference" => order.reference.to_string(),
        "tracking_key" => escape(order.tracking_key.as_str()),
        "issuer" => escape(&participant_name(order.issuer)),
        "receiver" => escape(&participant_name(order.receiver)),
        "state" => state.label().to_owned(),
        "received" => time(processing.received),
        "processed" => time(processing.processed),
        "account" => order.account.clone(),
        "amount" => order.amount.to_string(),
        _ => String::new(),
    })
}

/// Texts of the validator's page about one file.
pub(crate) struct Validation<'a> {
    pub(crate) name: &'a str,
    /// The verdict in the row of the file.
    pub(crate) is_valid: bool,
    /// The verdict in the totals.
    pub(crate) is_counted_valid: bool,
    pub(crate) chain: &'a str,
    pub(crate) seal: &'a str,
    pub(crate) certificate: &'a str,
}

/// Returns the validator's page about one file.
pub(crate) fn validation(file: &Validation<'_>) -> String {
    let (mark, note) = if file.is_valid {
        let checkbox = "<input type=\"checkbox\" name=\"valido\" checked disabled=\"true\">";
        (checkbox, "V&aacute;lido")
    } else {
        ("X", "con informaci&oacute;n err&oacute;nea")
    };
    fill(VALIDATION, |name| match name {
        "valid" => u8::from(file.is_counted_valid).to_string(),
        "invalid" => u8::from(!file.is_counted_valid).to_string(),
        "name" => escape(file.name),
        "mark" => mark.to_owned(),
        "chain" => escape(file.chain),
        "seal" => escape(file.seal),
        "certificate" => escape(file.certificate),
        "note" => note.to_owned(),
        _ => String::new(),
    })
}

/// Replaces the `{{name}}` placeholders of a template in one pass, so that placeholders in values
/// aren't replaced.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(template.len() + 512);
    let mut rest = template;
    while let Some((before, from_name)) = rest.split_once("{{") {
        let Some((name, after)) = from_name.split_once("}}") else {
            break;
        };
        filled.push_str(before);
        filled.push_str(&value(name));
        rest = after;
    }
    filled.push_str(rest);
    filled
}
