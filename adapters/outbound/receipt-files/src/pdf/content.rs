//! Interprets the content of pages (ISO 32000-1, 8 and 9): where their characters stand.

use std::collections::BTreeMap;
use std::rc::Rc;

use domain::receipts::ReceiptFileError;

use super::file::File;
use super::filters;
use super::fonts::Font;
use super::lexer::{Lexer, Token, is_blank};
use super::matrix::Matrix;
use super::object::{Dictionary, Object};
use super::pages::Page;
use super::words::Words;
use super::work::Reading;

/// Maximum number of operands of an operator.
const MAX_OPERANDS: usize = 64;
/// Maximum number of saved states.
const MAX_STATES: usize = 256;
/// Maximum depth of contents within contents.
const MAX_DEPTH: usize = 8;
/// Maximum number of contents within contents of a file.
const MAX_FORMS: usize = 500;
/// Maximum number of fonts of a file.
const MAX_FONTS: usize = 200;

/// Reader of the contents of a file.
pub(crate) struct Contents<'a> {
    file: &'a File<'a>,
    /// Fonts by the addresses of their dictionaries.
    fonts: BTreeMap<usize, Rc<Font>>,
    forms: usize,
}

/// Graphics state that `q` saves.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    letter_spacing: f32,
    word_spacing: f32,
    scale: f32,
    leading: f32,
    rise: f32,
}

/// Content that is interpreted.
struct Canvas<'c, 'a> {
    contents: &'c mut Contents<'a>,
    resources: Option<&'a Dictionary>,
    words: &'c mut Words,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    depth: usize,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(file: &'a File<'a>) -> Self {
        Self {
            file,
            fonts: BTreeMap::new(),
            forms: 0,
        }
    }

    /// Adds the words of a page.
    ///
    /// # Errors
    /// Bounds of [`super::work::Work`] and [`Words`].
    pub(crate) fn read(
        &mut self,
        page: &Page<'a>,
        words: &mut Words,
    ) -> Result<(), ReceiptFileError> {
        let content = page.content(self.file)?;
        let mut canvas = Canvas {
            contents: self,
            resources: page.resources,
            words,
            state: State {
                matrix: page.matrix,
                font: None,
                size: 0.0,
                letter_spacing: 0.0,
                word_spacing: 0.0,
                scale: 1.0,
                leading: 0.0,
                rise: 0.0,
            },
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            depth: 0,
        };
        canvas.run(&content)
    }

    fn font(&mut self, font: &'a Dictionary) -> Result<Option<Rc<Font>>, ReceiptFileError> {
        let address = std::ptr::from_ref(font).addr();
        if let Some(known) = self.fonts.get(&address) {
            return Ok(Some(Rc::clone(known)));
        }
        if self.fonts.len() >= MAX_FONTS {
            return Err(ReceiptFileError::TooLarge);
        }
        let read = Rc::new(Font::read(self.file, font)?);
        self.fonts.insert(address, Rc::clone(&read));
        Ok(Some(read))
    }
}

