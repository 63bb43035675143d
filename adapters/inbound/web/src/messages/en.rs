//! English.

use super::Messages;

pub(super) struct English;

impl Messages for English {
    fn interrupted_body(&self) -> &'static str {
        "The body arrived incomplete; send the request again."
    }

    fn media_type(&self) -> &'static str {
        "The body must be uncompressed JSON in UTF-8: send the header \
         Content-Type: application/json."
    }

    fn too_large(&self, max_bytes: usize) -> String {
        format!("The body has more than {max_bytes} bytes; send only the fields of the request.")
    }

    fn request_timeout(&self, seconds: u64) -> String {
        format!(
            "The body did not arrive completely within {seconds} seconds; check the connection and \
             send the request again."
        )
    }

    fn unauthenticated(&self) -> &'static str {
        "There is no valid session; sign in at /login and repeat the request."
    }

    fn cross_site(&self) -> &'static str {
        "The request comes from a site that is not allowed; make it from the dashboard, or ask the \
         operator to allow the origin."
    }

    fn service_unavailable(&self, seconds: u64) -> String {
        format!("The service is unavailable; try again in {seconds} s.")
    }

    fn internal_error(&self) -> &'static str {
        "An internal error occurred. Try again and, if it happens again, give the operator the \
         value of X-Request-Id."
    }

    fn route_not_found(&self) -> &'static str {
        "There is no such route. The API's routes are described at /openapi.json and /docs."
    }

    fn method_not_allowed(&self) -> &'static str {
        "The route does not accept this method; use one that the Allow header names."
    }
}
