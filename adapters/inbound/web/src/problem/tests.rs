//! The catalogue against the messages of each language.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use axum::response::IntoResponse as _;
use domain::batches::RowState;
use domain::batches::sheet::RESULTS_BEGIN;
use domain::outcome::Outcome;
use domain::payment::PaymentState;
use domain::proofs::check::{CheckName, CheckReason};
use domain::proofs::notice::NoticeCode;
use domain::receipts::ReceiptNotice;
use domain::seals::{NoOpinion, SealOpinion};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use strum::VariantArray as _;

use super::text::{self, Message};
use super::*;
use crate::language::Language;

type Parameters = BTreeMap<String, BTreeSet<String>>;

const LANGUAGES: [Language; 2] = [Language::Spanish, Language::English];

fn declared() -> Vec<Message> {
    [
        Problem::MESSAGES,
        FieldProblem::MESSAGES,
        GapReason::MESSAGES,
        HintReason::MESSAGES,
        Advice::MESSAGES,
        TableNotice::MESSAGES,
        GraphqlProblem::MESSAGES,
        UserProblem::MESSAGES,
        RowRemark::MESSAGES,
    ]
    .concat()
}

/// The messages of a resource, and the parameters that each shows.
fn written(language: Language) -> Parameters {
    let resource = fluent_syntax::parser::parse(text::source(language)).unwrap();
    let mut messages = Parameters::new();
    for entry in resource.body {
        let message = match entry {
            Entry::Message(message) => message,
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => continue,
            other => panic!("{other:?}"),
        };
        let mut parameters = BTreeSet::new();
        collect(&message.value.expect("a text"), &mut parameters);
        let earlier = messages.insert(message.id.name.to_owned(), parameters);
        assert!(earlier.is_none(), "{} is repeated", message.id.name);
    }
    messages
}

fn collect(pattern: &Pattern<&str>, parameters: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else {
            continue;
        };
        match expression {
            Expression::Inline(inline) => collect_inline(inline, parameters),
            Expression::Select { selector, variants } => {
                collect_inline(selector, parameters);
                for variant in variants {
                    collect(&variant.value, parameters);
                }
            }
        }
    }
}

