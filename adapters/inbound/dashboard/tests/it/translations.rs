//! Dictionaries of the page: both languages have the same texts.

use std::collections::BTreeSet;
use std::fs;

use domain::batch::BatchState;
use domain::batch::sheet::Column;
use domain::check::{CheckName, CheckOutcome, CheckResult};
use domain::latency::Latencies;
use domain::limits::Plan;
use domain::lookup::LookupState;
use domain::name_match::MatchLevel;
use domain::outcome::{Endpoint, Outcome};
use domain::proof::ProofField;
use domain::seal::{NotChecked, SealVerdict};
use domain::usage::Totals;
use domain::webhook::{DeliveryState, DisabledReason, EventType, SendFailure};
use regex::Regex;

use crate::page::{page, scripts};

/// The topics that a dictionary consists of, in the order in which its file merges them.
fn topics(language: &str) -> Vec<String> {
    let file = fs::read_to_string(page().join(format!("js/i18n/{language}.js"))).unwrap();
    let import = Regex::new(&format!(
        r"(?m)^import (\w+) from '\./{language}/(\w+)\.js';$"
    ))
    .unwrap();
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
        let file = fs::read_to_string(page().join(&name)).unwrap();
        let inside = file
            .lines()
            .skip_while(|line| *line != "export default {")
            .skip(1);
        let inside = inside
            .take_while(|line| *line != "};")
            .filter(|line| !line.is_empty());
        texts.extend(inside.map(|text| {
            let found = line
                .captures(text)
                .unwrap_or_else(|| panic!("{name}: {text}"));
            (found[1].to_owned(), found[2].to_owned())
        }));
    }
    texts
}

fn keys(texts: &[(String, String)]) -> Vec<&str> {
    texts.iter().map(|(key, _)| key.as_str()).collect()
}

#[test]
fn every_topic_is_part_of_both_dictionaries() {
    for language in ["es", "en"] {
        let folder = fs::read_dir(page().join("js/i18n").join(language)).unwrap();
        let files = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let merged = topics(language)
            .into_iter()
            .map(|topic| format!("{topic}.js"));
        assert_eq!(
            merged.collect::<BTreeSet<_>>(),
            files.collect::<BTreeSet<_>>(),
            "{language}"
        );
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
    let values = |text: &str| -> BTreeSet<String> {
        value
            .captures_iter(text)
            .map(|found| found[1].to_owned())
            .collect()
    };
    for ((key, spanish), (_, english)) in texts("es").iter().zip(&texts("en")) {
        assert_eq!(values(spanish), values(english), "{key}");
    }
}

#[test]
fn every_text_in_use_exists_and_every_text_is_in_use() {
    let plain = Regex::new(r"\bt\(\s*'([^']+)'").unwrap();
    let counted = Regex::new(r"\btn\('([^']+)'").unwrap();
    let made = Regex::new(r"\bt\(`([^`$]+)\$\{").unwrap();
    let quoted = Regex::new(r"'([a-z_]+\.[A-Za-z0-9_.]+)'").unwrap();
    let (mut asked, mut beginnings, mut mentioned) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (_, script) in scripts()
        .into_iter()
        .filter(|(name, _)| !name.starts_with("js/i18n/"))
    {
        let all = |pattern: &Regex| -> Vec<String> {
            pattern
                .captures_iter(&script)
                .map(|found| found[1].to_owned())
                .collect()
        };
        asked.extend(all(&plain));
        for key in all(&counted) {
            asked.extend([format!("{key}.one"), format!("{key}.other")]);
        }
        beginnings.extend(all(&made));
        mentioned.extend(all(&quoted));
    }
    let texts = texts("es");
    let there: BTreeSet<_> = keys(&texts).into_iter().collect();
    let missing: Vec<_> = asked
        .iter()
        .filter(|key| !there.contains(key.as_str()))
        .collect();
    assert!(missing.is_empty(), "no text for {missing:?}");
    let is_used = |key: &&str| {
        asked.contains(*key)
            || mentioned.contains(*key)
            || beginnings
                .iter()
                .any(|beginning| key.starts_with(beginning.as_str()))
    };
    let unused: Vec<_> = there.iter().copied().filter(|key| !is_used(key)).collect();
    assert!(unused.is_empty(), "nobody asks for {unused:?}");
}

#[test]
fn every_outcome_has_a_name_and_a_colour_and_every_endpoint_is_listed() {
    let spanish = texts("es");
    let colours = fs::read_to_string(page().join("css/tokens.css")).unwrap();
    let usage = fs::read_to_string(page().join("js/components/usage-panel.js")).unwrap();
    for outcome in Outcome::ALL {
        let name = outcome.name().to_uppercase();
        assert!(
            keys(&spanish).contains(&&*format!("outcome.{name}")),
            "{name}"
        );
        assert!(usage.contains(&format!("'{name}'")), "{name}");
        // Lookups give it as a reason.
        let reason = outcome.reason_name().to_uppercase();
        assert!(
            keys(&spanish).contains(&&*format!("outcome.{reason}")),
            "{reason}"
        );
        let mut styles = vec![format!(".outcome-{name}")];
        if reason != name {
            styles.push(format!(".outcome-{reason}"));
        }
        let styles = styles.join(", ");
        assert!(colours.contains(&format!("{styles} {{")), "{styles}");
    }
    for endpoint in Endpoint::ALL {
        let name = endpoint.name().to_uppercase();
        assert!(usage.contains(&format!("'{name}'")), "{name}");
    }
}

#[test]
fn every_state_of_a_lookup_has_a_name_and_a_colour() {
    let spanish = texts("es");
    let facts = fs::read_to_string(page().join("js/components/lookup-facts.js")).unwrap();
    for state in LookupState::ALL {
        let name = state.name().to_uppercase();
        let key = format!("lookup.state.{name}");
        assert!(keys(&spanish).contains(&&*key), "{name}");
        assert!(facts.contains(&format!("{name}: '")), "{name}");
    }
}

#[test]
fn all_that_is_told_of_batches_and_webhooks_has_a_text() {
    let columns = Column::ALL.map(Column::name);
    let named = [
        ("batch.state", upper(BatchState::ALL.map(BatchState::name))),
        ("row.state", upper(LookupState::ALL.map(LookupState::name))),
        ("row.state", upper(["faulty", "duplicate", "not_begun"])),
        ("columns", columns.map(str::to_owned).to_vec()),
        (
            "webhook.disabled",
            upper(DisabledReason::ALL.map(DisabledReason::name)),
        ),
        (
            "webhook.disabled_more",
            upper(DisabledReason::ALL.map(DisabledReason::name)),
        ),
        (
            "delivery.state",
            upper(DeliveryState::ALL.map(DeliveryState::name)),
        ),
        (
            "delivery.failure",
            upper(SendFailure::ALL.map(SendFailure::name)),
        ),
    ];
    let spanish = texts("es");
    let there: BTreeSet<_> = keys(&spanish).into_iter().collect();
    for (prefix, names) in named {
        for name in names {
            let key = format!("{prefix}.{name}");
            assert!(there.contains(&*key), "{key}");
        }
    }
    let requests = fs::read_to_string(page().join("js/batch-requests.js")).unwrap();
    let listed = format!("COLUMNS = ['{}'];", columns.join("', '"));
    assert!(requests.contains(&listed), "{listed}");
    let facts = fs::read_to_string(page().join("js/components/webhook-facts.js")).unwrap();
    let subscribed = EventType::ALL
        .into_iter()
        .filter(|event| *event != EventType::Test)
        .map(|event| event.name().replace('.', "_").to_uppercase())
        .collect::<Vec<_>>();
    let listed = format!("EVENTS = ['{}'];", subscribed.join("', '"));
    assert!(facts.contains(&listed), "{listed}");
    for event in subscribed {
        let key = format!("webhook.event.{event}");
        assert!(there.contains(&*key), "{key}");
    }
}

/// Names as GraphQL writes them.
fn upper<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_uppercase).to_vec()
}

