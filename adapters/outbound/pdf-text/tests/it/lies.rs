//! Lies: each makes of a true page one that may show something else, by one means of the format.

#![expect(
    clippy::format_push_string,
    reason = "an allocation more costs a test nothing"
)]

use crate::draft::{Dice, Draft};
use crate::support::stream;

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

fn text(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn odd_text(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn value(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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
fn information(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn day_of_query(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn moved(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn colour(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn line(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn area(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn clip(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn shading(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn picture(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn inline_picture(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let (x, y) = place(dice);
    let step = format!("q 90 0 0 20 {x} {y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \u{cc} EI Q");
    draft.insert(dice, &step);
    draft.pdf()
}

fn form(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn annotation(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn optional(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn transparency(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

fn sheet(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let inherited = dice.chance(3);
    let entry = match dice.below(8) {
        0 => "/Rotate 90".to_owned(),
        1 => "/Rotate 180".to_owned(),
        2 => "/CropBox[0 0 595 700]".to_owned(),
        3 => "/UserUnit 2".to_owned(),
        4 => "/TrimBox[0 0 9 9]".to_owned(),
        5 => "/CropBox 99 0 R".to_owned(),
        _ => {
            let edges = dice.of(&[
                "[0 0 595 700]",
                "[0 100 595 850]",
                "[300 0 895 850]",
                "[0 0 595 851]",
            ]);
            edges.clone_into(&mut draft.media_box);
            String::new()
        }
    };
    if inherited {
        draft.pages.push_str(&entry);
        if entry.is_empty() {
            draft.pages.push_str("/MediaBox[0 0 595 850]");
        }
    } else {
        draft.page.push_str(&entry);
    }
    draft.pdf()
}

fn font(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let map = draft.add(stream("", b"/CIDInit /ProcSet findresource begin endcmap"));
    let digits = "/Differences[48/nine/nine/nine/nine/nine/nine/nine]";
    let changed = match dice.below(9) {
        0 => draft.font.replace(
            "/Encoding/WinAnsiEncoding",
            &format!("/Encoding<<{digits}>>"),
        ),
        1 => draft.font.replace("WinAnsi", "MacRoman"),
        2 => draft.font.replace("Helvetica", "Symbol"),
        3 => draft.font.replace("Helvetica", "ZapfDingbats"),
        4 => draft.font.replace("Helvetica", "Courier"),
        5 => format!("{}/ToUnicode {map}", draft.font),
        6 => format!("{}/FirstChar 32/LastChar 33/Widths[2000 2000]", draft.font),
        7 => format!(
            "{}/FontDescriptor<</Type/FontDescriptor/FontFile {map}>>",
            draft.font
        ),
        _ => "/Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/CharProcs<<>>\
            /Encoding/WinAnsiEncoding/BaseFont/Helvetica/FirstChar 0/LastChar 0/Widths[1]"
            .to_owned(),
    };
    if dice.chance(2) {
        draft.font = changed;
    } else {
        // Another font for one text alone.
        let other = draft.add(format!("<<{changed}>>").into_bytes());
        draft.fonts.push_str(&format!("/F2 {other}"));
        let place = sealed_text(draft, dice);
        draft.steps[place] = draft.steps[place].replace("/F1", "/F2");
    }
    draft.pdf()
}

fn contents(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let claim = format!("BT\n1 0 0 1 500 765.66 Tm\n/F1 9 Tf\n0 0 0 rg\n({CLAIM}) Tj\nET");
    let other = draft.stream_of(claim.as_bytes());
    let other = draft.add(other);
    match dice.below(4) {
        0 => draft.contents = format!("[4 0 R {other}]"),
        1 => draft.contents = format!("[{other} 4 0 R]"),
        // Of two entries viewers take the first or the last.
        2 => draft.page.push_str(&format!("/Contents {other}")),
        _ => {
            let content = draft.content();
            let place = dice.below(content.len());
            let rest = draft.stream_of(&content[place..]);
            let rest = draft.add(rest);
            let first: String = content[..place].iter().copied().map(char::from).collect();
            draft.steps = vec![first];
            draft.contents = format!("[4 0 R {rest} {other}]");
        }
    }
    draft.pdf()
}

fn first(file: &[u8], word: &str) -> Option<usize> {
    file.windows(word.len())
        .position(|it| it == word.as_bytes())
}

fn last(file: &[u8], word: &str) -> usize {
    file.windows(word.len())
        .rposition(|it| it == word.as_bytes())
        .unwrap()
}

/// A page with another amount, as an object.
fn other_content(draft: &Draft) -> Vec<u8> {
    let mut other = draft.clone();
    for step in &mut other.steps {
        if step.contains("($ ") {
            let (from, to) = (step.find("($ ").unwrap(), step.rfind(") Tj").unwrap());
            step.replace_range(from + 1..to, CLAIM);
        }
    }
    draft.stream_of(&other.content())
}

fn revision(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let mut file = draft.pdf();
    let previous = last(&file, "xref\n0 ");
    let place = file.len();
    let number = dice.of(&[4, 5]);
    let object = match number {
        4 => other_content(draft),
        _ => b"<</Type/Font/Subtype/Type1/BaseFont/Symbol>>".to_vec(),
    };
    file.extend(format!("{number} 0 obj\n").into_bytes());
    file.extend(object);
    file.extend(b"\nendobj\n");
    if dice.chance(4) {
        return file;
    }
    let table = file.len();
    let entries = format!("xref\n{number} 1\n{place:010} 00000 n \n");
    let trailer =
        format!("trailer\n<</Root 1 0 R/Size 7/Prev {previous}>>\nstartxref\n{table}\n%%EOF\n");
    file.extend((entries + &trailer).into_bytes());
    file
}

/// An object that a viewer finds in a comment, a string or a stream when the table displeases it.
fn hidden(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let mut object = b"4 0 obj\n".to_vec();
    object.extend(other_content(draft));
    object.extend(b"\nendobj\n");
    match dice.below(3) {
        0 => {
            let carrier = [b"<</Length 5>>stream\n", &object[..], b"\nendstream"].concat();
            draft.add(carrier);
        }
        1 => {
            draft.add(stream("", &object));
        }
        _ => draft.is_deflated = false,
    }
    let mut file = draft.pdf();
    let table = last(&file, "xref\n0 ");
    match dice.below(5) {
        // The table points to the hidden one.
        0 => {
            let entry = table + first(&file[table..], "00000 n").unwrap() + 20 * 3 - 11;
            let place = format!("{:010}", first(&file, "stream\n").unwrap() + 7);
            file.splice(entry..entry + 10, place.bytes());
        }
        1 => {
            let place = last(&file, "startxref\n") + "startxref\n".len();
            file.insert(place, b'1');
        }
        2 => {
            let place = table + "xref\n0 ".len();
            file.insert(place, b' ');
        }
        3 => {
            file.splice(table..table, object.iter().copied());
        }
        _ => {
            let end = b"% 4 0 obj<</Length 0>>stream\n\nendstream endobj\n".to_vec();
            file.extend(end);
        }
    }
    file
}

fn object_stream(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 850]/Contents 7 0 R/Resources<</Font<</F1 5 0 R>>>>>>";
    let packed = format!("3 0 {page}");
    let other = other_content(draft);
    draft.add(other);
    let entries = "/Type/ObjStm/N 1/First 4";
    let packed = draft.add(stream(entries, packed.as_bytes()));
    if dice.chance(2) {
        draft.trailer.push_str("/XRefStm 9");
        return draft.pdf();
    }
    // A cross-reference stream that has the page in the object stream.
    let mut file = draft.pdf();
    let end = last(&file, "xref\n0 ");
    file.truncate(end);
    let size = 10;
    let mut rows = vec![0, 0, 0, 0];
    for number in 1..size {
        let place = first(&file, &format!("\n{number} 0 obj")).map_or(end, |place| place + 1);
        let [_, high, middle, low] = u32::try_from(place).unwrap().to_be_bytes();
        match number {
            3 => rows.extend([2, 0, 0, packed.as_bytes()[0] - b'0']),
            _ => rows.extend([1, high, middle, low]),
        }
    }
    let entries = format!("/Type/XRef/Size {size}/W[1 3 0]/Root 1 0 R");
    file.extend(b"9 0 obj\n");
    file.extend(stream(&entries, &rows));
    file.extend(format!("\nendobj\nstartxref\n{end}\n%%EOF\n").into_bytes());
    file
}

fn order(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
    // A box drawn after its texts.
    let boxes: Vec<usize> = (0..draft.steps.len() - 1)
        .filter(|place| draft.steps[*place].trim_end().ends_with("\nf"))
        .filter(|place| !draft.steps[*place].contains("22 782 m") || dice.chance(2))
        .collect();
    let place = dice.of(&boxes);
    let filled = draft.steps.remove(place);
    let framed = draft.steps.remove(place);
    draft.steps.extend([filled, framed]);
    draft.pdf()
}
