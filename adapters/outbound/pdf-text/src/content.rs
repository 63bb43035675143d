//! Drawing of a page (ISO 32000-1, 8 and 9): where its texts stand, and what may cover them.

use domain::check::{MAX_RUNS, PdfError, PrintedPage, TextRun};

use crate::lexer::{Lexer, Object, Token};
use crate::matrix::{Bounds, Matrix};
use crate::page::{External, Page};
use crate::win_ansi;

/// Maximum number of operands and operators; the portal's page has 3,000.
const MAX_TOKENS: usize = 30_000;
/// Maximum number of operands of an operator.
const MAX_OPERANDS: usize = 64;
/// Maximum number of saved states.
const MAX_STATES: usize = 64;
/// Maximum number of filled areas and pictures; the portal's page has 8.
const MAX_AREAS: usize = 500;
/// Smallest size of a text that people read, in points.
const READABLE: f32 = 3.0;
/// Least slope of a text that nobody takes for an upright one: a watermark.
const CLEARLY_SLANTED: f32 = 0.2;
/// Most slope of an upright text.
const UPRIGHT: f32 = 0.001;
/// An adjustment between letters that is a blank, in thousandths of the size.
const BLANK: f32 = -180.0;

/// Draws the page.
pub(crate) fn draw(page: &Page<'_>) -> Result<PrintedPage, PdfError> {
    let mut canvas = Canvas::new(page);
    let mut lexer = Lexer::new(&page.content, 0, MAX_TOKENS);
    let mut operands = Vec::new();
    while let Some(token) = lexer.next()? {
        match token {
            Token::Object(operand) if operands.len() < MAX_OPERANDS => operands.push(operand),
            Token::Object(_) => return Err(PdfError::TooComplex),
            // An inline picture: its bytes are no tokens, and nothing behind it is needed to know
            // that the page isn't the portal's.
            Token::Word(b"BI") => {
                canvas.page.may_be_covered = true;
                break;
            }
            Token::Word(operator) => {
                canvas.apply(operator, &operands)?;
                operands.clear();
            }
        }
    }
    Ok(canvas.finish())
}

/// State that `q` saves.
#[derive(Clone, Copy)]
struct State {
    matrix: Matrix,
    size: f32,
    leading: f32,
    is_plain: bool,
    is_invisible: bool,
}

struct Canvas<'a> {
    source: &'a Page<'a>,
    page: PrintedPage,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    /// The next text continues the last one.
    continues: bool,
    path: Bounds,
    areas: usize,
    pictures: Vec<Bounds>,
}

impl<'a> Canvas<'a> {
    fn new(source: &'a Page<'a>) -> Self {
        Self {
            source,
            page: PrintedPage {
                runs: Vec::new(),
                may_be_covered: source.has_annotations,
            },
            state: State {
                matrix: Matrix::IDENTITY,
                size: 0.0,
                leading: 0.0,
                is_plain: false,
                is_invisible: false,
            },
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            continues: false,
            path: Bounds::EMPTY,
            areas: 0,
            pictures: Vec::new(),
        }
    }

    fn apply(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), PdfError> {
        match operator {
            b"q" if self.saved.len() < MAX_STATES => self.saved.push(self.state),
            b"q" => return Err(PdfError::TooComplex),
            b"Q" => self.state = self.saved.pop().unwrap_or(self.state),
            b"cm" => {
                let matrix = Matrix(numbers(operands)?);
                self.state.matrix = matrix.then(self.state.matrix);
            }
            b"Do" => return self.external(operands),
            // A shading, and content that a viewer may leave out.
            b"sh" | b"BDC" | b"DP" => self.page.may_be_covered = true,
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" | b"h" | b"n" | b"S" | b"s" | b"f" | b"F"
            | b"f*" | b"B" | b"B*" | b"b" | b"b*" => return self.paint(operator, operands),
            _ => return self.write(operator, operands),
        }
        Ok(())
    }

    /// Operators of texts; all others change only how things look.
    fn write(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), PdfError> {
        match operator {
            b"BT" => self.place(Matrix::IDENTITY),
            b"Tm" => self.place(Matrix(numbers(operands)?)),
            b"Td" => self.advance(numbers(operands)?),
            b"TD" => {
                let [x, y] = numbers(operands)?;
                self.state.leading = -y;
                self.advance([x, y]);
            }
            b"TL" => [self.state.leading] = numbers(operands)?,
            b"T*" => self.next_line(),
            b"Tf" => {
                let [Object::Name(font), Object::Number(size)] = operands else {
                    return Err(PdfError::Damaged);
                };
                self.state.is_plain = self.source.is_standard_font(font);
                self.state.size = *size;
            }
            b"Tr" => {
                let [mode] = numbers(operands)?;
                self.state.is_invisible = mode != 0.0;
            }
            b"Tj" => return self.show(operands),
            b"'" => {
                self.next_line();
                return self.show(operands);
            }
            b"\"" => {
                self.next_line();
                return self.show(operands.get(2..).unwrap_or_default());
            }
            b"TJ" => {
                let [Object::Array(parts)] = operands else {
                    return Err(PdfError::Damaged);
                };
                return self.show(parts);
            }
            _ => {}
        }
        Ok(())
    }