#[test]
fn every_verdict_on_a_seal_has_a_name_an_explanation_and_a_colour() {
    let spanish = texts("es");
    let colours = fs::read_to_string(page().join("css/components.css")).unwrap();
    for verdict in SealVerdict::ALL {
        let name = verdict.name();
        for key in [format!("seal.{name}"), format!("seal.{name}.help")] {
            assert!(keys(&spanish).contains(&&*key), "{key}");
        }
        assert!(
            colours.contains(&format!(".seal-badge.{name} {{")),
            "{name}"
        );
    }
}

#[test]
fn all_that_is_told_of_a_proof_has_a_text() {
    let named = [
        ("check.name", CheckName::ALL.map(CheckName::name).to_vec()),
        (
            "check.result",
            CheckResult::ALL.map(CheckResult::name).to_vec(),
        ),
        (
            "verify.result",
            CheckOutcome::ALL.map(CheckOutcome::name).to_vec(),
        ),
        (
            "verify.more",
            CheckOutcome::ALL.map(CheckOutcome::name).to_vec(),
        ),
        // A seal has the same three verdicts.
        (
            "proof.seal",
            CheckOutcome::ALL.map(CheckOutcome::name).to_vec(),
        ),
        (
            "proof.seal.more",
            CheckOutcome::ALL.map(CheckOutcome::name).to_vec(),
        ),
        (
            "proof.seal.reason",
            NotChecked::ALL.map(NotChecked::name).to_vec(),
        ),
        (
            "proof.field",
            ProofField::ALL.map(ProofField::name).to_vec(),
        ),
        ("proof.match.nombre", shown_matches()),
        ("proof.match.rfc", shown_matches()),
    ];
    let spanish = texts("es");
    let there: BTreeSet<_> = keys(&spanish).into_iter().collect();
    for (prefix, names) in named {
        assert!(!names.is_empty(), "{prefix}");
        for name in names {
            let key = format!("{prefix}.{name}");
            assert!(there.contains(&*key), "{key}");
        }
    }
}

/// Results of a comparison that was asked for.
fn shown_matches() -> Vec<&'static str> {
    let asked = MatchLevel::ALL
        .into_iter()
        .filter(|level| *level != MatchLevel::NotAsked);
    asked.map(MatchLevel::name).collect()
}

#[test]
fn an_outcome_of_a_limit_can_not_be_filtered_by() {
    let is_refusal = |outcome: &Outcome| {
        let mut totals = Totals::default();
        totals.add(*outcome, 1, &Latencies::default());
        totals.refused == 1
    };
    let refusals: Vec<_> = Outcome::ALL
        .into_iter()
        .filter(is_refusal)
        .map(|outcome| format!("'{}'", outcome.name().to_uppercase()))
        .collect();
    let usage = fs::read_to_string(page().join("js/components/usage-panel.js")).unwrap();
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
            let month = limits
                .monthly_quota()
                .map_or(no_cap.to_owned(), |quota| format!(" {quota} a"));
            assert!(told.contains(&month), "{language}: {told}");
        }
    }
}
