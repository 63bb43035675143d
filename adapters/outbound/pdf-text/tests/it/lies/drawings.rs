//! Drawings over the page, and states in which it is drawn.

use super::*;
use crate::support::stream;

pub(super) fn colour(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let place = sealed_text(draft, dice);
    let step = &mut draft.steps[place];
    let end = step.find(" rg").unwrap();
    let start = step[..end].rfind('\n').unwrap() + 1;
    let pale = dice.of(&[
        "1 1 1",
        "0.8 0.8 0.8",
        "0.93333 0.93333 0.93333",
        "0.9 0.9 1",
        "0.6 0.8 1",
    ]);
    step.replace_range(start..end, pale);
    draft.pdf()
}

pub(super) fn line(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let (x, y) = place(dice);
    let path = match dice.below(3) {
        0 => format!("{x} {y} m {} {y} l", x + dice.number(5, 300)),
        1 => format!(
            "{x} {y} m {} {} 300 300 {} {} c",
            x + 90.0,
            y + 50.0,
            x + 30.0,
            y - 50.0
        ),
        _ => format!("{x} {y} {} {} re", dice.number(5, 100), dice.number(2, 40)),
    };
    let paint = dice.of(&["S", "s", "B", "b*"]);
    let dash = dice.of(&["[] 0 d", "[3 2] 0 d"]);
    let step = format!(
        "{} w {} RG {dash} {} J {path} {paint}",
        dice.number(1, 60),
        rgb(dice),
        dice.below(3)
    );
    draft.insert(dice, &step);
    draft.pdf()
}

pub(super) fn area(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let (x, y) = place(dice);
    let (right, top) = (x + dice.number(2, 300), y + dice.number(2, 100));
    let path = match dice.below(3) {
        0 => format!("{x} {y} {} {} re", right - x, top - y),
        1 => format!("{x} {y} m {right} {y} l {right} {top} l {x} {top} l {x} {y} l"),
        // A box of the portal's, drawn once more or before its time.
        _ => "333 692 m 574 692 l 574 780 l 333 780 l 333 692 l".to_owned(),
    };
    let step = format!(
        "{} rg {path} {}",
        rgb(dice),
        dice.of(&["f", "F", "f*", "B", "b"])
    );
    draft.insert(dice, &step);
    draft.pdf()
}

pub(super) fn clip(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let (x, y) = place(dice);
    let rule = dice.of(&["W n", "W* n", "W f", "W S"]);
    let path = format!(
        "{x} {y} {} {} re {rule}",
        dice.number(1, 500),
        dice.number(1, 500)
    );
    if dice.chance(3) {
        draft.insert(dice, "BT 1 0 0 1 300 300 Tm /F1 9 Tf 7 Tr (a) Tj ET");
    }
    draft.insert(dice, &path);
    draft.pdf()
}

pub(super) fn shading(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let function = "/Function<</FunctionType 2/Domain[0 1]/N 1/C0[0.8 0.8 0.8]/C1[1 1 1]>>";
    let shading = format!("<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 595 850]{function}>>");
    let shading = draft.add(shading.into_bytes());
    let tile = stream(
        "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>",
        b"0 0 9 9 re f",
    );
    let tile = draft.add(tile);
    draft
        .resources
        .push_str(&format!("/Shading<</S {shading}>>/Pattern<</P {tile}>>"));
    let (x, y) = place(dice);
    let step = match dice.below(3) {
        0 => format!("q {x} {y} 90 20 re W n /S sh Q"),
        1 => format!("/Pattern cs /P scn {x} {y} 90 20 re f"),
        _ => "/Pattern cs /P scn".to_owned(),
    };
    draft.insert(dice, &step);
    draft.pdf()
}

