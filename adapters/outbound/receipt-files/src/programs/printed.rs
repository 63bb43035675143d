//! Pages and words of the XHTML that `pdftotext -bbox` writes: an element a line.

use domain::receipts::{MAX_WORDS, Place, ReceiptFileError, ReceiptPage, Word};

/// Reads the pages.
///
/// # Errors
/// [`ReceiptFileError::TooLarge`] for more words than are read.
pub(crate) fn pages(text: &[u8]) -> Result<Vec<ReceiptPage>, ReceiptFileError> {
    let text = String::from_utf8_lossy(text);
    let mut pages: Vec<ReceiptPage> = Vec::new();
    let mut words = 0;
    // Before the element `doc` stand the file's title and its other data.
    let lines = text.lines().skip_while(|line| line.trim() != "<doc>");
    for line in lines.map(str::trim) {
        if let Some(element) = line.strip_prefix("<page ") {
            let size = (number(element, "width"), number(element, "height"));
            // A page that can't be read has none.
            if let (Some(width @ 1.0..), Some(height @ 1.0..)) = size {
                pages.push(ReceiptPage {
                    width,
                    height,
                    words: Vec::new(),
                });
            }
        }
        let word = line.strip_prefix("<word ").and_then(word);
        if let (Some(word), Some(page)) = (word, pages.last_mut()) {
            page.words.push(word);
            words += 1;
            if words > MAX_WORDS {
                return Err(ReceiptFileError::TooLarge);
            }
        }
    }
    Ok(pages)
}

/// Reads `xMin="1.5" yMin="2" xMax="9" yMax="4">word</word>`.
fn word(element: &str) -> Option<Word> {
    let (attributes, content) = element.split_once('>')?;
    let text = unescaped(content.strip_suffix("</word>")?);
    let [left, top, right, bottom] =
        ["xMin", "yMin", "xMax", "yMax"].map(|name| number(attributes, name));
    let (x, y) = (left?, top?);
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    is_word.then_some(Word {
        text,
        place: Place {
            x,
            y,
            width: right? - x,
            height: bottom? - y,
        },
        is_certain: true,
    })
}

/// The number in an attribute.
fn number(attributes: &str, name: &str) -> Option<f32> {
    let (_, value) = attributes.split_once(&format!("{name}=\""))?;
    let number: f32 = value.split('"').next()?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Text whose references of XML are characters again.
fn unescaped(text: &str) -> String {
    let references = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    references
        .into_iter()
        .fold(text.to_owned(), |text, (reference, character)| {
            text.replace(reference, character)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_with_their_pages_and_nothing_of_the_head() {
        let text = br#"<title><word xMin="0" yMin="0" xMax="1" yMax="1">title</word></title>
<doc>
  <page width="612.0" height="792.0">
    <word xMin="10.5" yMin="20.0" xMax="40.5" yMax="32.0">A&amp;B&lt;&quot;</word>
    <word xMin="x" yMin="20.0" xMax="40.5" yMax="32.0">no</word>
  </page>
  <page width="0.000" height="0.000">
  </page>
  <page width="1.0" height="2">
    <word xMin="1" yMin="1" xMax="2" yMax="2">two</word>
"#;
        let pages = pages(text).unwrap();
        let texts: Vec<Vec<&str>> = pages
            .iter()
            .map(|page| page.words.iter().map(|word| &*word.text).collect())
            .collect();
        assert_eq!(texts, [["A&B<\""], ["two"]]);
        assert_eq!((pages[0].width, pages[1].width), (612.0, 1.0));
        let place = Place {
            x: 10.5,
            y: 20.0,
            width: 30.0,
            height: 12.0,
        };
        assert_eq!(pages[0].words[0].place, place);
    }
}
