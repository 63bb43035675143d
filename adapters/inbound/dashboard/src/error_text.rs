//! Texts of the error page, in Spanish and English.

use std::borrow::Cow;
use std::time::Duration;

use web::Language;

/// Reason why a sign-in failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SignInFailure {
    /// The sign-in was not started in this browser, has expired, or was already completed.
    NotUnderWay,
    /// The provider refused the sign-in. The value is its error code, if well-formed.
    Refused(Option<String>),
    /// The provider's response is invalid.
    Unusable,
    /// The token is too large for a cookie.
    TooLarge {
        /// Bytes of the cookie that would be needed.
        bytes: usize,
    },
    /// Too many concurrent sign-ins; this one can still be completed later.
    Busy {
        /// Time to wait before the next attempt, sent as `Retry-After`.
        retry_after: Duration,
    },
    /// The provider or the store can't be reached.
    Unavailable,
}

/// Texts of an error page in one language.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ErrorText {
    pub(crate) language: &'static str,
    pub(crate) title: &'static str,
    pub(crate) what: Cow<'static, str>,
    pub(crate) remedy: Cow<'static, str>,
    pub(crate) again: &'static str,
    pub(crate) request_id: &'static str,
    pub(crate) app: &'static str,
}

impl ErrorText {
    pub(crate) fn of(failure: &SignInFailure, language: Language) -> Self {
        match language {
            Language::Spanish => spanish(failure),
            Language::English => english(failure),
        }
    }
}

fn spanish(failure: &SignInFailure) -> ErrorText {
    let (title, what, remedy): (_, Cow<'static, str>, Cow<'static, str>) = match failure {
        SignInFailure::NotUnderWay => (
            "Esta entrada ya no vale",
            "Se empezó en otro navegador o en otra pestaña, pasaron más de diez minutos, o ya se \
             había usado."
                .into(),
            "Entre de nuevo; si se repite, permita las cookies de este sitio.".into(),
        ),
        SignInFailure::Refused(code) => (
            "El proveedor de identidad no le dio paso",
            match code {
                Some(code) => format!("Contestó «{code}».").into(),
                None => "Puede que haya cancelado, o que su cuenta no tenga permiso.".into(),
            },
            "Entre de nuevo, o pida acceso a quien administra las cuentas.".into(),
        ),
        SignInFailure::Unusable => (
            "La respuesta del proveedor de identidad no se puede usar",
            "Contestó, pero lo que mandó no sirve como sesión.".into(),
            "Avise a quien opera este servicio, con el id de la petición: el registro dice qué \
             falta configurar."
                .into(),
        ),
        SignInFailure::TooLarge { bytes } => (
            "La sesión no cabe en una cookie",
            format!(
                "El token de acceso del proveedor ocuparía {bytes} bytes, y los navegadores \
                 guardan hasta {}.",
                web::MAX_COOKIE_BYTES
            )
            .into(),
            "Quien administra el proveedor de identidad debe quitar datos del token de acceso, \
             como listas de grupos o de permisos."
                .into(),
        ),
        SignInFailure::Busy { .. } => (
            "Entran demasiadas personas a la vez",
            "Para cuidar al proveedor de identidad se le pregunta por unas cuantas cada segundo."
                .into(),
            "Espere unos segundos y cargue de nuevo esta página.".into(),
        ),
        SignInFailure::Unavailable => (
            "Ahora no se puede entrar",
            "El proveedor de identidad, o nuestra base de datos, no contesta.".into(),
            "Espere un momento y entre de nuevo.".into(),
        ),
    };
    ErrorText {
        language: "es",
        title,
        what,
        remedy,
        again: "Entrar de nuevo",
        request_id: "Id de la petición:",
        app: "Pasarela CEP",
    }
}

fn english(failure: &SignInFailure) -> ErrorText {
    let (title, what, remedy): (_, Cow<'static, str>, Cow<'static, str>) = match failure {
        SignInFailure::NotUnderWay => (
            "This sign-in is no longer good",
            "It was begun in another browser or tab, more than ten minutes have passed, or it was \
             used before."
                .into(),
            "Sign in again; if it happens again, allow this site's cookies.".into(),
        ),
        SignInFailure::Refused(code) => (
            "The identity provider didn't let you in",
            match code {
                Some(code) => format!("It answered “{code}”.").into(),
                None => "You may have cancelled, or your account may not be allowed.".into(),
            },
            "Sign in again, or ask whoever manages the accounts for access.".into(),
        ),
        SignInFailure::Unusable => (
            "The identity provider's answer can't be used",
            "It answered, but what it sent is no session.".into(),
            "Tell whoever runs this service, with the request id: the log says what to configure."
                .into(),
        ),
        SignInFailure::TooLarge { bytes } => (
            "The session doesn't fit into a cookie",
            format!(
                "The provider's access token would take {bytes} bytes, and browsers keep up to {}.",
                web::MAX_COOKIE_BYTES
            )
            .into(),
            "Whoever manages the identity provider must take data out of the access token, such \
             as lists of groups or permissions."
                .into(),
        ),
        SignInFailure::Busy { .. } => (
            "Too many people sign in at once",
            "To spare the identity provider, it is asked about a few of them each second.".into(),
            "Wait a few seconds and load this page again.".into(),
        ),
        SignInFailure::Unavailable => (
            "Signing in isn't possible now",
            "The identity provider, or our database, doesn't answer.".into(),
            "Wait a moment and sign in again.".into(),
        ),
    };
    ErrorText {
        language: "en",
        title,
        what,
        remedy,
        again: "Sign in again",
        request_id: "Request id:",
        app: "CEP Gateway",
    }
}
