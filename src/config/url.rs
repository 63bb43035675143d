//! Addresses of servers; they may hold passwords.

use std::fmt;

use zeroize::Zeroizing;

/// Address of a server, with user and password. Wiped from memory when dropped; shown without user and
/// password.
#[derive(Clone)]
pub struct ServerUrl(Zeroizing<String>);

impl ServerUrl {
    /// The whole address.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Reports the address of a server, not of a file.
    pub fn is_server(&self) -> bool {
        !self.0.starts_with("sqlite:")
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once(':').unwrap_or_default();
        let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
        write!(f, "{scheme}:…{}", place.trim_start_matches('/'))
    }
}

/// Reads `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`.
///
/// # Errors
/// Names both.
pub(super) fn database(text: &str) -> Result<ServerUrl, String> {
    of_schemes(text, &["sqlite:", "postgres://", "postgresql://"])
}

/// Reads `redis://HOST` or, with TLS, `rediss://HOST`.
///
/// # Errors
/// Names both.
pub(super) fn redis(text: &str) -> Result<ServerUrl, String> {
    of_schemes(text, &["redis://", "rediss://"])
}

fn of_schemes(text: &str, schemes: &[&str]) -> Result<ServerUrl, String> {
    if schemes.iter().any(|scheme| text.starts_with(scheme)) {
        Ok(ServerUrl(Zeroizing::new(text.to_owned())))
    } else {
        Err(format!("must begin with {}", schemes.join(" or ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let url = database("postgres://cep:hunter2@db.example:5432/cep").unwrap();
        assert_eq!(format!("{url:?}"), "postgres:…db.example:5432/cep");
        assert!(url.is_server());
        let url = database("sqlite://data/cep.db").unwrap();
        assert_eq!(format!("{url:?}"), "sqlite:…data/cep.db");
        assert!(!url.is_server());
    }

    #[test]
    fn another_scheme_is_refused_without_showing_the_address() {
        for refused in [
            database("mysql://cep:hunter2@db.example/cep"),
            redis("http://:hunter2@cache.example"),
        ] {
            let error = refused.unwrap_err();
            assert!(error.starts_with("must begin with") && !error.contains("hunter2"));
        }
    }
}
