//! Classification of the portal's pages: pure functions over their bytes.
//!
//! Every business outcome is HTTP 200 with Spanish HTML, so the outcome is read from sentences.
//! Nothing but the portal's own sentence makes a page [`Page::NotFound`]: a page that isn't
//! recognised is [`Page::Unknown`].

use domain::payment::Payment;
use reqwest::StatusCode;

mod html;
mod table;
mod text;
pub(crate) mod validation;

use html::{Token, tokens};
use text::{collapse, fold};

#[cfg(test)]
mod tests;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    /// The portal has failed (5xx).
    ServerError,
    /// Our address has exceeded the portal's limit of queries.
    TooManyQueries,
    /// The portal asks for a captcha, which is never solved.
    CaptchaWanted,
    /// The proof can be downloaded in this session.
    Ready,
    /// The payment exists, its proof doesn't (yet).
    Known(Payment),
    /// No such payment.
    NotFound,
    /// The portal rejects the form as incomplete, which ours never is.
    BadInput,
    /// The portal is closed, or failing for the moment.
    Temporary,
    /// None of the pages above.
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

/// The element that holds the download links of a proof that is ready.
const FORMATS_ID: &str = "dSeleccionaFormato";
/// A part of the target of each of those links.
const FORMATS_LINK: &str = "descarga.do?formato=";

/// Classifies a response. Takes time and memory in proportion to the body, whatever it holds.
pub(crate) fn classify(status: StatusCode, body: &[u8]) -> Page {
    if status.is_server_error() {
        return Page::ServerError;
    }
    // Never observed, but this status has a standard meaning (RFC 6585, section 4).
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Page::TooManyQueries;
    }
    if !status.is_success() {
        return Page::Unknown;
    }
    let page = html::decode(body);
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
    for token in tokens(page) {
        match token {
            Token::Text(words) => text.push_str(&words),
            Token::Start(_) | Token::End(_) => text.push(' '),
        }
    }
    collapse(&text)
}

/// Returns whether there is a download link inside the element [`FORMATS_ID`].
fn offers_download(page: &str) -> bool {
    let mut tokens = tokens(page);
    let container = tokens.find_map(|token| match token {
        Token::Start(tag) if tag.attribute("id") == Some(FORMATS_ID) => Some(tag.name),
        _ => None,
    });
    let Some(container) = container else {
        return false;
    };
    let mut depth = 1_usize;
    for token in tokens {
        match token {
            Token::Start(tag) if tag.name == "a" => {
                let link = tag.attribute("href").unwrap_or_default();
                if link.contains(FORMATS_LINK) {
                    return true;
                }
            }
            Token::Start(tag) if tag.name == container => depth += 1,
            Token::End(name) if name == container => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
    }
    false
}
