//! Labels of the portal's page, and the values next to or below them.

use super::{ProofField, TextRun};
use crate::proofs::field::Wording::{self, Begins, Is};
use crate::proofs::value::without_blanks;

/// Maximum distance between the base lines of a label and the value to its right; rows are 18 points
/// apart.
const SAME_ROW: f32 = 7.0;
/// Maximum distance between a label and the value below it, in points.
const BELOW: f32 = 28.0;
/// Maximum vertical distance between two texts of the same line, in points.
const SAME_LINE: f32 = 4.0;
/// Maximum distance between two lines of the same text, in points.
const NEXT_LINE: f32 = 15.0;
/// Maximum horizontal offset between a label and the text below it, in points.
const INDENT: f32 = 6.0;

/// Meaning of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// Label of a field; one that both parties have is the payer's.
    Field(ProofField),
    Chain,
    Seal,
    Certificate,
    /// Label of a value that isn't compared.
    Other,
}

/// The portal's labels of what isn't a field.
const LABELS: [(Wording, Label); 8] = [
    (Is("de celular"), Label::Other),
    (Is("referencia numérica"), Label::Other),
    (Is("ordenante"), Label::Other),
    (Is("beneficiario"), Label::Other),
    (Begins("* la fecha y la hora de abono"), Label::Other),
    (
        Begins("número de serie del certificado"),
        Label::Certificate,
    ),
    (
        Begins("cadena original (información del pago)"),
        Label::Chain,
    ),
    (Begins("sello digital (firma"), Label::Seal),
];

/// The text runs of a page, with the labels among them recognised.
pub(super) struct Page<'a> {
    runs: Vec<(&'a TextRun, Option<Label>)>,
}

impl<'a> Page<'a> {
    pub(super) fn of(runs: &'a [TextRun]) -> Self {
        let runs = runs
            .iter()
            .filter(|run| !run.text.trim().is_empty())
            .map(|run| (run, label(&run.text)))
            .collect();
        Self { runs }
    }

    pub(super) fn chain(&self) -> Option<Vec<String>> {
        self.block(Label::Chain)
    }

    pub(super) fn seal(&self) -> Option<String> {
        let seal = self.block(Label::Seal)?.concat();
        Some(without_blanks(&seal))
    }

    pub(super) fn certificate(&self) -> Option<String> {
        let number = self.block(Label::Certificate)?.concat();
        Some(without_blanks(&number))
    }

    /// All text at the position of a field's value, joined by blanks. `None` if the field's label is
    /// missing or repeated, or has no value.
    pub(super) fn value(&self, field: ProofField) -> Option<String> {
        let label = self.label_of(field)?;
        let column_end = self.next_label(label).map_or(f32::MAX, |next| next.x);
        let beside = |run: &TextRun| {
            run.x > label.x + 1.0 && run.x < column_end && (run.y - label.y).abs() <= SAME_ROW
        };
        let mut values = self.values(beside);
        if values.is_empty() {
            values = self.line_below(label, column_end);
        }
        self.add_further_lines(&mut values);
        let text = joined(values, " ").concat_lines();
        (!text.is_empty()).then_some(text)
    }