    fn place(&mut self, matrix: Matrix) {
        self.text = matrix;
        self.line = matrix;
        self.continues = false;
    }

    fn advance(&mut self, [x, y]: [f32; 2]) {
        self.place(Matrix::translation(x, y).then(self.line));
    }

    fn next_line(&mut self) {
        self.advance([0.0, -self.state.leading]);
    }

    /// Shows strings; numbers between them move the letters apart.
    fn show(&mut self, parts: &[Object]) -> Result<(), PdfError> {
        let mut text = String::new();
        for part in parts {
            match part {
                Object::Text(bytes) => text.push_str(&win_ansi::decode(bytes)),
                Object::Number(number) if *number < BLANK => text.push(' '),
                Object::Number(_) => {}
                _ => return Err(PdfError::Damaged),
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        let whole = self.text.then(self.state.matrix);
        let Matrix([right, turned, leaned, up, x, y]) = whole;
        let size = right.abs().max(up.abs()).max(f32::MIN_POSITIVE);
        let slope = turned.abs().max(leaned.abs()) / size;
        if slope >= CLEARLY_SLANTED {
            return Ok(());
        }
        let is_upright = slope <= UPRIGHT && right > 0.0 && up > 0.0;
        let is_readable = self.state.size * right.min(up) >= READABLE;
        let is_seen = self.state.is_plain && !self.state.is_invisible;
        if !(is_upright && is_readable && is_seen && x.is_finite() && y.is_finite()) {
            self.page.may_be_covered = true;
        }
        let is_full = self.page.runs.len() >= MAX_RUNS;
        match self.page.runs.last_mut() {
            Some(last) if self.continues => last.text.push_str(&text),
            _ if is_full => return Err(PdfError::TooComplex),
            _ => self.page.runs.push(TextRun { x, y, text }),
        }
        self.continues = true;
        Ok(())
    }

    fn external(&mut self, operands: &[Object]) -> Result<(), PdfError> {
        let [Object::Name(name)] = operands else {
            return Err(PdfError::Damaged);
        };
        match self.source.external(name) {
            External::Image => {
                self.count_area()?;
                let mut bounds = Bounds::EMPTY;
                for [x, y] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
                    bounds.include(self.state.matrix.point(x, y));
                }
                self.pictures.push(bounds);
            }
            External::Other => self.page.may_be_covered = true,
        }
        Ok(())
    }

    /// Paths. An area that is filled over a text covers it.
    fn paint(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), PdfError> {
        match operator {
            b"re" => {
                let [x, y, width, height] = numbers(operands)?;
                self.include(x, y);
                self.include(x + width, y);
                self.include(x, y + height);
                self.include(x + width, y + height);
            }
            b"m" | b"l" | b"c" | b"v" | b"y" => {
                for pair in operands.chunks_exact(2) {
                    let [x, y] = numbers(pair)?;
                    self.include(x, y);
                }
            }
            b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" => {
                self.count_area()?;
                let path = self.path;
                let mut runs = self.page.runs.iter();
                if runs.any(|run| path.contains([run.x, run.y])) {
                    self.page.may_be_covered = true;
                }
                self.path = Bounds::EMPTY;
            }
            b"n" | b"S" | b"s" => self.path = Bounds::EMPTY,
            _ => {}
        }
        Ok(())
    }

    fn include(&mut self, x: f32, y: f32) {
        self.path.include(self.state.matrix.point(x, y));
    }

    fn count_area(&mut self) -> Result<(), PdfError> {
        self.areas += 1;
        if self.areas > MAX_AREAS {
            return Err(PdfError::TooComplex);
        }
        Ok(())
    }

    fn finish(mut self) -> PrintedPage {
        let is_covered = |run: &TextRun| {
            let covers = |picture: &Bounds| picture.contains([run.x, run.y]);
            self.pictures.iter().any(covers)
        };
        if self.page.runs.iter().any(is_covered) {
            self.page.may_be_covered = true;
        }
        self.page
    }
}

fn numbers<const N: usize>(operands: &[Object]) -> Result<[f32; N], PdfError> {
    let mut numbers = [0.0; N];
    if operands.len() != N {
        return Err(PdfError::Damaged);
    }
    for (number, operand) in numbers.iter_mut().zip(operands) {
        match operand {
            Object::Number(value) => *number = *value,
            _ => return Err(PdfError::Damaged),
        }
    }
    Ok(numbers)
}
