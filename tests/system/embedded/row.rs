//! Result of a scenario over its rounds: one printed line, and whether it passes.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::counted::Tally;

/// Characters of an integrity check's answer that the line has.
const SHOWN: usize = 80;

/// A scenario, and the results of its rounds so far.
pub(super) struct Row {
    scenario: String,
    rounds: usize,
    delivered: usize,
    counted: usize,
    lost: usize,
    worst: usize,
    integrity: BTreeSet<String>,
    notes: Vec<String>,
    failures: Vec<String>,
}

/// The result of one round.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) load: Tally,
    /// The month's use by the database that the killed gateway left; `None` when it can't be read.
    pub(super) by_database: Option<usize>,
    /// The month's use by the restarted gateway; `None` when it doesn't serve.
    pub(super) by_gateway: Option<usize>,
    pub(super) integrity: String,
    pub(super) failures: Vec<String>,
}

/// Rounds of each scenario: `CEP_TEST_ROUNDS`, or one.
pub(super) fn rounds() -> usize {
    let given = variable("CEP_TEST_ROUNDS");
    given.map_or(1, |rounds| {
        rounds.parse().expect("CEP_TEST_ROUNDS is a number")
    })
}

/// Duration of an event: the short one, or the full one with `CEP_TEST_FULL=1`.
pub(super) fn lasting(short: Duration, full: Duration) -> Duration {
    if variable("CEP_TEST_FULL").as_deref() == Some("1") {
        full
    } else {
        short
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long tests take is no setting of the program"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Row {
    pub(super) fn of(scenario: &str) -> Self {
        Self {
            scenario: scenario.to_owned(),
            rounds: 0,
            delivered: 0,
            counted: 0,
            lost: 0,
            worst: 0,
            integrity: BTreeSet::new(),
            notes: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Adds a measurement of the last round.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        let delivered = outcome.load.delivered;
        let counts = [outcome.by_database, outcome.by_gateway];
        let counted = counts.into_iter().flatten().min().unwrap_or(0);
        let lost = delivered.saturating_sub(counted);
        let most = delivered + outcome.load.refused + outcome.load.unanswered;
        self.rounds += 1;
        self.delivered += delivered;
        self.counted += counted;
        self.lost += lost;
        self.worst = self.worst.max(lost);
        if counts.contains(&None) {
            self.failures
                .push(format!("the counts can be read: {counts:?}"));
        }
        if lost > 0 {
            self.failures.push(format!(
                "all that was delivered is counted: {counts:?} of {delivered}"
            ));
        }
        if counts.into_iter().flatten().any(|count| count > most) {
            self.failures.push(format!(
                "no more is counted than was asked: {counts:?} of {most}"
            ));
        }
        if outcome.integrity != "ok" {
            self.failures
                .push(format!("the database is whole: {}", outcome.integrity));
        }
        let shortened = outcome.integrity.chars().take(SHOWN).collect();
        self.integrity.insert(shortened);
        self.failures.extend(outcome.failures);
    }

    /// Prints the line, and fails when a check failed.
    #[expect(
        clippy::print_stdout,
        reason = "the lines of all scenarios make a table"
    )]
    pub(super) fn finish(self) {
        let integrity: Vec<_> = self.integrity.into_iter().collect();
        println!(
            "embedded | {} | rounds {} | delivered {} | counted {} | lost {} | worst {} | integrity {} | failed checks {} | {}",
            self.scenario,
            self.rounds,
            self.delivered,
            self.counted,
            self.lost,
            self.worst,
            integrity.join("; "),
            self.failures.len(),
            self.notes.join(", "),
        );
        assert!(
            self.failures.is_empty(),
            "failed checks:\n{}",
            self.failures.join("\n")
        );
    }
}
