//! Dictionaries of the page: both languages have the same texts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use domain::batches::sheet::Column;
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::lookups::LookupState;
use domain::name_match::MatchLevel;
use domain::outcome::{Endpoint, Outcome};
use domain::proofs::ProofField;
use domain::proofs::check::{CheckName, CheckOutcome, CheckResult};
use domain::receipts::{DocumentKind, ReadConfidence};
use domain::seals::{NotChecked, SealVerdict};
use domain::usage::Totals;
use domain::webhooks::EventType;
use regex::Regex;

use crate::page::{page, read, scripts};

/// The topics that a dictionary consists of, in the order in which its file merges them.
fn topics(language: &str) -> Vec<String> {
    let file = read(&format!("js/i18n/{language}.js"));
    let import = format!(r"(?m)^import (\w+) from '\./{language}/(\w+)\.js';$");
    let import = Regex::new(&import).unwrap();
    let imports = import.captures_iter(&file).map(|found| {
        let merged = format!("\n  ...{},\n", &found[1]);
        assert!(file.contains(&merged), "{language}.js merges {}", &found[1]);
        found[2].to_owned()
    });
    imports.collect()
}

/// The texts of a dictionary: one key a line, as the first line of each of its files promises.
fn texts(language: &str) -> Vec<(String, String)> {
    let line = Regex::new(r#"^  '([A-Za-z0-9_.]+)': ['"](.+)['"],$"#).unwrap();
    let mut texts = vec![];
    for topic in topics(language) {
        let name = format!("js/i18n/{language}/{topic}.js");
        let file = read(&name);
        let (_, inside) = file.split_once("\nexport default {\n").unwrap();
        let (inside, _) = inside.split_once("\n};").unwrap();
        for text in inside.lines().filter(|line| !line.is_empty()) {
            let found = line.captures(text);
            let found = found.unwrap_or_else(|| panic!("{name}: {text}"));
            texts.push((found[1].to_owned(), found[2].to_owned()));
        }
    }
    texts
}

fn keys(texts: &[(String, String)]) -> Vec<&str> {
    texts.iter().map(|(key, _)| key.as_str()).collect()
}

/// The first groups of all that a pattern finds.
fn all(pattern: &Regex, text: &str) -> Vec<String> {
    let found = pattern.captures_iter(text);
    found.map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_topic_is_part_of_both_dictionaries() {
    for language in ["es", "en"] {
        let folder = fs::read_dir(page().join("js/i18n").join(language)).unwrap();
        let files = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<_> = files.collect();
        let merged = topics(language)
            .into_iter()
            .map(|topic| format!("{topic}.js"));
        assert_eq!(merged.collect::<BTreeSet<_>>(), files, "{language}");
    }
}

#[test]
fn both_languages_have_the_same_keys_in_the_same_order() {
    let (spanish, english) = (texts("es"), texts("en"));
    assert!(spanish.len() > 100, "the dictionary is read");
    assert_eq!(keys(&spanish), keys(&english));
    let unique: BTreeSet<_> = keys(&spanish).into_iter().collect();
    assert_eq!(unique.len(), spanish.len(), "no key stands twice");
}

#[test]
fn both_languages_fill_in_the_same_values() {
    let value = Regex::new(r"\{(\w+)\}").unwrap();
    let values = |text| all(&value, text).into_iter().collect::<BTreeSet<_>>();
    for ((key, spanish), (_, english)) in texts("es").iter().zip(&texts("en")) {
        assert_eq!(values(spanish), values(english), "{key}");
    }
}

#[test]
fn every_text_in_use_exists_and_every_text_is_in_use() {
    let plain = Regex::new(r"\bt\(\s*'([^']+)'").unwrap();
    let counted = Regex::new(r"\btn\('([^']+)'").unwrap();
    let made = Regex::new(r"\btn?\(`([^`$]+)\$\{").unwrap();
    let quoted = Regex::new(r"'([a-z_]+\.[A-Za-z0-9_.]+)'").unwrap();
    let (mut asked, mut beginnings, mut mentioned) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut scripts = scripts();
    scripts.retain(|(name, _)| !name.starts_with("js/i18n/"));
    for (_, script) in scripts {
        asked.extend(all(&plain, &script));
        for key in all(&counted, &script) {
            asked.extend([format!("{key}.one"), format!("{key}.other")]);
        }
        beginnings.extend(all(&made, &script));
        mentioned.extend(all(&quoted, &script));
    }
    let texts = texts("es");
    let there: BTreeSet<_> = keys(&texts).into_iter().collect();
    let missing = asked.iter().filter(|key| !there.contains(key.as_str()));
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "no text for {missing:?}");
    let is_used = |key: &&str| {
        let mut beginnings = beginnings.iter();
        let is_made = beginnings.any(|beginning| key.starts_with(beginning.as_str()));
        is_made || asked.contains(*key) || mentioned.contains(*key)
    };
    let unused: Vec<_> = there.iter().copied().filter(|key| !is_used(key)).collect();
    assert!(unused.is_empty(), "nobody asks for {unused:?}");
}

#[test]
fn all_that_is_told_has_a_text() {
    let texts = texts("es");
    let there: BTreeSet<_> = keys(&texts).into_iter().collect();
    for (shape, names) in told() {
        assert!(!names.is_empty(), "{shape}");
        for name in names {
            let key = shape.replace("{}", &name);
            assert!(there.contains(&*key), "{key}");
        }
    }
}

#[test]
fn all_texts_of_a_value_have_known_values() {
    let made = Regex::new(r"\btn?\(`([^`$]+)\$\{").unwrap();
    let shapes = told().into_iter().map(|(shape, _)| shape);
    let known: BTreeSet<_> = shapes
        .chain(OF_THE_PAGE)
        .map(|shape| shape.split('{').next().unwrap())
        .collect();
    for (name, script) in scripts() {
        for beginning in all(&made, &script) {
            let is_known = known.contains(&*beginning);
            assert!(is_known, "{name}: whose values does {beginning} have?");
        }
    }
}

/// Texts of values that the page itself names, or that differ from those of the server.
const OF_THE_PAGE: [&str; 25] = [
    "add_webhook.",
    "bank.",
    "batch.count.",
    "field.",
    "given.",
    "import.field.",
    "import.reason.",
    "keys.order.",
    "keys.state.",
    "lookup.file.",
    "new_batch.refused.",
    "own_accounts.",
    "proof.",
    "proof.account.",
    "proof.copy.",
    "range.",
    "receipt.verdict.",
    "row.choice.",
    "seal.file.",
    "span.",
    "try.download.",
    "try.outcome.",
    "verify.refused.",
    "verify.state.",
    "welcome.",
];

/// What the server tells and the page has a text for: the shape of the text's key, and the values.
fn told() -> Vec<(&'static str, Vec<String>)> {
    let seals = || lower(SealVerdict::ALL.map(SealVerdict::name));
    // A seal has the same three verdicts as a check.
    let results = || lower(CheckOutcome::ALL.map(CheckOutcome::name));
    let mut told = vec![
        ("columns.{}", lower(Column::ALL.map(Column::name))),
        ("webhook.event.{}", subscribed()),
        ("seal.{}", seals()),
        ("seal.{}.help", seals()),
        ("seal.file.{}", seals()),
        ("seal.file.{}.help", seals()),
        ("check.name.{}", lower(CheckName::ALL.map(CheckName::name))),
        (
            "check.result.{}",
            lower(CheckResult::ALL.map(CheckResult::name)),
        ),
        ("verify.result.{}", results()),
        ("verify.more.{}", results()),
        ("proof.seal.{}", results()),
        ("proof.seal.more.{}", results()),
        (
            "proof.seal.reason.{}",
            lower(NotChecked::ALL.map(NotChecked::name)),
        ),
        (
            "proof.field.{}",
            lower(ProofField::ALL.map(ProofField::name)),
        ),
        ("proof.match.{}", shown_matches()),
        (
            "receipt.kind.{}",
            lower(DocumentKind::ALL.map(DocumentKind::name)),
        ),
        (
            "receipt.more.{}",
            lower(DocumentKind::ALL.map(DocumentKind::name)),
        ),
        (
            "receipt.confidence.{}",
            lower(ReadConfidence::ALL.map(ReadConfidence::name)),
        ),
    ];
    let schema = schema();
    told.extend(OF_GRAPHQL.map(|(shape, name)| (shape, values(&schema, name))));
    let passed_over = values(&schema, "BatchPassedOverReason");
    let passed_over: Vec<_> = passed_over.iter().map(|it| it.to_lowercase()).collect();
    for shape in ["dry_run.{}.one", "dry_run.{}.other"] {
        told.push((shape, passed_over.clone()));
    }
    told
}

/// Texts of the values of GraphQL's enums, of which the page shows any.
const OF_GRAPHQL: [(&str, &str); 22] = [
    ("audit.{}", "AuditAction"),
    ("bank.{}", "Environment"),
    ("bank_state.{}", "BankState"),
    ("bank_state.{}.help", "BankState"),
    ("batch.state.{}", "BatchState"),
    ("breakdown.{}", "Breakdown"),
    ("chart.slot.{}", "Granularity"),
    ("delivery.failure.{}", "WebhookFailure"),
    ("delivery.state.{}", "WebhookDeliveryState"),
    ("environment.{}", "Environment"),
    ("existing.{}", "ExistingKeys"),
    ("existing.{}.help", "ExistingKeys"),
    ("key.state.{}", "KeyState"),
    ("lookup.source.{}", "InferenceSource"),
    ("lookup.state.{}", "LookupState"),
    ("outcome.{}", "Outcome"),
    ("plan.{}", "Plan"),
    ("plan.{}.help", "Plan"),
    ("role.{}", "Role"),
    ("row.state.{}", "BatchRowState"),
    ("webhook.disabled.{}", "WebhookDisabledReason"),
    ("webhook.disabled_more.{}", "WebhookDisabledReason"),
];

/// The schema of GraphQL without its descriptions.
fn schema() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../schema.graphql");
    let descriptions = Regex::new(r#"(?s)""".*?""""#).unwrap();
    let schema = fs::read_to_string(path).unwrap();
    descriptions.replace_all(&schema, "").into_owned()
}

/// The values of one of its enums.
fn values(schema: &str, name: &str) -> Vec<String> {
    let (_, rest) = schema.split_once(&format!("\nenum {name} {{")).unwrap();
    let (values, _) = rest.split_once('}').unwrap();
    values.split_whitespace().map(str::to_owned).collect()
}

/// Names as GraphQL writes them.
fn upper<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_uppercase).to_vec()
}