    /// The label of a field; `None` if it is missing or repeated. A label that both parties have occurs
    /// twice: the payer's on the left, the beneficiary's on the right.
    fn label_of(&self, field: ProofField) -> Option<&'a TextRun> {
        let sharing = sharing_labels(field);
        let [first, ..] = sharing[..] else {
            return None;
        };
        let labels = self
            .runs
            .iter()
            .filter_map(|(run, label)| (*label == Some(Label::Field(first))).then_some(*run));
        let mut labels: Vec<&TextRun> = labels.collect();
        labels.sort_by(|one, other| one.x.total_cmp(&other.x));
        let place = sharing.iter().position(|sharing| *sharing == field)?;
        (labels.len() == sharing.len()).then(|| labels[place])
    }

    /// The next label to the right in the same row.
    fn next_label(&self, label: &TextRun) -> Option<&'a TextRun> {
        self.runs
            .iter()
            .filter(|(_, is_label)| is_label.is_some())
            .map(|(run, _)| *run)
            .filter(|run| run.x > label.x + 1.0 && (run.y - label.y).abs() <= SAME_ROW)
            .min_by(|one, other| one.x.total_cmp(&other.x))
    }

    /// The nearest line below a label, up to the end of its column.
    fn line_below(&self, label: &TextRun, column_end: f32) -> Vec<&'a TextRun> {
        let is_below = |run: &TextRun| (0.0..=BELOW).contains(&(label.y - run.y));
        let first = self
            .values(|run| is_below(run) && (run.x - label.x).abs() <= INDENT)
            .into_iter()
            .max_by(|one, other| one.y.total_cmp(&other.y));
        let Some(first) = first else {
            return Vec::new();
        };
        self.values(|run| {
            (first.y - run.y).abs() <= SAME_LINE
                && run.x > label.x - INDENT
                && run.x < column_end - INDENT
        })
    }

    fn values(&self, is_value: impl Fn(&TextRun) -> bool) -> Vec<&'a TextRun> {
        self.runs
            .iter()
            .filter(|(run, label)| label.is_none() && is_value(run))
            .map(|(run, _)| *run)
            .collect()
    }

    /// Adds the following lines of a value, which have the same left edge as the first.
    fn add_further_lines(&self, values: &mut Vec<&'a TextRun>) {
        loop {
            let lowest = values
                .iter()
                .copied()
                .min_by(|one, other| one.y.total_cmp(&other.y));
            let Some(last) = lowest else { return };
            let next = self.values(|run| {
                let drop = last.y - run.y;
                (run.x - last.x).abs() <= 1.5 && drop > SAME_LINE && drop <= NEXT_LINE
            });
            let next = next
                .into_iter()
                .filter(|run| !values.iter().any(|known| std::ptr::eq(*known, *run)));
            let Some(next) = next.max_by(|one, other| one.y.total_cmp(&other.y)) else {
                return;
            };
            values.push(next);
        }
    }

    /// The consecutive lines below a label; `None` if the label is missing or repeated.
    fn block(&self, kind: Label) -> Option<Vec<String>> {
        let mut labels = self.runs.iter().filter(|(_, label)| *label == Some(kind));
        let (Some((label, _)), None) = (labels.next(), labels.next()) else {
            return None;
        };
        let end = self
            .runs
            .iter()
            .filter(|(run, is_label)| is_label.is_some() && run.y < label.y - SAME_LINE)
            .map(|(run, _)| run.y)
            .fold(f32::MIN, f32::max);
        let mut texts =
            self.values(|run| run.y < label.y && run.y > end && run.x > label.x - INDENT);
        texts.sort_by(|one, other| other.y.total_cmp(&one.y));
        let mut last = label.y;
        texts.retain(|run| {
            let is_near = last - run.y <= NEXT_LINE;
            if is_near {
                last = run.y;
            }
            is_near
        });
        let lines = joined(texts, "");
        (!lines.0.is_empty()).then_some(lines.0)
    }
}

/// Lines of text, from the top.
struct Lines(Vec<String>);

impl Lines {
    fn concat_lines(&self) -> String {
        self.0.join(" ").trim().to_owned()
    }
}

fn joined(mut runs: Vec<&TextRun>, separator: &str) -> Lines {
    runs.sort_by(|one, other| other.y.total_cmp(&one.y));
    let mut lines: Vec<Vec<&TextRun>> = Vec::new();
    for run in runs {
        match lines.last_mut() {
            Some(line) if line[0].y - run.y <= SAME_LINE => line.push(run),
            _ => lines.push(vec![run]),
        }
    }
    let text = |mut line: Vec<&TextRun>| {
        line.sort_by(|one, other| one.x.total_cmp(&other.x));
        let texts: Vec<&str> = line.iter().map(|run| run.text.as_str()).collect();
        texts.join(separator)
    };
    Lines(lines.into_iter().map(text).collect())
}

fn label(text: &str) -> Option<Label> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    let is_it = |wording: &Wording| match wording {
        Is(label) => text == *label || text.strip_suffix(':') == Some(*label),
        Begins(label) => text.starts_with(label),
    };
    let of_field = |field: &ProofField| labels_of(*field).iter().any(is_it);
    let field = ProofField::ALL.into_iter().find(of_field);
    field.map(Label::Field).or_else(|| {
        let other = LABELS.iter().find(|(wording, _)| is_it(wording));
        other.map(|(_, label)| *label)
    })
}

fn labels_of(field: ProofField) -> &'static [Wording] {
    field.printed().map_or(&[], |printed| printed.labels)
}

/// The fields with the labels of this one, including it.
fn sharing_labels(field: ProofField) -> Vec<ProofField> {
    let has_them = |other: &ProofField| labels_of(*other) == labels_of(field);
    ProofField::ALL.into_iter().filter(has_them).collect()
}
