//! Dictionaries of the page: both languages have the same texts.

use std::collections::BTreeSet;
use std::fs;

use domain::batches::BatchState;
use domain::batches::sheet::Column;
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::lookups::LookupState;
use domain::name_match::MatchLevel;
use domain::outcome::{Endpoint, Outcome};
use domain::proofs::ProofField;
use domain::proofs::check::{CheckName, CheckOutcome, CheckResult};
use domain::seals::{NotChecked, SealVerdict};
use domain::usage::Totals;
use domain::webhooks::{DeliveryState, DisabledReason, EventType, SendFailure};
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
    let spanish = texts("es");
    let there: BTreeSet<_> = keys(&spanish).into_iter().collect();
    let lookups = upper(LookupState::ALL.map(LookupState::name));
    let deliveries = upper(DeliveryState::ALL.map(DeliveryState::name));
    let failures = upper(SendFailure::ALL.map(SendFailure::name));
    let checks = lower(CheckResult::ALL.map(CheckResult::name));
    let reasons = lower(NotChecked::ALL.map(NotChecked::name));
    let disabled = upper(DisabledReason::ALL.map(DisabledReason::name));
    let helps = SealVerdict::ALL.map(|seal| format!("{}.help", seal.name()));
    // A seal has the same three verdicts as a check.
    let results = lower(CheckOutcome::ALL.map(CheckOutcome::name));
    for (prefix, names) in [
        ("outcome", upper(Outcome::ALL.map(Outcome::reason_name))),
        ("lookup.state", lookups.clone()),
        ("batch.state", upper(BatchState::ALL.map(BatchState::name))),
        ("row.state", lookups),
        ("row.state", upper(["faulty", "duplicate", "not_begun"])),
        ("columns", lower(Column::ALL.map(Column::name))),
        ("webhook.event", subscribed()),
        ("webhook.disabled", disabled.clone()),
        ("webhook.disabled_more", disabled),
        ("delivery.state", deliveries),
        ("delivery.failure", failures),
        ("seal", helps.to_vec()),
        ("seal", lower(SealVerdict::ALL.map(SealVerdict::name))),
        ("check.name", lower(CheckName::ALL.map(CheckName::name))),
        ("check.result", checks),
        ("verify.result", results.clone()),
        ("verify.more", results.clone()),
        ("proof.seal", results.clone()),
        ("proof.seal.more", results),
        ("proof.seal.reason", reasons),
        ("proof.field", lower(ProofField::ALL.map(ProofField::name))),
        ("proof.match.nombre", shown_matches()),
        ("proof.match.rfc", shown_matches()),
    ] {
        assert!(!names.is_empty(), "{prefix}");
        for name in names {
            let key = format!("{prefix}.{name}");
            assert!(there.contains(&*key), "{key}");
        }
    }
}

/// Names as GraphQL writes them.
fn upper<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_uppercase).to_vec()
}

/// Names as REST writes them.
fn lower<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// Results of a comparison that was asked for.
fn shown_matches() -> Vec<String> {
    let mut levels = MatchLevel::ALL.to_vec();
    levels.retain(|level| *level != MatchLevel::NotAsked);
    levels
        .into_iter()
        .map(|level| level.name().to_owned())
        .collect()
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
