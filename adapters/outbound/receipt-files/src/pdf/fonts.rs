//! Fonts: characters and widths of codes (ISO 32000-1, 9.5 to 9.10).

use std::collections::BTreeMap;

use domain::receipts::ReceiptFileError;

use super::cmap::{self, CMap};
use super::encoding::{self, Base};
use super::file::File;
use super::filters;
use super::object::{Dictionary, Object};
use super::standard_widths;

/// A font.
pub(crate) struct Font {
    /// Characters of the codes, as the file tells them.
    unicode: Option<CMap>,
    kind: Kind,
}

enum Kind {
    Simple(Simple),
    Composite(Composite),
}

/// A font of one-byte codes.
struct Simple {
    base: Base,
    /// Characters of codes that differ from the encoding.
    differences: BTreeMap<u8, String>,
    first: usize,
    widths: Vec<f32>,
    /// Width of codes without one; `None` for those of a standard font.
    missing: Option<f32>,
    is_monospaced: bool,
}

/// A font of longer codes.
struct Composite {
    code_bytes: usize,
    /// The codes are UTF-16.
    is_utf_16: bool,
    glyphs: Option<CMap>,
    /// Widths, with the last glyph of each range, by the first one.
    widths: BTreeMap<u32, (u32, f32)>,
    default: f32,
}

/// A glyph.
pub(crate) struct Glyph {
    /// Its characters; empty if they aren't known.
    pub(crate) text: String,
    /// Its width, of a font of size 1.
    pub(crate) width: f32,
    /// It is the one-byte code 32, which spaces between words widen.
    pub(crate) is_blank_code: bool,
}

impl Font {
    /// Reads a font.
    ///
    /// # Errors
    /// Bounds of [`super::work::Work`].
    pub(crate) fn read(file: &File<'_>, font: &Dictionary) -> Result<Self, ReceiptFileError> {
        let unicode = table(file, font, "ToUnicode")?;
        let is = |name| file.get(font, "Subtype").is_some_and(|it| it.is_name(name));
        let kind = if is("Type0") {
            Kind::Composite(Composite::read(file, font)?)
        } else {
            Kind::Simple(Simple::read(file, font))
        };
        Ok(Self { unicode, kind })
    }

    /// The glyphs of a string.
    pub(crate) fn glyphs<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = Glyph> + 'a {
        let code_bytes = match &self.kind {
            Kind::Simple(_) => 1,
            Kind::Composite(font) => font.code_bytes,
        };
        bytes.chunks(code_bytes).map(|code| self.glyph(code))
    }

    fn glyph(&self, bytes: &[u8]) -> Glyph {
        let code = cmap::number(bytes);
        let told = self.unicode.as_ref().and_then(|map| map.text(code));
        let (text, width) = match &self.kind {
            Kind::Simple(font) => {
                let code = bytes.first().copied().unwrap_or_default();
                (told.or_else(|| font.text(code)), font.width(code))
            }
            Kind::Composite(font) => {
                let encoded = || {
                    let units = cmap::units(bytes);
                    font.is_utf_16.then(|| String::from_utf16_lossy(&units))
                };
                (told.or_else(encoded), font.width(code))
            }
        };
        Glyph {
            text: text.unwrap_or_default(),
            width,
            is_blank_code: bytes == b" ",
        }
    }
}

impl Simple {
    fn read(file: &File<'_>, font: &Dictionary) -> Self {
        let name = file.get(font, "BaseFont").and_then(Object::as_name);
        let name = name.unwrap_or_default();
        let is = |kind| file.get(font, "Subtype").is_some_and(|it| it.is_name(kind));
        let default = if is("TrueType") {
            Base::WinAnsi
        } else {
            Base::Standard
        };
        let (base, differences) = match file.get(font, "Encoding") {
            Some(Object::Name(name)) => (Base::named(name), BTreeMap::new()),
            Some(Object::Dictionary(encoding)) => {
                let base = file.get(encoding, "BaseEncoding").and_then(Object::as_name);
                (base.and_then(Base::named), differences(file, encoding))
            }
            _ => (None, BTreeMap::new()),
        };
        // Glyphs of Type 3 have a unit of their own.
        let unit = match file.array(font, "FontMatrix") {
            Some([Object::Number(unit), ..]) if is("Type3") => *unit,
            _ => 0.001,
        };
        let number = |object| file.resolve(object).and_then(Object::as_number);
        let widths = file.array(font, "Widths").unwrap_or_default();
        let widths = widths.iter().take(256);
        let widths: Vec<_> = widths
            .map(|width| number(width).unwrap_or_default() * unit)
            .collect();
        let missing = file
            .dictionary(font, "FontDescriptor")
            .and_then(|descriptor| file.get(descriptor, "MissingWidth")?.as_number());
        Self {
            base: base.unwrap_or(default),
            differences,
            first: file
                .get(font, "FirstChar")
                .and_then(Object::as_index)
                .unwrap_or_default(),
            missing: (!widths.is_empty()).then(|| missing.unwrap_or_default() * unit),
            widths,
            is_monospaced: name.windows(7).any(|part| part == b"Courier"),
        }
    }

