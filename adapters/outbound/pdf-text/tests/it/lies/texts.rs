//! Texts that say something else.

use super::*;
use crate::support::stream;

pub(super) fn text(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let step = format!(
        "BT\n{} Tm\n/F1 {} Tf\n{} rg\n({}) Tj\n0 g\nET",
        matrix(dice),
        size(dice),
        rgb(dice),
        words(dice)
    );
    draft.insert(dice, &step);
    draft.pdf()
}

pub(super) fn odd_text(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let state = match dice.below(12) {
        0 => format!("{} Tr", dice.below(8)),
        1 => format!("{} Ts", dice.number(-40, 40)),
        2 => format!("{} Tz", dice.below(900)),
        3 => format!("{} Tc", dice.number(-20, 20)),
        4 => format!("{} Tw", dice.number(-20, 20)),
        5 => "0 0 0 0 k".to_owned(),
        6 => "1 g".to_owned(),
        7 => "1 0 0 RG 2 Tr 3 w".to_owned(),
        8 => "/DeviceRGB cs 1 1 1 sc".to_owned(),
        9 => "12 TL T*".to_owned(),
        10 => "30 -10 TD".to_owned(),
        _ => "99 i".to_owned(),
    };
    let shown = match dice.below(4) {
        0 => format!("[({CLAIM}) -2000 (0)] TJ"),
        1 => format!("({CLAIM}) '"),
        2 => format!("1 1 ({CLAIM}) \""),
        _ => format!("({CLAIM}) Tj"),
    };
    let step = format!(
        "BT\n{} Tm\n/F1 {} Tf\n{state}\n{shown}\nET",
        matrix(dice),
        size(dice)
    );
    // Every text has a colour of its own, and a justified one its spacing.
    let is_harmless = state == "1 g" || state.ends_with("Tw");
    if dice.chance(3) && !is_harmless {
        // The state of all that follows.
        draft.insert(dice, &state);
    } else {
        draft.insert(dice, &step);
    }
    draft.pdf()
}

pub(super) fn value(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let place = sealed_text(draft, dice);
    let step = &draft.steps[place];
    let (from, to) = (step.find('(').unwrap() + 1, step.rfind(") Tj").unwrap());
    let other = match dice.below(4) {
        0 => CLAIM.to_owned(),
        1 => format!("9{}", &step[from..to]),
        2 => step[from..to].replace(['0', '1', '2', 'A', 'a', 'e'], "7") + "7",
        // A payment may lack a value, which is said or left blank.
        _ if step[from..to].starts_with('N') => CLAIM.to_owned(),
        _ => String::new(),
    };
    draft.steps[place] = format!("{}{other}{}", &step[..from], &step[to..]);
    draft.pdf()
}

/// What a viewer shows in the bar of its window, or among the properties.
pub(super) fn information(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let entry = dice.of(&["Title", "Subject", "Author", "Keywords", "Claim", "Creator"]);
    match dice.below(6) {
        0 => {
            let metadata = format!("<dc:title>{CLAIM}</dc:title>");
            let metadata = draft.add(stream("/Type/Metadata/Subtype/XML", metadata.as_bytes()));
            let place = [&mut draft.catalog, &mut draft.page];
            place[dice.below(2)].push_str(&format!("/Metadata {metadata}"));
        }
        1 => draft.information = format!("/Producer({CLAIM})"),
        2 => draft.information = format!("/CreationDate({CLAIM})"),
        3 => draft.information = format!("/Producer(OpenPDF {CLAIM})"),
        _ => draft
            .information
            .insert_str(0, &format!("/{entry}({CLAIM})")),
    }
    if dice.chance(2) {
        draft
            .catalog
            .push_str("/ViewerPreferences<</DisplayDocTitle true>>");
    }
    draft.pdf()
}

pub(super) fn day_of_query(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let mut steps = draft.steps.iter_mut();
    let step = steps.find(|step| step.contains(" 827.7 Tm")).unwrap();
    let (from, to) = (step.find('(').unwrap() + 1, step.rfind(") Tj").unwrap());
    let day = dice.of(&[
        CLAIM,
        "",
        "PAGADO",
        "19 de noviembre de 2026",
        "22 de noviembre de 2026",
        "31 de febrero de 2026",
        "20 de November de 2026",
        "20 de noviembre de 2026 $ 9",
    ]);
    step.replace_range(from..to, day);
    draft.pdf()
}

pub(super) fn moved(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let place = sealed_text(draft, dice);
    if dice.chance(3) {
        let step = format!("q\n1 0 0 1 {} 0 cm\n", dice.number(3, 5000));
        draft.steps.insert(dice.below(place + 1), step);
        draft.steps.push("Q\n".to_owned());
        return draft.pdf();
    }
    let (x, y) = (dice.number(600, 5000), dice.number(3, 700));
    let to = if dice.chance(2) {
        format!("1 0 0 1 {x} 400 Tm")
    } else {
        format!("1 0 0 1 30.5 {y} Tm")
    };
    let step = draft.steps[place].clone();
    let end = step.find(" Tm").unwrap() + " Tm".len();
    let start = step[..end].rfind('\n').unwrap() + 1;
    draft.steps[place] = format!("{}{to}{}", &step[..start], &step[end..]);
    draft.pdf()
}
