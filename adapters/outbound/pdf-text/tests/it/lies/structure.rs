//! Changes of the file's structure.

use super::*;
use crate::support::stream;

pub(super) fn sheet(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

pub(super) fn font(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

pub(super) fn contents(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

pub(super) fn revision(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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
pub(super) fn hidden(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

pub(super) fn object_stream(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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

pub(super) fn order(draft: &mut Draft, dice: &mut Dice) -> Vec<u8> {
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
