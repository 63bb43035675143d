//! Schemas of the bodies of proof requests and responses. `domain::query` parses requests, and accepts
//! exactly what these schemas allow, except for two checks that a schema can't express: dates must be
//! neither in the future nor before SPEI, and participants must be in the catalogue.

use domain::amount::MAX_INTEGER_DIGITS;
use domain::participants::MAX_NAME_LENGTH;
use domain::tracking_key::MAX_LENGTH;
use utoipa::ToSchema;
use utoipa::openapi::schema::{OneOfBuilder, SchemaFormat, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::openapi::schemas::text;

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `domain::query` reads")]
pub(super) struct ProofRequest {
    #[schema(schema_with = date)]
    fecha: String,
    #[schema(schema_with = tracking_key)]
    clave_rastreo: String,
    #[schema(schema_with = account)]
    cuenta: String,
    #[schema(schema_with = amount)]
    monto: String,
    #[schema(schema_with = issuer)]
    emisor: String,
    #[schema(schema_with = receiver)]
    receptor: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `domain::query` reads")]
pub(super) struct ProofRequestAuto {
    #[schema(schema_with = date)]
    fecha: String,
    #[schema(schema_with = tracking_key)]
    clave_rastreo: String,
    #[schema(schema_with = account)]
    cuenta: String,
    #[schema(schema_with = amount)]
    monto: String,
    #[schema(required = false, schema_with = inferable_issuer)]
    emisor: Option<String>,
    #[schema(required = false, schema_with = inferable_receiver)]
    receptor: Option<String>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `domain::query` reads")]
pub(super) struct ParsedProofRequest {
    #[schema(schema_with = date)]
    fecha: String,
    #[schema(schema_with = tracking_key)]
    clave_rastreo: String,
    #[schema(schema_with = account)]
    cuenta: String,
    #[schema(schema_with = amount)]
    monto: String,
    #[schema(schema_with = issuer)]
    emisor: String,
    #[schema(schema_with = receiver)]
    receptor: String,
    #[schema(required = false, schema_with = beneficiary_name)]
    nombre_beneficiario: Option<String>,
    #[schema(required = false, schema_with = beneficiary_tax_id)]
    rfc_beneficiario: Option<String>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `domain::query` reads")]
pub(super) struct ParsedProofRequestAuto {
    #[schema(schema_with = date)]
    fecha: String,
    #[schema(schema_with = tracking_key)]
    clave_rastreo: String,
    #[schema(schema_with = account)]
    cuenta: String,
    #[schema(schema_with = amount)]
    monto: String,
    #[schema(required = false, schema_with = inferable_issuer)]
    emisor: Option<String>,
    #[schema(required = false, schema_with = inferable_receiver)]
    receptor: Option<String>,
    #[schema(required = false, schema_with = beneficiary_name)]
    nombre_beneficiario: Option<String>,
    #[schema(required = false, schema_with = beneficiary_tax_id)]
    rfc_beneficiario: Option<String>,
}

pub(crate) fn date() -> ObjectBuilder {
    text(
        "The calendar day of the transfer in Mexico City, `YYYY-MM-DD`, not before 2004-01-01 and \
         not in the future.",
    )
    .format(Some(SchemaFormat::Custom("date".to_owned())))
    .pattern(Some("^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"))
}

pub(crate) fn tracking_key() -> ObjectBuilder {
    let visible = r"[!#-;=?-\[\]-~]";
    let inner = MAX_LENGTH - 2;
    text(
        "The tracking key: 1 to 30 characters of printable ASCII, case kept, without `<`, `>`, \
         `\"` and `\\`. Blanks around it are dropped.",
    )
    .min_length(Some(1))
    .pattern(Some(format!(
        r"^ *{visible}([ !#-;=?-\[\]-~]{{0,{inner}}}{visible})? *$"
    )))
}

/// A reference number.
pub(crate) fn reference_number() -> ObjectBuilder {
    let with = |zeros: usize| format!("0{{{zeros}}}[1-9][0-9]{{0,{}}}", 6 - zeros);
    let digits: Vec<_> = (0..7).map(with).collect();
    text(
        "The numeric reference of the transfer, in place of `clave_rastreo`: 1 to 7 digits above 0. Several transfers \
         may have it, and it tells no bank: `emisor` is needed.",
    )
    .pattern(Some(format!("^ *({}) *$", digits.join("|"))))
}

/// An account that may be masked.
pub(crate) fn given_account() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(
            "The receiver's account: 18 digits (CLABE), 16 digits (card) or 10 digits (phone). Masked (`****1234`, 3 \
             to 8 digits) or left out, it is completed with your own accounts that fit: at most three are asked \
             for, and it is counted once.",
        ))
}

pub(crate) fn account() -> ObjectBuilder {
    text(
        "The receiver's account: 18 digits (CLABE), 16 digits (card) or 10 digits (phone). Blanks \
         and hyphens are dropped.",
    )
    .pattern(Some(
        "^[ -]*([0-9][ -]*){10}(([0-9][ -]*){6}(([0-9][ -]*){2})?)?$",
    ))
}

pub(crate) fn amount() -> OneOfBuilder {
    OneOfBuilder::new()
        .item(
            ObjectBuilder::new()
                .schema_type(Type::Number)
                .minimum(Some(0.01))
                .maximum(Some(9_999_999_999_999_999_i64))
                .multiple_of(Some(0.01)),
        )
        .item(
            ObjectBuilder::new()
                .schema_type(Type::String)
                .pattern(Some(format!(
                    "^(?=.*[1-9])[0-9]{{1,{MAX_INTEGER_DIGITS}}}(\\.[0-9]{{1,2}})?$"
                ))),
        )
        .description(Some(
            "The exact amount in pesos: greater than zero, at most 2 decimals and 16 digits before \
             the point, no exponent. Read as a decimal, never as a float; a client whose JSON \
             numbers are floats sends a string.",
        ))
}

fn issuer() -> ObjectBuilder {
    institution(
        "Participant code or name of the issuing bank.",
        ["40012", "BBVA"],
    )
}

fn receiver() -> ObjectBuilder {
    institution(
        "Participant code or name of the receiving bank.",
        ["40002", "Banamex"],
    )
}

/// Schema of a participant: a code, or a name, which contains at least one letter.
fn institution(description: &str, examples: [&str; 2]) -> ObjectBuilder {
    text(description)
        .pattern(Some("^([1-9][0-9]{4}|2001|.*[A-Za-z].*)$"))
        .max_length(Some(MAX_NAME_LENGTH))
        .examples(examples)
}

pub(crate) fn inferable_issuer() -> ObjectBuilder {
    or_inferred(issuer()).description(Some(
        "Participant code or name of the issuing bank. Inferred from the tracking key when it is absent or `null`.",
    ))
}

pub(crate) fn inferable_receiver() -> ObjectBuilder {
    or_inferred(receiver()).description(Some(
        "Participant code or name of the receiving bank. Inferred when it is absent or `null`, but not \
         from a phone number.",
    ))
}

fn beneficiary_name() -> ObjectBuilder {
    or_absent(
        "Name that you expect of the beneficiary; compared with the proof's in `coincidencias.nombre`.",
    )
    .examples(["Ejemplo, S.A. de C.V."])
}

fn beneficiary_tax_id() -> ObjectBuilder {
    or_absent(
        "RFC or CURP that you expect of the beneficiary; compared with the proof's in \
         `coincidencias.rfc`.",
    )
    .examples(["EJE800101AB1"])
}

fn or_absent(description: &str) -> ObjectBuilder {
    text(description).schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

fn or_inferred(code: ObjectBuilder) -> ObjectBuilder {
    code.schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

#[derive(ToSchema)]
#[schema(
    content_media_type = "application/xml",
    format = "binary",
    min_length = 1
)]
#[expect(dead_code, reason = "describes the bank's file")]
pub(crate) struct XmlFile(String);

#[derive(ToSchema)]
#[schema(
    content_media_type = "application/pdf",
    format = "binary",
    min_length = 1
)]
#[expect(dead_code, reason = "describes the bank's file")]
pub(crate) struct PdfFile(String);