/// Names as REST writes them.
fn lower<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// Results of the two comparisons that may be asked for.
fn shown_matches() -> Vec<String> {
    let mut levels = MatchLevel::ALL.to_vec();
    levels.retain(|level| *level != MatchLevel::NotAsked);
    let of = |compared| {
        levels
            .iter()
            .map(move |it| format!("{compared}.{}", it.name()))
    };
    ["nombre", "rfc"].into_iter().flat_map(of).collect()
}

/// Events that a webhook may subscribe to.
fn subscribed() -> Vec<String> {
    let mut events = EventType::ALL.to_vec();
    events.retain(|event| *event != EventType::Test);
    let names = events.into_iter().map(EventType::name);
    names
        .map(|name| name.replace('.', "_").to_uppercase())
        .collect()
}

#[test]
fn every_outcome_state_and_verdict_has_a_colour() {
    let colours = read("css/tokens.css");
    for outcome in Outcome::ALL {
        let style = format!(".outcome-{} {{", outcome.reason_name().to_uppercase());
        assert!(colours.contains(&style), "{style}");
    }
    let lookups = read("js/components/lookup-facts.js");
    for name in upper(LookupState::ALL.map(LookupState::name)) {
        assert!(lookups.contains(&format!("{name}: '")), "{name}");
    }
    let colours = read("css/components.css");
    for verdict in SealVerdict::ALL.map(SealVerdict::name) {
        let style = format!(".seal-badge.{verdict} {{");
        assert!(colours.contains(&style), "{style}");
    }
}

