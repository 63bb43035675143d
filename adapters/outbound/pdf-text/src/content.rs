//! Interprets the content of a page (ISO 32000-1, 8 and 9): where its texts stand, and whether
//! everything is drawn as the portal's generator draws it.

use domain::proofs::check::{Drawing, MAX_RUNS, PdfError, PrintedPage, TextRun};

use crate::grammar::{Colour, JUSTIFIED, Judge, Path, SIZES, WORD_SPACING};
use crate::lexer::{Lexer, Object, Token};
use crate::matrix::{Bounds, Matrix};
use crate::page::{Font, Page};
use crate::{helvetica, win_ansi};

/// Maximum number of operands and operators; the portal's page has 3,000.
const MAX_TOKENS: usize = 30_000;
/// Maximum number of operands of an operator.
const MAX_OPERANDS: usize = 64;
/// Maximum number of saved states.
const MAX_STATES: usize = 64;
/// Smallest legible font size, in points.
const READABLE: f32 = 3.0;
/// Maximum slope of a text that counts as upright.
const UPRIGHT: f32 = 0.001;
/// Adjustment between letters that counts as a blank, in thousandths of the font size.
const BLANK: f32 = -180.0;
const BLACK: Colour = [0.0; 3];

/// Interprets the content of a page: returns its texts, and whether the page is the portal's.
pub(crate) fn draw(page: &Page<'_>) -> Result<PrintedPage, PdfError> {
    let mut canvas = Canvas::new(page);
    let mut lexer = Lexer::new(&page.content, 0, MAX_TOKENS);
    let mut operands = Vec::new();
    while let Some(token) = lexer.next()? {
        match token {
            Token::Object(operand) if operands.len() < MAX_OPERANDS => operands.push(operand),
            Token::Object(_) => return Err(PdfError::TooComplex),
            // An inline image: its bytes aren't tokens.
            Token::Word(b"BI") => {
                canvas.judge.require(false);
                lexer.skip_inline_image();
                operands.clear();
            }
            Token::Word(operator) => {
                canvas.apply(operator, &operands)?;
                operands.clear();
            }
        }
    }
    canvas.judge.require(lexer.comment_bytes() == 0);
    Ok(canvas.finish(operands.is_empty()))
}

/// Graphics state that `q` saves.
#[derive(Clone, Copy)]
struct State {
    matrix: Matrix,
    font: Font,
    size: f32,
    leading: f32,
    word_spacing: f32,
    is_invisible: bool,
    fill: Option<Colour>,
    stroke: Option<Colour>,
    line_width: f32,
}

struct Canvas<'a> {
    source: &'a Page<'a>,
    runs: Vec<TextRun>,
    judge: Judge,
    /// Every text read so far is visible to readers, at the place where it was read.
    is_legible: bool,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    is_in_text: bool,
    /// The next text continues the last run.
    continues: bool,
    path: Path,
}

impl<'a> Canvas<'a> {
    fn new(source: &'a Page<'a>) -> Self {
        let mut judge = Judge::new();
        judge.require(source.is_portals);
        Self {
            source,
            runs: Vec::new(),
            judge,
            is_legible: true,
            state: State {
                matrix: Matrix::IDENTITY,
                font: Font::Unknown,
                size: 0.0,
                leading: 0.0,
                word_spacing: 0.0,
                is_invisible: false,
                fill: Some(BLACK),
                stroke: Some(BLACK),
                line_width: 1.0,
            },
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            is_in_text: false,
            continues: false,
            path: Path::default(),
        }
    }

