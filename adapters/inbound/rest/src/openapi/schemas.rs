//! The schemas of bodies.

use serde_json::json;
use utoipa::openapi::schema::{AdditionalProperties, Array, OneOfBuilder, SchemaType};
use utoipa::openapi::{Object, ObjectBuilder, Ref, RefOr, Schema, Type};

/// Every named schema.
pub(super) fn all() -> Vec<(&'static str, RefOr<Schema>)> {
    vec![
        ("ProofRequest", proof_request(Institutions::Named)),
        ("ProofRequestAuto", proof_request(Institutions::MayBeAbsent)),
        ("Envelope", envelope()),
        ("Error", error()),
        ("ErrorDetails", error_details()),
        ("FieldProblem", field_problem()),
        ("InferenceGap", inference_gap()),
        ("Payment", payment()),
        ("Hint", hint()),
        ("Component", component()),
        ("Health", health()),
        ("Readiness", readiness()),
        ("AnyObject", Object::with_type(Type::Object).into()),
    ]
}

pub(super) fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
}

pub(super) fn text_or_null(description: &str) -> ObjectBuilder {
    text(description).schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

pub(super) fn number(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .description(Some(description))
}

pub(super) fn list(name: &str) -> Array {
    Array::new(Ref::from_schema_name(name))
}

/// Whether a request must name both institutions.
#[derive(Clone, Copy)]
enum Institutions {
    Named,
    MayBeAbsent,
}

fn proof_request(institutions: Institutions) -> RefOr<Schema> {
    let institution = |which: &str| {
        let code = match institutions {
            Institutions::Named => text(which),
            Institutions::MayBeAbsent => {
                text_or_null(&format!("{which} Inferred when it is absent or `null`."))
            }
        };
        code.pattern(Some("^([1-9][0-9]{4}|2001)$"))
            .examples(["40012"])
    };
    let pesos = OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::Number))
        .item(
            ObjectBuilder::new()
                .schema_type(Type::String)
                .pattern(Some("^[0-9]{1,16}(\\.[0-9]{1,2})?$")),
        )
        .description(Some(
            "The exact amount in pesos: greater than zero, at most 2 decimals and 16 digits before \
             the point, no exponent. Read as a decimal, never as a float; a client whose JSON \
             numbers are floats sends a string.",
        ));
    let mut object = ObjectBuilder::new()
        .property(
            "fecha",
            text(
                "The calendar day of the transfer in Mexico City, `YYYY-MM-DD`, not in the future.",
            )
            .pattern(Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
        )
        .property(
            "clave_rastreo",
            text("The tracking key: printable ASCII, case kept, without `<`, `>`, `\"` and `\\`.")
                .min_length(Some(1))
                .max_length(Some(30)),
        )
        .property(
            "cuenta",
            text(
                "The receiver's account: 18 digits (CLABE) or 16 digits (card). Blanks and hyphens \
                 are dropped.",
            )
            .pattern(Some("^[0-9 -]*$")),
        )
        .property("monto", pesos)
        .property(
            "emisor",
            institution("Participant code of the issuing bank."),
        )
        .property(
            "receptor",
            institution("Participant code of the receiving bank."),
        );
    let also_required: &[_] = match institutions {
        Institutions::Named => &["emisor", "receptor"],
        Institutions::MayBeAbsent => &[],
    };
    let required = ["fecha", "clave_rastreo", "cuenta", "monto"];
    for field in required.iter().chain(also_required) {
        object = object.required(*field);
    }
    object.into()
}

fn envelope() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property(
            "ok",
            ObjectBuilder::new()
                .schema_type(Type::Boolean)
                .description(Some("`true`")),
        )
        .property("filename", text("Suggested file name."))
        .property(
            "content_type",
            text("Media type of the decoded file.")
                .enum_values(Some(["application/pdf", "application/xml"])),
        )
        .property(
            "data",
            text("The file in base64, standard alphabet, padded.").content_encoding("base64"),
        )
        .required("ok")
        .required("filename")
        .required("content_type")
        .required("data")
        .into()
}

fn error() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property(
            "error",
            text("The code. It never changes with the language."),
        )
        .property(
            "message",
            text("What was wrong and what to do next, for people."),
        )
        .property("details", Ref::from_schema_name("ErrorDetails"))
        .required("error")
        .required("message")
        .required("details")
        .into()
}