fn collect_inline(expression: &InlineExpression<&str>, parameters: &mut BTreeSet<String>) {
    match expression {
        InlineExpression::VariableReference { id } => {
            parameters.insert(id.name.to_owned());
        }
        InlineExpression::FunctionReference { id, arguments } => {
            assert_eq!(id.name, "LIST");
            for argument in &arguments.positional {
                collect_inline(argument, parameters);
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_language_has_every_message_with_its_parameters_and_no_other() {
    let mut expected = Parameters::new();
    for message in declared() {
        let parameters = message.parameters.iter().map(|name| (*name).to_owned());
        let earlier = expected.insert(message.id.to_owned(), parameters.collect());
        assert!(earlier.is_none(), "{} is used twice", message.id);
    }
    let reasons = CheckReason::ALL.map(|reason| ("check", reason.name()));
    let names = CheckName::ALL.map(|name| ("check-ok", name.name()));
    let notices = NoticeCode::ALL.map(|code| ("notice", code.name()));
    let states = RowState::ALL.map(|state| ("row-state", state.name()));
    let payments = PaymentState::ALL.map(|state| ("payment-state", state.name()));
    let words = ResultWord::VARIANTS
        .iter()
        .map(|word| (results::KIND, (*word).into()));
    let failures = Outcome::ALL.into_iter().filter(|it| it.is_refunded());
    let failures = failures.map(|outcome| ("failure", outcome.name()));
    let receipts = ReceiptNotice::ALL.map(|notice| ("receipt", notice.name()));
    let opinions = SealOpinion::ALL.map(|opinion| ("opinion", opinion.name()));
    let none = NoOpinion::ALL.map(|reason| ("no-opinion", reason.name()));
    let states = states
        .into_iter()
        .chain(opinions)
        .chain(none)
        .chain(payments)
        .chain(words)
        .chain(failures)
        .chain(receipts);
    for (kind, name) in reasons
        .into_iter()
        .chain(names)
        .chain(notices)
        .chain(states)
    {
        expected.insert(text::id_of_name(kind, name), BTreeSet::new());
    }
    let told = ["receptor", "emisor"].map(|field| (field, ["not-told", "unclear"]));
    let found = ["clave-rastreo", "fecha", "monto", "cuenta"]
        .map(|field| (field, ["not-found", "unclear"]));
    for (field, reasons) in found
        .into_iter()
        .chain(told)
        .chain([("cuenta", ["masked"; 2])])
    {
        expected
            .extend(reasons.map(|reason| (format!("missing-{field}-{reason}"), BTreeSet::new())));
    }
    for language in LANGUAGES {
        assert_eq!(written(language), expected, "{language:?}");
    }
}

#[test]
fn the_first_heading_of_results_is_the_one_by_which_their_tables_are_known() {
    assert_eq!(
        LANGUAGES.map(|it| ResultWord::State.text(it)),
        RESULTS_BEGIN
    );
}

#[test]
fn a_message_shows_numbers_as_they_are_and_lists_as_a_sentence() {
    let problem = Problem::InvalidFields {
        faults: vec![
            FieldFault::new("fecha", FieldProblem::Missing),
            FieldFault::new("monto", FieldProblem::Missing),
        ],
    };
    assert_eq!(
        problem.message(Language::Spanish),
        "La petición no es válida: corrija los campos fecha y monto."
    );
    assert_eq!(
        Problem::invalid_field("monto", FieldProblem::Missing).message(Language::English),
        "The request is not valid: correct the field monto."
    );
    let most = 10_000_000;
    assert_eq!(
        UserProblem::MonthlyQuota { most }.message(Language::Spanish),
        "La cuota mensual es un número de 1 a 10000000, o null para no tener tope."
    );
}

#[test]
fn every_code_is_some_problems() {
    for code in Code::VARIANTS {
        let used = Problem::CODES.contains(code) || GraphqlProblem::CODES.contains(code);
        assert!(used, "{code:?}");
    }
}

#[test]
fn a_problem_is_told_in_the_language_of_its_reader() {
    for language in LANGUAGES {
        let mut response = Problem::RouteNotFound.into_response();
        let before = response.headers().clone();
        render(&mut response, language);
        assert_eq!(response.headers(), &before);
        let size = axum::body::HttpBody::size_hint(response.body()).exact();
        let told = Problem::RouteNotFound.bytes(language);
        assert_eq!(size, Some(told.len() as u64), "{language:?}");
    }
}

/// A problem of every kind.
#[expect(clippy::too_many_lines, reason = "a list")]
fn every_problem() -> Vec<Problem> {
    let retry_after = Duration::from_millis(1_500);
    let (limit, most, position, levels) = (1, 1, 1, 8);
    let field = "monto";
    let id = || domain::request::RequestId::parse("test-1").unwrap();
    let missing = || {
        Box::new(MissingProof {
            payment: None,
            inferred: InferredBanks::default(),
            hints: vec![],
        })
    };
    vec![
        Problem::IncompleteBody,
        Problem::StalledBody {
            bytes: 1,
            period: retry_after,
        },
        Problem::EmptyBody,
        Problem::NotUtf8 { position },
        Problem::ByteOrderMark,
        Problem::MalformedJson { position },
        Problem::NotAnObject { found: "array" },
        Problem::DuplicateKey { field, position },
        Problem::DuplicateUnknownKey { position },
        Problem::TooDeep { position, levels },
        Problem::invalid_field("monto", FieldProblem::Missing),
        Problem::SameInstitution {
            code: ParticipantCode::CENTRAL_BANK,
            inferred: Box::default(),
        },
        Problem::EmptyChange { fields: &["name"] },
        Problem::NotAProof {
            reason: CheckReason::ALL[0],
            element: None,
        },
        Problem::EmptyReceipt,
        Problem::ReceiptDamaged,
        Problem::ReceiptEncrypted,
        Problem::ReceiptTooLarge,
        Problem::ReceiptTooSlow,
        Problem::InferenceFailed {
            issuer: Some(GapReason::TrackingKeyShape),
            receiver: None,
            explicit_endpoints: vec![],
        },
        Problem::InvalidApiKey,
        Problem::Unauthenticated,
        Problem::NoCredential,
        Problem::QuotaExceeded {
            limit: 1,
            used: 1,
            reset_at: DateTime::UNIX_EPOCH,
        },
        Problem::CrossSite,
        Problem::AdminsOnly,
        Problem::NotInSpei { missing: missing() },
        Problem::ProofNotIssued { missing: missing() },
        Problem::PaymentInProcess { missing: missing() },
        Problem::ReturnInProcess { missing: missing() },
        Problem::PaymentReturned { missing: missing() },
        Problem::PaymentRejected { missing: missing() },
        Problem::PaymentCanceled { missing: missing() },
        Problem::NoSuchResource,
        Problem::NoSuchLookup,
        Problem::FirstErased,
        Problem::EmptyTable,
        Problem::TableNotText,
        Problem::AllPassedOver { rows: 60 },
        Problem::NoBoundary,
        Problem::MalformedForm,
        Problem::IncompletePart { part: "file" },
        Problem::WorkbookUnreadable,
        Problem::WorkbookEncrypted,
        Problem::WorkbookTooLarge,
        Problem::NoSuchSheet {
            wanted: "Pagos".to_owned(),
            sheets: vec!["Hoja1".to_owned(), "Hoja2".to_owned()],
        },
        Problem::TableNoHeader {
            columns: vec![],
            sheets: vec![],
        },
        Problem::TableHeader { line: 1 },
        Problem::MissingColumns {
            missing: vec![],
            columns: vec![],
            sheets: vec![],
        },
        Problem::RepeatedColumn {
            column: "monto",
            found: vec![],
            columns: vec![],
            sheets: vec![],
        },
        Problem::NothingToLookUp {
            rows: 1,
            faults: vec![],
        },
        Problem::NotAnArchive,
        Problem::DamagedArchive,
        Problem::ArchiveTooLarge,
        Problem::NoSuchBatch,
        Problem::FileNotKept,
        Problem::WebSocketRequired { protocol: "x" },
        Problem::RouteNotFound,
        Problem::MethodNotAllowed,
        Problem::RequestTimeout {
            deadline: retry_after,
        },
        Problem::KeyRevoked,
        Problem::KeyRotated,
        Problem::LookupNotDelivered,
        Problem::BatchEnded,
        Problem::BatchNotEnded,
        Problem::BatchCanceled,
        Problem::TooManyBatches { most: 1 },
        Problem::TooManyStoredRows { most: 1 },
        Problem::TooFewRows { rows: 1, least: 2 },
        Problem::TooManyKeys { most: 1 },
        Problem::TooManyWebhooks { most: 1 },
        Problem::WebhookDisabled,
        Problem::DeliveryPending,
        Problem::IdempotencyKeyReused,
        Problem::IdempotencyKeyInProgress { retry_after },
        Problem::PayloadTooLarge { max_bytes: 1 },
        Problem::LargeReceipt { max_bytes: 8 << 20 },
        Problem::PartTooLarge {
            part: "file",
            max_bytes: 1,
        },
        Problem::UnsupportedMediaType,
        Problem::UnsupportedFileType,
        Problem::EncodedReceipt,
        Problem::UnsupportedReceipt,
        Problem::UnsupportedPicture,
        Problem::UnsupportedTableType,
        Problem::UnsupportedPartType,
        Problem::UnsupportedBodyType,
        Problem::UnsupportedArchiveType,
        Problem::RateLimited { limit, retry_after },
        Problem::TooManyNewKeys { most, retry_after },
        Problem::TooManyRequests { limit, retry_after },
        Problem::TooManyWebSockets { most },
        Problem::TooManyReads { limit, retry_after },
        Problem::TooManyRepeats { limit, retry_after },
        Problem::NoRecognition,
        Problem::Internal { request_id: id() },
        Problem::BankProtocol,
        Problem::BankUnavailable { retry_after },
        Problem::BankThrottled { retry_after },
        Problem::BankTimeout,
        Problem::TooManyDownloads { retry_after },
        Problem::TooManyUploads { retry_after },
        Problem::RecognitionBusy { retry_after },
        Problem::Unavailable { retry_after },
        Problem::NotReady { components: vec![] },
    ]
}

#[test]
fn details_say_how_long_to_wait_wherever_the_header_does() {
    let problems = every_problem();
    let kinds: HashSet<_> = problems.iter().map(std::mem::discriminant).collect();
    assert_eq!(problems.len(), Problem::CODES.len());
    assert_eq!(kinds.len(), Problem::CODES.len());
    for problem in problems {
        let response = problem.response(Language::Spanish);
        let header = response.headers().get("retry-after");
        let told = problem.details(Language::Spanish).retry_after;
        assert_eq!(told, problem.retry_after().map(|_| 2), "{problem:?}");
        let header = header.map(|seconds| seconds.to_str().unwrap().parse().unwrap());
        assert_eq!(told, header, "{problem:?}");
    }
}

#[test]
fn what_is_told_to_wait_for_takes_a_time() {
    let mut waiting = every_problem();
    waiting.retain(|problem| problem.retry_after().is_some());
    let codes = waiting.iter().map(|problem| problem.code().name());
    let limits = ["RATE_LIMIT_EXCEEDED"; 5];
    let the_banks = ["BANK_UNAVAILABLE", "BANK_THROTTLED"];
    let expected = ["IDEMPOTENCY_KEY_IN_PROGRESS"].into_iter().chain(limits);
    let expected = expected.chain(the_banks).chain(["SERVICE_UNAVAILABLE"; 4]);
    assert!(codes.eq(expected), "{waiting:?}");
}
