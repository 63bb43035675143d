//! Parser of the body that creates a lookup: the fields of a proof request, and options.

use domain::calendar;
use domain::lookups::{MAX_PAIRS, Metadata, MetadataError, RetryFor};
use domain::own_accounts::GivenAccount;
use domain::proofs::file::RequestedFiles;
use domain::query::{Field, ProofQuery};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use web::Problem;
use web::problem::{FieldFault, FieldProblem};

use crate::RestState;
use crate::json;
use crate::unknown_names::UnknownNames;

/// The parsed body of a request that creates a lookup.
pub(crate) struct Question {
    pub(crate) query: ProofQuery<GivenAccount>,
    pub(crate) files: RequestedFiles,
    pub(crate) retry_for: RetryFor,
    pub(crate) metadata: Metadata,
}

/// The options as raw JSON.
#[derive(Deserialize)]
struct Options<'a> {
    #[serde(borrow)]
    formats: Option<&'a RawValue>,
    #[serde(borrow)]
    retry_for: Option<&'a RawValue>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

/// All known members of a body.
const MEMBERS: [&str; 10] = [
    Field::Date.name(),
    Field::TrackingKey.name(),
    Field::Reference.name(),
    Field::Account.name(),
    Field::Amount.name(),
    Field::Issuer.name(),
    Field::Receiver.name(),
    "formats",
    "retry_for",
    "metadata",
];

/// Parses a body, and reports all invalid members at once.
pub(crate) fn read(state: &RestState, body: &[u8]) -> Result<Question, Problem> {
    let members = json::read_object(body, &MEMBERS)?;
    let unknown = json::unknown_members(&members, &MEMBERS, UnknownNames::Refused);
    let (raw, _) = json::fields(members);
    // No member is repeated, so serde reads the same values as `json::read_object`.
    let options: Options<'_> =
        serde_json::from_slice(body).map_err(|_| Problem::MalformedJson { position: 1 })?;
    let today = calendar::today(state.request_layer.clock.now());
    let catalogue = state.participants.catalogue();
    let query = ProofQuery::parse_given(&raw, today, &catalogue);
    let files = option("formats", options.formats, RequestedFiles::Xml, formats);
    let retry_for = option("retry_for", options.retry_for, RetryFor::DEFAULT, retry_for);
    let metadata = option("metadata", options.metadata, Metadata::default(), metadata);
    match (query, files, retry_for, metadata) {
        (Ok(query), Ok(files), Ok(retry_for), Ok(metadata)) if unknown.is_empty() => Ok(Question {
            query,
            files,
            retry_for,
            metadata,
        }),
        (query, files, retry_for, metadata) => {
            let faults = query.err().unwrap_or_default();
            let faults: Vec<_> = faults.iter().map(FieldFault::from).collect();
            let options = [files.err(), retry_for.err(), metadata.err()];
            let faults = faults.into_iter().chain(options.into_iter().flatten());
            Err(Problem::invalid_fields(faults.chain(unknown)))
        }
    }
}

/// Parses an option; `null` counts as absent.
fn option<T>(
    name: &'static str,
    raw: Option<&RawValue>,
    default: T,
    parse: impl FnOnce(&str) -> Result<T, FieldProblem>,
) -> Result<T, FieldFault> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(default),
        Some(text) => parse(text).map_err(|problem| FieldFault::new(name, problem)),
    }
}

/// Allowed items of `formats`.
const FORMATS: &[&str] = &["xml", "pdf"];

fn formats(text: &str) -> Result<RequestedFiles, FieldProblem> {
    let wrong = FieldProblem::NotOneOf { words: FORMATS };
    let words: Vec<String> =
        serde_json::from_str(text).map_err(|_| json::not_a_list(text, "formats"))?;
    if words.is_empty() || words.iter().any(|word| !FORMATS.contains(&&**word)) {
        return Err(wrong);
    }
    // The XML is always stored, because `cep` is read from it.
    Ok(if words.iter().any(|word| word == "pdf") {
        RequestedFiles::Both
    } else {
        RequestedFiles::Xml
    })
}

fn retry_for(text: &str) -> Result<RetryFor, FieldProblem> {
    let wrong = FieldProblem::OutOfRange {
        least: 0,
        most: RetryFor::MAX.duration().as_secs(),
    };
    let seconds: u64 = match serde_json::from_str(text) {
        Ok(seconds) => seconds,
        Err(_) if is_number(text) => return Err(wrong),
        Err(_) => return Err(wrong_type(text, "number")),
    };
    RetryFor::from_secs(seconds).map_err(|_| wrong)
}

fn metadata(text: &str) -> Result<Metadata, FieldProblem> {
    let Pairs(pairs) = serde_json::from_str(text).map_err(|_| wrong_type(text, "object"))?;
    Metadata::new(pairs).map_err(|error| match error {
        MetadataError::TooMany => FieldProblem::TooManyPairs { most: MAX_PAIRS },
        MetadataError::LongName | MetadataError::NameTwice => FieldProblem::MetadataName,
        MetadataError::LongValue => FieldProblem::MetadataValue,
    })
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// The problem of a value, or of an item inside it, of a wrong type.
fn wrong_type(text: &str, expected: &'static str) -> FieldProblem {
    let found = json::type_of_spelt(text);
    if found == expected {
        // The outer type is right, so an inner value has a wrong type.
        return FieldProblem::NotTexts;
    }
    FieldProblem::WrongType { expected, found }
}

/// The members of an object of strings, in order.
struct Pairs(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Pairs;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<Pairs, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = members.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Members)
    }
}