fn error_details() -> RefOr<Schema> {
    let names = |description: &str| {
        let mut names = Array::new(Object::with_type(Type::String));
        names.description = Some(description.to_owned());
        names
    };
    let gap = || Ref::from_schema_name("InferenceGap");
    ObjectBuilder::new()
        .description(Some(
            "Additional members; each code has its own, some have none.",
        ))
        .property(
            "reason",
            text("What exactly, for machines.").enum_values(Some([
                "invalid_fields",
                "same_institution",
                "empty_body",
                "incomplete_body",
                "not_utf8",
                "malformed_json",
                "not_an_object",
                "duplicate_key",
                "too_deep",
                "not_in_spei",
                "proof_not_issued",
                "empty_change",
                "cross_site",
                "admins_only",
                "too_many_keys",
                "revoked",
                "already_rotated",
            ])),
        )
        .property("position", number("Where in the body, in bytes from 1."))
        .property("fields", list("FieldProblem"))
        .property("missing", names("The sides that could not be inferred."))
        .property(
            "reasons",
            ObjectBuilder::new()
                .property("emisor", gap())
                .property("receptor", gap()),
        )
        .property(
            "explicit_endpoints",
            names("Where both banks can be named."),
        )
        .property("payment", Ref::from_schema_name("Payment"))
        .property("hints", list("Hint"))
        .property(
            "limit",
            number("Requests allowed per minute, or per month; active keys of an account."),
        )
        .property("used", number("Requests used in the month."))
        .property("reset_at", text("When the month ends, RFC 3339 in UTC."))
        .property(
            "retry_after",
            number("Seconds to wait, as in `Retry-After`."),
        )
        .property("max_bytes", number("Largest body."))
        .property("accepted", text("The media type that is accepted."))
        .property("components", list("Component"))
        .property("sign_in", text("Where a browser gets a session."))
        .property("request_id", text("The id to give to the operator."))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .into()
}

fn field_problem() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property("field", text("The field's name."))
        .property(
            "problem",
            text("What is wrong with it, for machines.").enum_values(Some([
                "missing",
                "wrong_type",
                "malformed_date",
                "no_such_day",
                "in_future",
                "empty",
                "too_long",
                "forbidden_character",
                "not_digits",
                "wrong_length",
                "not_decimal",
                "exponent",
                "not_positive",
                "too_many_decimals",
                "too_large",
                "malformed_code",
                "unknown_participant",
                "duplicate",
                "same_institution",
                "unknown",
                "not_one_of",
                "out_of_range",
                "malformed_name",
                "malformed_text",
                "malformed_instant",
                "malformed_id",
                "wrong_cursor",
                "excluded",
                "incomplete",
                "backwards",
                "period_too_long",
            ])),
        )
        .property("message", text("What is wrong with it, for people."))
        .required("field")
        .required("problem")
        .required("message")
        .into()
}

fn inference_gap() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property(
            "reason",
            text("Why, for machines.").enum_values(Some([
                "unknown_clabe_prefix",
                "unknown_card_prefix",
                "unknown_tracking_key_shape",
            ])),
        )
        .property("message", text("Why and what to do next, for people."))
        .required("reason")
        .required("message")
        .into()
}

fn payment() -> RefOr<Schema> {
    let states = domain::payment::PaymentState::ALL.map(domain::payment::PaymentState::label);
    ObjectBuilder::new()
        .property(
            "state",
            text("The central bank's own word.").enum_values(Some(states)),
        )
        .property(
            "received_at",
            text_or_null("When SPEI received it, Mexico City's time."),
        )
        .property(
            "processed_at",
            text_or_null("When SPEI processed it, Mexico City's time."),
        )
        .required("state")
        .required("received_at")
        .required("processed_at")
        .into()
}

fn hint() -> RefOr<Schema> {
    ObjectBuilder::new()
        .description(Some(
            "One thing to check, most likely first; with what it speaks of.",
        ))
        .property(
            "code",
            text("Which hint.").enum_values(Some([
                "check_digit",
                "receiver_differs",
                "code_not_valid_on_date",
                "day_and_month_swapped",
                "amount_looks_like_centavos",
                "date_in_tracking_key",
                "not_a_banking_day",
                "maybe_operation_date",
            ])),
        )
        .property("message", text("The hint, for people."))
        .property(
            "given",
            OneOfBuilder::new()
                .item(number("A digit."))
                .item(text("A participant code.")),
        )
        .property(
            "expected",
            OneOfBuilder::new()
                .item(number("A digit."))
                .item(text("A participant code.")),
        )
        .property("date", text("A date to try as `fecha`."))
        .property("operation_date", text("The operation date of that day."))
        .required("code")
        .required("message")
        .examples([json!({
            "code": "check_digit",
            "message": "El dígito verificador de cuenta es 2 y debería ser 1; revise los dígitos.",
            "given": 2,
            "expected": 1
        })])
        .into()
}

fn component() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property("name", text("Its name."))
        .property(
            "state",
            text("Its state. One that is `degraded` is done without, and serves less well.")
                .enum_values(Some(["up", "degraded", "failed"])),
        )
        .required("name")
        .required("state")
        .into()
}

fn health() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property("status", text("`ok`"))
        .required("status")
        .into()
}

fn readiness() -> RefOr<Schema> {
    ObjectBuilder::new()
        .property("status", text("`ready`"))
        .property("components", list("Component"))
        .required("status")
        .required("components")
        .into()
}
