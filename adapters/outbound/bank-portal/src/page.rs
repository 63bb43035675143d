//! What a page of the portal says: pure functions over its bytes.
//!
//! Every business outcome is HTTP 200 with Spanish HTML, so the outcome is read from sentences.
//! Nothing but the portal's own sentence makes a page [`Page::NotFound`]: what isn't understood
//! is [`Page::Unknown`].

use domain::payment::Payment;
use reqwest::StatusCode;

mod markup;
mod table;
mod words;

use markup::{Piece, pieces};
use words::{collapse, fold, unescape};

#[cfg(test)]
mod tests;

/// What a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    /// The portal has failed (5xx).
    ServerError,
    /// Our address has asked too often.
    TooManyQueries,
    /// The portal wants a captcha solved, which we never do.
    CaptchaWanted,
    /// The proof can be downloaded in this session.
    Ready,
    /// The payment is known, its proof isn't there (yet).
    Known(Payment),
    /// No such payment.
    NotFound,
    /// The form is incomplete, which ours never is.
    BadInput,
    /// Closed, or failing for the moment.
    Temporary,
    /// Nothing that we understand.
    Unknown,
}

// The portal's sentences, folded: lower case, no accents.
const TOO_MANY_QUERIES: &str = "ha excedido el numero maximo de consultas";
const CAPTCHA_WANTED: &str = "la imagen de seguridad no fue ingresada correctamente";
const KNOWN: &str = "se identifico el siguiente pago";
const NOT_FOUND_RECENT: &str = "operacion no encontrada. el spei no ha recibido una orden de pago \
                                que cumpla con el criterio de busqueda especificado";
const NOT_FOUND_HISTORIC: &str =
    "no se encontro ningun pago con la informacion proporcionada. verifique e intente nuevamente";
const BAD_INPUT: &str = "no existe un criterio (clave de rastreo o numero de referencia)";
const TEMPORARY: [&str; 3] = [
    "intente nuevamente mas tarde",
    "ocurrio un error en la consulta",
    "el horario de consulta es",
];

/// The element that holds the links of a proof that is ready.
const FORMATS_ID: &str = "dSeleccionaFormato";
/// What those links lead to.
const FORMATS_LINK: &str = "descarga.do?formato=";

/// Reads an answer. Takes time and memory in proportion to the body, whatever is in it.
pub(crate) fn classify(status: StatusCode, body: &[u8]) -> Page {
    if status.is_server_error() {
        return Page::ServerError;
    }
    // Never seen, but it has a meaning of its own (RFC 6585, section 4).
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Page::TooManyQueries;
    }
    if !status.is_success() {
        return Page::Unknown;
    }
    let page = markup::decode(body);
    let text = fold(&visible_text(&page));
    let says = |sentence: &str| text.contains(sentence);
    if says(TOO_MANY_QUERIES) {
        return Page::TooManyQueries;
    }
    if says(CAPTCHA_WANTED) {
        return Page::CaptchaWanted;
    }
    if offers_download(&page) {
        return Page::Ready;
    }
    if says(KNOWN) {
        return table::payment(&page).map_or(Page::Unknown, Page::Known);
    }
    if says(NOT_FOUND_RECENT) || says(NOT_FOUND_HISTORIC) {
        return Page::NotFound;
    }
    if says(BAD_INPUT) {
        return Page::BadInput;
    }
    if TEMPORARY.into_iter().any(says) {
        return Page::Temporary;
    }
    Page::Unknown
}

/// The text that a reader of the page sees. A tag separates words.
fn visible_text(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for piece in pieces(page) {
        match piece {
            Piece::Text(words) => text.push_str(&unescape(words)),
            Piece::Open(_) | Piece::Close(_) => text.push(' '),
        }
    }
    collapse(&text)
}

/// Whether a download link stands inside the element of the formats.
fn offers_download(page: &str) -> bool {
    let mut pieces = pieces(page);
    let container = pieces.find_map(|piece| match piece {
        Piece::Open(tag) => (tag.attribute("id") == Some(FORMATS_ID)).then_some(tag.name),
        _ => None,
    });
    let Some(container) = container else {
        return false;
    };
    let mut depth = 1_usize;
    for piece in pieces {
        match piece {
            Piece::Open(tag) if tag.is("a") => {
                let link = unescape(tag.attribute("href").unwrap_or_default());
                if link.contains(FORMATS_LINK) {
                    return true;
                }
            }
            Piece::Open(tag) if tag.is(container) => depth += 1,
            Piece::Close(name) if name.eq_ignore_ascii_case(container) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
    }
    false
}