#[derive(ToSchema)]
#[schema(
    content_media_type = "application/zip",
    format = "binary",
    min_length = 1
)]
#[expect(dead_code, reason = "describes the archive")]
pub(crate) struct ZipFile(String);

#[derive(ToSchema)]
#[schema(
    content_media_type = "application/octet-stream",
    format = "binary",
    min_length = 1
)]
#[expect(dead_code, reason = "describes a file of either format")]
pub(crate) struct AnyFile(String);

#[derive(ToSchema)]
#[schema(format = "binary", min_length = 1)]
#[expect(dead_code, reason = "describes a table")]
pub(crate) struct TableFile(String);

/// A table as a file of a form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a form")]
pub(crate) struct TableForm {
    /// The table. Its format is told by the part's `Content-Type`, if that is a table's, else by the ending of its
    /// file name: `csv`, `tsv`, `txt`, `ndjson`, `jsonl`, `xlsx`, `xlsm`, `xls` or `ods`. At most 16 MiB.
    #[schema(format = "binary")]
    file: String,
    /// Corrections of cells, a JSON array of at most 10,000 objects and 1 MiB. Each has `field`, one of `fecha`,
    /// `clave_rastreo`, `cuenta`, `monto`, `emisor`, `receptor` and `id`, the new `value`, and either the `line` of a
    /// row or, for all rows with the same value, that value in `from`.
    #[schema(
        required = false,
        content_media_type = "application/json",
        example = r#"[{"line":12,"field":"cuenta","value":"002010077777777771"},{"field":"receptor","from":"BBVA MEX","value":"40012"}]"#
    )]
    corrections: String,
}
