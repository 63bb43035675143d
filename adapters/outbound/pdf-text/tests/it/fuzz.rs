//! Lies in pages that were true: none is called valid.
//!
//! `CEP_TEST_LIES=100000 cargo nextest run -p pdf-text -E 'test(no_lie_in_a_true_page)' --no-capture` draws more
//! of them than the suite does, and prints how many there were of each kind.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use domain::proofs::check::{CheckOutcome, PageComparison};

use crate::checks::check;
use crate::draft::{Dice, Draft};
use crate::lies::LIES;
use crate::support::{Files, proof};

/// Rounds in the suite.
const ROUNDS: usize = 600;
/// Rounds whose files a viewer draws.
const DRAWN: usize = 2 * LIES.len();
const THREADS: usize = 4;

static PROOFS: LazyLock<Vec<Files>> = LazyLock::new(|| (0..24).map(proof).collect());

struct Round {
    truth: Vec<u8>,
    name: &'static str,
    lie: Vec<u8>,
}

/// A true page, as the sandbox or the portal writes it, and the same with one lie.
fn round(number: usize) -> Round {
    let mut dice = dice(number);
    let mut draft = Draft::of(&dice.of(&PROOFS).pdf);
    if dice.chance(2) {
        draft.vary(&mut dice);
    }
    let truth = draft.pdf();
    // One of each kind after the other.
    let (name, tell) = LIES[number % LIES.len()];
    let lie = tell(&mut draft, &mut dice);
    Round { truth, name, lie }
}

fn dice(round: usize) -> Dice {
    Dice::new(u64::try_from(round).unwrap())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a longer run is asked for by the environment"
)]
fn rounds() -> usize {
    let asked = env::var("CEP_TEST_LIES").ok();
    asked.map_or(ROUNDS, |rounds| rounds.parse().unwrap())
}

/// Number of lies by their name and by what is said of their page.
type Tally = BTreeMap<(&'static str, Option<&'static str>), usize>;

/// Every fourth round from one on.
fn tally(first: usize, rounds: usize) -> Tally {
    let mut tally = Tally::new();
    for number in (first..rounds).step_by(THREADS) {
        let Round { truth, name, lie } = round(number);
        let report = check(&truth);
        let checks = &report.checks;
        assert_eq!(
            report.outcome(),
            CheckOutcome::Valid,
            "round {number}: {checks:?}"
        );
        let report = check(&lie);
        assert_ne!(
            report.outcome(),
            CheckOutcome::Valid,
            "round {number}: {name}"
        );
        let page = report.page().map(PageComparison::name);
        *tally.entry((name, page)).or_default() += 1;
    }
    tally
}

#[test]
fn no_lie_in_a_true_page_is_called_valid() {
    let rounds = rounds();
    let mut all = Tally::new();
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..THREADS)
            .map(|first| scope.spawn(move || tally(first, rounds)))
            .collect();
        for (kind, number) in parts.into_iter().flat_map(|part| part.join().unwrap()) {
            *all.entry(kind).or_default() += number;
        }
    });
    assert_eq!(all.values().sum::<usize>(), rounds);
    for ((name, page), number) in all {
        println!("{name}, {}: {number}", page.unwrap_or("unreadable"));
    }
}

/// Draws the first page of a PDF as poppler shows it; `None` for a file that it can't open.
fn shown(folder: &Path, pdf: &[u8]) -> Option<Vec<u8>> {
    let file = folder.join("page.pdf");
    fs::write(&file, pdf).unwrap();
    let drawn = Command::new("pdftoppm")
        .args(["-r", "40", "-gray", "-singlefile"])
        .arg(&file)
        .output()
        .unwrap();
    (drawn.status.success() && !drawn.stdout.is_empty()).then_some(drawn.stdout)
}

#[test]
fn a_viewer_shows_the_lies_and_shows_true_pages_alike() {
    let Ok(_) = Command::new("pdftoppm").arg("-v").output() else {
        testkit::skip("no pdftoppm (poppler-utils): no viewer shows the lies");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for number in 0..DRAWN {
        let Round { truth, lie, .. } = round(number);
        let plain = Draft::of(&dice(number).of(&PROOFS).pdf).pdf();
        let truth = shown(folder.path(), &truth).unwrap();
        // Another way to write a true page changes nothing of what it shows.
        assert!(
            shown(folder.path(), &plain).unwrap() == truth,
            "round {number}"
        );
        let is_seen = shown(folder.path(), &lie).is_none_or(|lie| lie != truth);
        seen += usize::from(is_seen);
    }
    println!("a viewer shows {seen} of {DRAWN} lies");
    assert!(seen * 2 > DRAWN, "a viewer shows {seen} of {DRAWN} lies");
}