    fn text(&self, code: u8) -> Option<String> {
        let different = self.differences.get(&code).cloned();
        different.or_else(|| self.base.character(code).map(String::from))
    }

    fn width(&self, code: u8) -> f32 {
        let place = usize::from(code).checked_sub(self.first);
        let own = place.and_then(|place| self.widths.get(place).copied());
        own.or(self.missing).unwrap_or_else(|| {
            if self.is_monospaced {
                standard_widths::MONOSPACED
            } else {
                standard_widths::helvetica(code)
            }
        })
    }
}

impl Composite {
    fn read(file: &File<'_>, font: &Dictionary) -> Result<Self, ReceiptFileError> {
        let descendants = file.array(font, "DescendantFonts").unwrap_or_default();
        let descendant = match descendants.first().and_then(|it| file.resolve(it)) {
            Some(Object::Dictionary(descendant)) => Some(descendant),
            _ => None,
        };
        let encoding = file.get(font, "Encoding").and_then(Object::as_name);
        let encoding = encoding.unwrap_or_default();
        let has = |part: &[u8]| encoding.windows(part.len()).any(|it| it == part);
        let glyphs = table(file, font, "Encoding")?;
        let code_bytes = glyphs.as_ref().and_then(|map| map.code_bytes);
        let number = |name| descendant.and_then(|it| file.get(it, name)?.as_number());
        Ok(Self {
            code_bytes: code_bytes.unwrap_or(2),
            is_utf_16: has(b"UCS2") || has(b"UTF16"),
            glyphs,
            widths: descendant
                .and_then(|it| file.array(it, "W"))
                .map(|widths| ranges(file, widths))
                .unwrap_or_default(),
            default: number("DW").unwrap_or(1000.0) / 1000.0,
        })
    }

    fn width(&self, code: u32) -> f32 {
        let glyph = match &self.glyphs {
            Some(map) => map.glyph(code).unwrap_or(code),
            None => code,
        };
        match self.widths.range(..=glyph).next_back() {
            Some((_, (last, width))) if glyph <= *last => *width,
            _ => self.default,
        }
    }
}

/// The table in a stream that an entry names.
fn table(file: &File<'_>, font: &Dictionary, name: &str) -> Result<Option<CMap>, ReceiptFileError> {
    let Some(stream) = font.get(name.as_bytes()).and_then(|it| file.stream(it)) else {
        return Ok(None);
    };
    match filters::decode(file, stream) {
        Ok(bytes) => CMap::read(&bytes, file.work()).map(Some),
        Err(ReceiptFileError::Damaged) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Characters that `Differences` names: each number is the code of the name after it.
fn differences(file: &File<'_>, encoding: &Dictionary) -> BTreeMap<u8, String> {
    let mut found = BTreeMap::new();
    let mut code = 0_usize;
    for item in file.array(encoding, "Differences").unwrap_or_default() {
        match file.resolve(item) {
            Some(Object::Name(name)) => {
                let place = u8::try_from(code).ok().zip(encoding::of_name(name));
                found.extend(place);
                code = code.saturating_add(1);
            }
            Some(number) => code = number.as_index().unwrap_or(code),
            None => {}
        }
    }
    found
}

/// Widths of glyphs: `first [width …]` or `first last width`.
fn ranges(file: &File<'_>, widths: &[Object]) -> BTreeMap<u32, (u32, f32)> {
    let mut found = BTreeMap::new();
    let glyph = |object: &Object| u32::try_from(file.resolve(object)?.as_index()?).ok();
    let mut rest = widths;
    while let [first, second, after @ ..] = rest {
        let Some(first) = glyph(first) else {
            rest = &rest[1..];
            continue;
        };
        match (file.resolve(second), after) {
            (Some(Object::Array(each)), _) => {
                for (glyph, width) in (first..).zip(each) {
                    let width = file.resolve(width).and_then(Object::as_number);
                    found.insert(glyph, (glyph, width.unwrap_or_default() / 1000.0));
                }
                rest = after;
            }
            (Some(last), [width, after @ ..]) => {
                let width = file.resolve(width).and_then(Object::as_number);
                if let (Some(last), Some(width)) = (glyph(last), width) {
                    found.insert(first, (last, width / 1000.0));
                }
                rest = after;
            }
            _ => break,
        }
    }
    found
}
