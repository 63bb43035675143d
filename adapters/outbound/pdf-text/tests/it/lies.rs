//! Lies: each makes of a true page one that may show something else, by one means of the format.

#![expect(
    clippy::format_push_string,
    reason = "an allocation more costs a test nothing"
)]

use crate::draft::{Dice, Draft};

mod drawings;
mod structure;
mod texts;

use drawings::{
    annotation, area, clip, colour, form, inline_picture, line, optional, picture, shading,
    transparency,
};
use structure::{contents, font, hidden, object_stream, order, revision, sheet};
use texts::{day_of_query, information, moved, odd_text, text, value};

/// A lie; returns the file.
pub(crate) type Lie = fn(&mut Draft, &mut Dice) -> Vec<u8>;

/// All of them, by their names.
pub(crate) const LIES: [(&str, Lie); 24] = [
    ("a text more", text),
    ("a text in its own state", odd_text),
    ("another value", value),
    ("a moved text", moved),
    ("a colour", colour),
    ("a line", line),
    ("an area", area),
    ("a clipping path", clip),
    ("a shading or pattern", shading),
    ("a picture", picture),
    ("an inline picture", inline_picture),
    ("a form", form),
    ("an annotation", annotation),
    ("optional content", optional),
    ("transparency", transparency),
    ("another sheet", sheet),
    ("another font", font),
    ("split contents", contents),
    ("a revision", revision),
    ("a hidden object", hidden),
    ("an object stream", object_stream),
    ("another order", order),
    ("document information", information),
    ("another day of the query", day_of_query),
];

const CLAIM: &str = "$ 9,999,555.00";

fn rgb(dice: &mut Dice) -> String {
    let part = |dice: &mut Dice| dice.of(&["0", "0.4", "0.8", "0.93333", "1", "0.05"]);
    format!("{} {} {}", part(dice), part(dice), part(dice))
}

/// Places near the amount, or anywhere.
fn place(dice: &mut Dice) -> (f64, f64) {
    if dice.chance(2) {
        (dice.number(480, 540), dice.number(755, 776))
    } else {
        (dice.number(-20, 560), dice.number(-20, 850))
    }
}

fn matrix(dice: &mut Dice) -> String {
    let (x, y) = place(dice);
    let slope = dice.number(-2, 2);
    let turned = match dice.below(8) {
        0 => format!("1 0 {slope} 1"),
        1 => format!("1 {slope} 0 1"),
        2 => "0.7071 0.7071 -0.7071 0.7071".to_owned(),
        3 => "-1 0 0 1".to_owned(),
        4 => format!("{} 0 0 {}", dice.number(0, 4), dice.number(0, 4)),
        _ => "1 0 0 1".to_owned(),
    };
    format!("{turned} {x} {y}")
}

/// The claim, or words that look as if they belonged there.
fn words(dice: &mut Dice) -> &'static str {
    dice.of(&[
        CLAIM,
        "9",
        "Monto",
        "Liquidado",
        "NO VALIDO",
        "horas",
        "SANDBOX",
        "9,999,555.00 MXN",
    ])
}

/// A size that is seen.
fn size(dice: &mut Dice) -> f64 {
    dice.number(2, 80)
}

/// Steps that show a sealed value or a label: neither the reference, nor the tracking key, nor the time
/// of the query.
fn sealed_text(draft: &Draft, dice: &mut Dice) -> usize {
    const FREE: [&str; 6] = [
        " 728.66 Tm",
        " 708.66 Tm",
        " 827.7 Tm",
        " 811.66 Tm",
        " 850 Tm",
        " 728.65997 Tm",
    ];
    loop {
        let place = dice.below(draft.steps.len());
        let step = &draft.steps[place];
        let is_shown = step.contains(") Tj") && !step.contains("() Tj");
        if is_shown && !FREE.iter().any(|free| step.contains(free)) {
            return place;
        }
    }
}