    /// Applies an operator. One that the portal's generator never writes, or writes elsewhere,
    /// makes the page not the portal's.
    fn apply(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), PdfError> {
        match operator {
            b"q" => {
                self.judge.require(!self.is_in_text && operands.is_empty());
                if self.saved.len() >= MAX_STATES {
                    return Err(PdfError::TooComplex);
                }
                self.saved.push(self.state);
            }
            b"Q" => {
                self.judge.require(!self.is_in_text && operands.is_empty());
                let saved = self.saved.pop();
                self.judge.require(saved.is_some());
                self.state = saved.unwrap_or(self.state);
            }
            b"cm" => {
                self.judge.require(!self.is_in_text);
                let matrix = Matrix(numbers(operands)?);
                self.state.matrix = matrix.then(self.state.matrix);
            }
            b"rg" | b"g" | b"RG" => self.colour(operator, operands),
            b"w" => {
                let width = numbers(operands).map(|[width]| width);
                self.judge.require(width.is_ok_and(|width| width > 0.0));
                self.state.line_width = width.unwrap_or(1.0);
            }
            // Square or butt caps extend a line by at most half its width.
            b"J" => {
                let cap: Result<[f32; 1], _> = numbers(operands);
                self.judge
                    .require(cap.is_ok_and(|[cap]| [0.0, 2.0].contains(&cap)));
            }
            b"d" => self.judge.require(is_solid(operands)),
            b"m" | b"l" | b"c" | b"f" | b"S" => self.draw_path(operator, operands),
            b"Do" => self.external(operands)?,
            _ => return self.write(operator, operands),
        }
        Ok(())
    }

    fn colour(&mut self, operator: &[u8], operands: &[Object]) {
        let colour = match operator {
            b"g" => numbers(operands).map(|[grey]| [grey; 3]),
            _ => numbers(operands),
        };
        let is_colour = |colour: &Colour| colour.iter().all(|part| (0.0..=1.0).contains(part));
        let colour = colour.ok().filter(is_colour);
        self.judge.require(colour.is_some());
        match operator {
            b"RG" => self.state.stroke = colour,
            _ => self.state.fill = colour,
        }
    }

    fn draw_path(&mut self, operator: &[u8], operands: &[Object]) {
        self.judge
            .require(!self.is_in_text && self.state.matrix.is_identity());
        let points = points(operands);
        match (operator, &points[..]) {
            (b"m", [Some(point)]) => self.path.begin(*point),
            (b"l", [Some(point)]) => self.path.extend(&[*point]),
            (b"c", [Some(one), Some(two), Some(three)]) => self.path.extend(&[*one, *two, *three]),
            (b"f", []) => {
                self.judge.fill(&self.path, self.state.fill);
                self.path = Path::default();
            }
            (b"S", []) => {
                let State {
                    stroke, line_width, ..
                } = self.state;
                self.judge.stroke(&self.path, stroke, line_width);
                self.path = Path::default();
            }
            _ => {
                self.judge.require(false);
                self.path.add_other();
            }
        }
    }

    fn external(&mut self, operands: &[Object]) -> Result<(), PdfError> {
        let [Object::Name(name)] = operands else {
            return Err(PdfError::Damaged);
        };
        let Matrix([right, turned, leaned, up, x, y]) = self.state.matrix;
        self.judge.require(!self.is_in_text);
        self.judge
            .require(turned == 0.0 && leaned == 0.0 && right > 0.0 && up > 0.0);
        // Checked last: reading the pixels is the greatest part of the work.
        let is_emblem = self.judge.is_portals() && self.source.is_emblem(name);
        let bounds = Bounds::of([[x, y], [x + right, y + up]]);
        self.judge.picture(bounds, is_emblem);
        Ok(())
    }

    /// Applies a text operator, also one that the portal never writes.
    fn write(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), PdfError> {
        match operator {
            b"BT" | b"ET" => {
                let begins = operator == b"BT";
                self.judge
                    .require(self.is_in_text != begins && operands.is_empty());
                self.is_in_text = begins;
                self.place(Matrix::IDENTITY);
            }
            b"Tm" => {
                self.judge.require(self.is_in_text);
                self.place(Matrix(numbers(operands)?));
            }
            b"Td" => {
                self.judge.require(self.is_in_text);
                self.advance(numbers(operands)?);
            }
            b"Tf" => {
                let [Object::Name(font), Object::Number(size)] = operands else {
                    return Err(PdfError::Damaged);
                };
                self.state.font = self.source.font(font);
                self.state.size = *size;
            }
            b"Tw" => {
                let [spacing] = numbers(operands)?;
                self.judge.require(WORD_SPACING.contains(&spacing));
                self.state.word_spacing = spacing;
            }
            b"Tc" => {
                let [spacing]: [f32; 1] = numbers(operands)?;
                self.judge.require(spacing == 0.0);
            }
            b"Tj" => return self.show(operands),
            _ => {
                self.judge.require(false);
                return self.write_otherwise(operator, operands);
            }
        }
        Ok(())
    }