impl Canvas<'_, '_> {
    fn run(&mut self, content: &[u8]) -> Result<(), ReceiptFileError> {
        let work = self.contents.file.work();
        let mut lexer = Lexer::new(content, 0, work, Reading::Passed);
        let mut operands = Vec::new();
        loop {
            match lexer.next() {
                Ok(Some(Token::Object(operand))) => {
                    if operands.len() < MAX_OPERANDS {
                        operands.push(operand);
                    }
                }
                // An inline image: its bytes aren't tokens.
                Ok(Some(Token::Word(b"BI"))) => {
                    let length = inline_image(lexer.rest());
                    lexer.skip(length);
                    operands.clear();
                }
                Ok(Some(Token::Word(operator))) => {
                    self.apply(operator, &operands)?;
                    operands.clear();
                }
                Ok(None) => return Ok(()),
                // A stray delimiter.
                Err(ReceiptFileError::Damaged) => {
                    lexer.skip(1);
                    work.value(Reading::Passed, 0)?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Applies an operator. One without the operands that it needs does nothing.
    fn apply(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), ReceiptFileError> {
        match operator {
            b"q" if self.saved.len() < MAX_STATES => self.saved.push(self.state.clone()),
            b"Q" => {
                if let Some(saved) = self.saved.pop() {
                    self.state = saved;
                }
            }
            b"cm" => {
                if let Some(matrix) = numbers(operands) {
                    self.state.matrix = Matrix(matrix).then(self.state.matrix);
                }
            }
            b"Do" => self.external(operands)?,
            b"BT" => self.place(Matrix::IDENTITY),
            b"Tm" => {
                if let Some(matrix) = numbers(operands) {
                    self.place(Matrix(matrix));
                }
            }
            b"Td" => self.advance(numbers(operands)),
            b"TD" => {
                if let Some([_, y]) = numbers(operands) {
                    self.state.leading = -y;
                }
                self.advance(numbers(operands));
            }
            b"T*" => self.next_line(),
            b"Tf" => self.choose_font(operands)?,
            b"Tj" => self.show(operands)?,
            b"TJ" => {
                if let [Object::Array(parts)] = operands {
                    self.show(parts)?;
                }
            }
            b"'" => {
                self.next_line();
                self.show(operands)?;
            }
            b"\"" => {
                self.set(b"Tw", operands.first());
                self.set(b"Tc", operands.get(1));
                self.next_line();
                self.show(operands.get(2..).unwrap_or_default())?;
            }
            other => self.set(other, operands.first()),
        }
        Ok(())
    }

    /// Sets a number of the state.
    fn set(&mut self, operator: &[u8], operand: Option<&Object>) {
        let Some(number) = operand.and_then(Object::as_number) else {
            return;
        };
        match operator {
            b"Tc" => self.state.letter_spacing = number,
            b"Tw" => self.state.word_spacing = number,
            b"Tz" => self.state.scale = number / 100.0,
            b"TL" => self.state.leading = number,
            b"Ts" => self.state.rise = number,
            _ => {}
        }
    }

    fn choose_font(&mut self, operands: &[Object]) -> Result<(), ReceiptFileError> {
        let [Object::Name(name), Object::Number(size)] = operands else {
            return Ok(());
        };
        self.state.size = *size;
        let file = self.contents.file;
        let fonts = self.resources.and_then(|it| file.dictionary(it, "Font"));
        let font = fonts.and_then(|fonts| file.resolve(fonts.get(name)?));
        self.state.font = match font {
            Some(Object::Dictionary(font)) => self.contents.font(font)?,
            _ => None,
        };
        Ok(())
    }

    fn place(&mut self, matrix: Matrix) {
        self.text = matrix;
        self.line = matrix;
    }

    fn advance(&mut self, distance: Option<[f32; 2]>) {
        if let Some([x, y]) = distance {
            self.place(Matrix::translation(x, y).then(self.line));
        }
    }

    fn next_line(&mut self) {
        self.advance(Some([0.0, -self.state.leading]));
    }

    /// Shows strings; numbers between them adjust the space between letters.
    fn show(&mut self, parts: &[Object]) -> Result<(), ReceiptFileError> {
        let Some(font) = self.state.font.clone() else {
            return Ok(());
        };
        let State {
            size,
            letter_spacing,
            word_spacing,
            scale,
            rise,
            ..
        } = self.state;
        for part in parts {
            let bytes = match part {
                Object::Text(bytes) => bytes,
                Object::Number(number) => {
                    self.forward(-number / 1000.0 * size * scale);
                    continue;
                }
                _ => continue,
            };
            for glyph in font.glyphs(bytes) {
                let unit = Matrix([size * scale, 0.0, 0.0, size, 0.0, rise]);
                let matrix = unit.then(self.text).then(self.state.matrix);
                self.words.add(&glyph.text, glyph.width, matrix)?;
                let mut step = glyph.width * size + letter_spacing;
                if glyph.is_blank_code {
                    step += word_spacing;
                }
                self.forward(step * scale);
            }
        }
        Ok(())
    }

    fn forward(&mut self, distance: f32) {
        self.text = Matrix::translation(distance, 0.0).then(self.text);
    }

    /// Interprets content within this one.
    fn external(&mut self, operands: &[Object]) -> Result<(), ReceiptFileError> {
        let [Object::Name(name)] = operands else {
            return Ok(());
        };
        let file = self.contents.file;
        let named = self.resources.and_then(|it| file.dictionary(it, "XObject"));
        let Some(stream) = named.and_then(|named| file.stream(named.get(name)?)) else {
            return Ok(());
        };
        let entries = stream.dictionary;
        let is_form = file
            .get(entries, "Subtype")
            .is_some_and(|it| it.is_name("Form"));
        if !is_form || self.depth >= MAX_DEPTH {
            return Ok(());
        }
        self.contents.forms += 1;
        if self.contents.forms > MAX_FORMS {
            return Err(ReceiptFileError::TooLarge);
        }
        let content = match filters::decode(file, stream) {
            Ok(content) => content,
            Err(ReceiptFileError::Damaged) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut state = self.state.clone();
        if let Some(matrix) = file.array(entries, "Matrix").and_then(numbers) {
            state.matrix = Matrix(matrix).then(state.matrix);
        }
        let mut canvas = Canvas {
            contents: self.contents,
            resources: file.dictionary(entries, "Resources").or(self.resources),
            words: self.words,
            state,
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            depth: self.depth + 1,
        };
        canvas.run(&content)
    }
}

/// Length of an inline image after its `BI`: entries, data and `EI`.
fn inline_image(bytes: &[u8]) -> usize {
    let ends = memchr::memmem::find_iter(bytes, b"EI");
    let is_apart = |place: &usize| {
        let before = place.checked_sub(1).and_then(|place| bytes.get(place));
        let after = bytes.get(place + 2);
        [before, after]
            .into_iter()
            .all(|byte| byte.is_none_or(|byte| is_blank(*byte)))
    };
    let mut ends = ends.filter(is_apart);
    ends.next().map_or(bytes.len(), |place| place + 2)
}

fn numbers<const N: usize>(operands: &[Object]) -> Option<[f32; N]> {
    let mut numbers = [0.0; N];
    if operands.len() != N {
        return None;
    }
    for (number, operand) in numbers.iter_mut().zip(operands) {
        *number = operand.as_number()?;
    }
    Some(numbers)
}
