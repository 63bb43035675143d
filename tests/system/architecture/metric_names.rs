//! Names of metrics.

use std::collections::BTreeSet;

use regex::Regex;

use super::sources;

/// The kinds and names that a macro or a function of a metric is called with.
fn named(metric: &Regex, text: &str) -> BTreeSet<(String, String)> {
    let found = metric.captures_iter(text);
    found
        .map(|it| (it[1].to_owned(), it[2].to_owned()))
        .collect()
}

fn metric(called: &str) -> Regex {
    let metric = format!(r#"\b(counter|gauge|histogram){called}\(\s*"((?:cep|process)_\w+)""#);
    Regex::new(&metric).unwrap()
}

/// A metric of another name, or of another kind, would have no help text and no buckets.
#[test]
fn metrics_that_are_recorded_are_those_that_are_described() {
    let (mut recorded, mut described) = (BTreeSet::new(), BTreeSet::new());
    let [description, record] = ["", "!"].map(metric);
    for (path, text) in "adapters application src".split(' ').flat_map(sources) {
        if path.ends_with("src/metrics/names.rs") {
            described = named(&description, &text);
        } else {
            recorded.append(&mut named(&record, &text));
        }
    }
    // Its name is a constant.
    recorded.insert(("gauge".to_owned(), "process_cpu_seconds_total".to_owned()));
    assert_eq!(recorded, described);
}