    /// Applies a text operator that the portal never writes; the rest only changes the appearance.
    fn write_otherwise(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), PdfError> {
        match operator {
            b"TD" => {
                let [x, y] = numbers(operands)?;
                self.state.leading = -y;
                self.advance([x, y]);
            }
            b"TL" => [self.state.leading] = numbers(operands)?,
            b"T*" => self.next_line(),
            b"Tr" => {
                let [mode]: [f32; 1] = numbers(operands)?;
                self.state.is_invisible = mode != 0.0;
            }
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

    /// Shows strings; numbers between them adjust the space between letters.
    fn show(&mut self, parts: &[Object]) -> Result<(), PdfError> {
        let mut text = String::new();
        let mut codes = Vec::new();
        for part in parts {
            match part {
                Object::Text(bytes) => {
                    text.push_str(&win_ansi::decode(bytes));
                    codes.extend(bytes);
                }
                Object::Number(number) if *number < BLANK => text.push(' '),
                Object::Number(_) => {}
                _ => return Err(PdfError::Damaged),
            }
        }
        self.judge.require(self.is_in_text && parts.len() == 1);
        if text.is_empty() {
            return Ok(());
        }
        let whole = self.text.then(self.state.matrix);
        let Matrix([right, turned, leaned, up, x, y]) = whole;
        let greatest = right.abs().max(up.abs()).max(f32::MIN_POSITIVE);
        let slope = turned.abs().max(leaned.abs()) / greatest;
        let State {
            font,
            size,
            word_spacing,
            fill,
            ..
        } = self.state;
        let is_upright = slope <= UPRIGHT && right > 0.0 && up > 0.0;
        let is_readable = size * right.min(up) >= READABLE;
        let is_shown =
            font != Font::Unknown && !self.state.is_invisible && win_ansi::is_certain(&codes);
        let is_placed = x.is_finite() && y.is_finite();
        self.is_legible &= is_upright && is_readable && is_shown && is_placed;

        let blanks = text.chars().filter(|character| *character == ' ').count();
        let blanks = f32::from(u16::try_from(blanks).unwrap_or(u16::MAX));
        let width = helvetica::width(&codes) * size + word_spacing * blanks;
        let is_of_portal = whole == Matrix::translation(x, y)
            && self.state.matrix.is_identity()
            && font == Font::Helvetica
            && SIZES.contains(&size)
            && (word_spacing == 0.0 || (size - JUSTIFIED).abs() < 0.1)
            && !self.continues;
        self.judge.require(is_of_portal && self.is_legible);
        // Blanks show nothing.
        if !text.trim().is_empty() {
            self.judge.text([x, y], width, size, fill);
        }
        let is_full = self.runs.len() >= MAX_RUNS;
        match self.runs.last_mut() {
            Some(last) if self.continues => {
                last.text.push_str(&text);
                last.width += width;
            }
            _ if is_full => return Err(PdfError::TooComplex),
            _ => self.runs.push(TextRun {
                x,
                y,
                width,
                size,
                text,
            }),
        }
        self.continues = true;
        Ok(())
    }

    fn finish(mut self, is_complete: bool) -> PrintedPage {
        self.judge
            .require(is_complete && !self.is_in_text && self.saved.is_empty());
        self.judge.finish();
        let drawing = match (self.judge.is_portals(), self.is_legible) {
            (true, true) => Drawing::Portal,
            (false, true) => Drawing::Other,
            (_, false) => Drawing::Unknown,
        };
        PrintedPage {
            runs: self.runs,
            drawing,
        }
    }
}

/// Returns `true` for the operands of a solid line.
fn is_solid(operands: &[Object]) -> bool {
    matches!(operands, [Object::Array(gaps), Object::Number(0.0)] if gaps.is_empty())
}

/// Reads operands as points, at most four; `None` for a pair that isn't two numbers.
fn points(operands: &[Object]) -> Vec<Option<[f32; 2]>> {
    let pairs = operands.chunks(2).take(4);
    pairs.map(|pair| numbers(pair).ok()).collect()
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