#[test]
fn everything_to_choose_from_is_listed() {
    let usage = read("js/components/usage-panel.js");
    let outcomes = upper(Outcome::ALL.map(Outcome::reason_name));
    for name in [outcomes, upper(Endpoint::ALL.map(Endpoint::name))].concat() {
        assert!(usage.contains(&format!("'{name}'")), "{name}");
    }
    let columns = Column::ALL.into_iter().chain(Column::OF_STATEMENTS);
    let columns: Vec<_> = columns.map(Column::name).collect();
    let columns = columns.join("', '");
    let events = subscribed().join("', '");
    for (file, name, listed) in [
        ("batch-requests", "COLUMNS", columns),
        ("components/webhook-facts", "EVENTS", events),
    ] {
        let listed = format!("{name} = ['{listed}'];");
        let script = read(&format!("js/{file}.js"));
        assert!(script.contains(&listed), "{listed}");
    }
}

#[test]
fn an_outcome_of_a_limit_can_not_be_filtered_by() {
    let is_refusal = |outcome: &Outcome| {
        let mut totals = Totals::default();
        totals.add(*outcome, 1, &Latencies::default());
        totals.refused == 1
    };
    let refusals = Outcome::ALL.into_iter().filter(is_refusal);
    let refusals = refusals.map(|outcome| format!("'{}'", outcome.reason_name().to_uppercase()));
    let refusals: Vec<_> = refusals.collect();
    let usage = read("js/components/usage-panel.js");
    let told = format!("const REFUSALS = [{}];", refusals.join(", "));
    assert!(usage.contains(&told), "{told}");
}

#[test]
fn the_text_of_a_plan_names_its_limits() {
    for (language, no_cap) in [("es", "sin tope mensual"), ("en", "no monthly cap")] {
        let texts = texts(language);
        for plan in Plan::ALL {
            let key = format!("plan.{}.help", plan.name().to_uppercase());
            let (_, told) = texts.iter().find(|(given, _)| *given == key).unwrap();
            let told = told.replace(',', "");
            let limits = plan.limits();
            let minute = format!("{} ", limits.per_minute());
            assert!(told.starts_with(&minute), "{language}: {told}");
            let quota = limits.monthly_quota().map(|quota| format!(" {quota} a"));
            let month = quota.unwrap_or(no_cap.to_owned());
            assert!(told.contains(&month), "{language}: {told}");
        }
    }
}