pub(super) fn picture(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let kind = dice.of(&[
        "/ColorSpace/DeviceRGB/BitsPerComponent 8",
        "/ColorSpace/DeviceGray/BitsPerComponent 8",
        "/ImageMask true/BitsPerComponent 1",
    ]);
    let pixels = vec![0xcc; 12];
    let entries = format!("/Type/XObject/Subtype/Image/Width 2/Height 2{kind}");
    let picture = draft.add(stream(&entries, &pixels));
    draft
        .resources
        .push_str(&format!("/XObject<</img0 {picture}>>"));
    let (x, y) = place(dice);
    let matrix = if dice.chance(3) {
        "123.08 0 0 40 23 800".to_owned()
    } else {
        format!(
            "{} 0 0 {} {x} {y}",
            dice.number(3, 300),
            dice.number(3, 300)
        )
    };
    draft.insert(dice, &format!("q {matrix} cm /img0 Do Q"));
    draft.pdf()
}

pub(super) fn inline_picture(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let (x, y) = place(dice);
    let step = format!("q 90 0 0 20 {x} {y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \u{cc} EI Q");
    draft.insert(dice, &step);
    draft.pdf()
}

pub(super) fn form(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let content = format!("1 1 1 rg 0 0 90 12 re f BT 0 0 1 rg /F1 9 Tf 2 2 Td ({CLAIM}) Tj ET");
    let group = dice.of(&["", "/Group<</S/Transparency/I true>>"]);
    let entries = format!(
        "/Type/XObject/Subtype/Form/BBox[0 0 90 12]/Resources<</Font<</F1 5 0 R>>>>{group}"
    );
    let form = draft.add(stream(&entries, content.as_bytes()));
    draft.resources.push_str(&format!("/XObject<</X {form}>>"));
    let (x, y) = place(dice);
    draft.insert(dice, &format!("q 1 0 0 1 {x} {y} cm /X Do Q"));
    draft.pdf()
}

pub(super) fn annotation(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let content = format!("1 1 1 rg 0 0 90 12 re f BT 0 0 1 rg /F1 9 Tf 2 2 Td ({CLAIM}) Tj ET");
    let entries = "/Type/XObject/Subtype/Form/BBox[0 0 90 12]/Resources<</Font<</F1 5 0 R>>>>";
    let form = draft.add(stream(entries, content.as_bytes()));
    let (x, y) = place(dice);
    let rect = format!("/Rect[{x} {y} {} {}]", x + 90.0, y + 12.0);
    let kind = dice.of(&[
        "/Subtype/FreeText/Contents(9)",
        "/Subtype/Stamp",
        "/Subtype/Square/IC[1 1 1]",
        "/Subtype/Widget/FT/Tx/T(t)/V(9)",
    ]);
    let annotation = format!("<</Type/Annot{kind}{rect}/F 4/AP<</N {form}>>>>");
    let annotation = draft.add(annotation.into_bytes());
    draft.page.push_str(&format!("/Annots[{annotation}]"));
    if kind.contains("Widget") {
        draft
            .catalog
            .push_str(&format!("/AcroForm<</Fields[{annotation}]>>"));
    }
    draft.pdf()
}

pub(super) fn optional(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let group = draft.add(b"<</Type/OCG/Name(a)>>".to_vec());
    let state = dice.of(&["OFF", "ON"]);
    draft.catalog.push_str(&format!(
        "/OCProperties<</OCGs[{group}]/D<</{state}[{group}]>>>>"
    ));
    draft
        .resources
        .push_str(&format!("/Properties<</o {group}>>"));
    let place = sealed_text(draft, dice);
    let step = &draft.steps[place];
    draft.steps[place] = format!("/OC /o BDC\n{step}EMC\n");
    draft.pdf()
}

pub(super) fn transparency(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let mask =
        "/Type/XObject/Subtype/Form/BBox[0 0 595 850]/Group<</S/Transparency/CS/DeviceGray>>";
    let mask = draft.add(stream(mask, b"0 g 0 0 595 850 re f"));
    let effect = match dice.below(4) {
        0 => "/ca 0".to_owned(),
        1 => "/ca 0.02/CA 0".to_owned(),
        2 => "/BM/Multiply".to_owned(),
        _ => format!("/SMask<</S/Luminosity/G {mask}>>"),
    };
    draft
        .resources
        .push_str(&format!("/ExtGState<</T<<{effect}>>>>"));
    let place = sealed_text(draft, dice);
    draft.steps.insert(place, "/T gs\n".to_owned());
    draft.pdf()
}
