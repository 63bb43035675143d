//! Connection options and their validation.

use std::num::NonZeroUsize;
use std::time::Duration;

use deadpool_redis::redis::io::tcp::TcpSettings;
use deadpool_redis::redis::{Client, ConnectionAddr, ConnectionInfo, TlsCertificates};

#[derive(Clone, Debug)]
pub struct RedisOptions {
    pub timeouts: RedisTimeouts,
    /// Number of connections shared by all requests. One carries tens of thousands of requests a second.
    pub connections: NonZeroUsize,
    /// Prefix of all keys: 1 to 32 characters of `a-z`, `0-9` and `-`.
    pub namespace: String,
    /// Certificate of the authority that signed the servers', in PEM; `None` trusts the system's
    /// authorities.
    pub root_certificate: Option<Vec<u8>>,
}

impl Default for RedisOptions {
    /// Returns two connections, namespace `cep`, the system's authorities.
    fn default() -> Self {
        Self {
            timeouts: RedisTimeouts::default(),
            connections: NonZeroUsize::MIN.saturating_add(1),
            namespace: "cep".to_owned(),
            root_certificate: None,
        }
    }
}

/// Time limits. A call that exceeds one is an error and is never repeated: it may have been
/// counted.
#[derive(Clone, Copy, Debug)]
pub struct RedisTimeouts {
    /// Maximum wait for another request's connection attempt.
    pub wait: Duration,
    /// Maximum time to connect, TLS and authentication included.
    pub create: Duration,
    /// Maximum wait for a script's reply.
    pub response: Duration,
}

impl Default for RedisTimeouts {
    /// Returns 200, 200 and 150 ms: about a hundred times as long as a script takes within one data
    /// centre, and short compared with a query to the bank.
    fn default() -> Self {
        Self {
            wait: Duration::from_millis(200),
            create: Duration::from_millis(200),
            response: Duration::from_millis(150),
        }
    }
}

/// Invalid options. Contains no part of a URL, which may include a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisLimiterError {
    #[error(
        "URL {number} of Redis can't be read: write redis://HOST:PORT, or rediss:// for TLS, with \
         USER:PASSWORD@ before the host (percent-encoded) where there is one"
    )]
    Url {
        /// Position of the URL among those given, from 1.
        number: usize,
    },
    #[error(
        "URL {number} of Redis ends with #insecure: certificates are always checked; give the \
         root certificate of a private authority instead"
    )]
    Insecure {
        /// Position of the URL among those given, from 1.
        number: usize,
    },
    #[error("a Redis Cluster needs the URL of at least one of its nodes")]
    NoNodes,
    #[error(
        "the URLs of a Redis Cluster differ in more than host and port: all its nodes have one \
         user, one password, one scheme and database 0"
    )]
    UnlikeNodes,
    #[error("the root certificate for Redis is no certificate in PEM")]
    Certificate,
    #[error("the namespace of the keys in Redis must be 1 to 32 of a-z, 0-9 and -")]
    Namespace,
}

impl RedisOptions {
    /// Returns the validated namespace.
    pub(crate) fn checked_namespace(&self) -> Result<String, RedisLimiterError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let fits = (1..=32).contains(&self.namespace.len());
        if fits && self.namespace.chars().all(allowed) {
            Ok(self.namespace.clone())
        } else {
            Err(RedisLimiterError::Namespace)
        }
    }

    /// Parses a URL, and adds the options' certificate.
    pub(crate) fn server(
        &self,
        url: &str,
        number: usize,
    ) -> Result<ConnectionInfo, RedisLimiterError> {
        if !(url.starts_with("redis://") || url.starts_with("rediss://")) {
            return Err(RedisLimiterError::Url { number });
        }
        let client = Client::open(url).map_err(|_| RedisLimiterError::Url { number })?;
        let info = client.get_connection_info().clone();
        let info = match info.addr() {
            ConnectionAddr::TcpTls { insecure: true, .. } => {
                return Err(RedisLimiterError::Insecure { number });
            }
            ConnectionAddr::TcpTls { .. } => match self.certificates() {
                Some(certificates) => Client::build_with_tls(info, certificates)
                    .map_err(|_| RedisLimiterError::Certificate)?
                    .get_connection_info()
                    .clone(),
                None => info,
            },
            _ => info,
        };
        // CLIENT SETINFO is skipped: it needs a right that older servers don't know.
        let settings = info.redis_settings().clone().set_skip_set_lib_name();
        Ok(info
            .set_redis_settings(settings)
            .set_tcp_settings(tcp_settings()))
    }

    /// Parses the URLs of a cluster's nodes.
    pub(crate) fn nodes<S: AsRef<str>>(
        &self,
        urls: &[S],
    ) -> Result<Vec<ConnectionInfo>, RedisLimiterError> {
        let nodes: Vec<_> = urls
            .iter()
            .zip(1..)
            .map(|(url, number)| self.server(url.as_ref(), number))
            .collect::<Result<_, _>>()?;
        let first = nodes.first().ok_or(RedisLimiterError::NoNodes)?;
        let alike = |node: &ConnectionInfo| {
            let (a, b) = (node.redis_settings(), first.redis_settings());
            let scheme = matches!(node.addr(), ConnectionAddr::TcpTls { .. });
            scheme == matches!(first.addr(), ConnectionAddr::TcpTls { .. })
                && a.username() == b.username()
                && a.password() == b.password()
                && a.db() == 0
        };
        if nodes.iter().all(alike) {
            Ok(nodes)
        } else {
            Err(RedisLimiterError::UnlikeNodes)
        }
    }

    pub(crate) fn certificates(&self) -> Option<TlsCertificates> {
        self.root_certificate
            .clone()
            .map(|certificate| TlsCertificates {
                client_tls: None,
                root_cert: Some(certificate),
            })
    }
}

/// Returns TCP settings without delay of small packets, and with a limit of a second for unacknowledged
/// data.
pub(crate) fn tcp_settings() -> TcpSettings {
    let settings = TcpSettings::default().set_nodelay(true);
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(Duration::from_secs(1));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<ConnectionInfo, RedisLimiterError> {
        RedisOptions::default().server(url, 1)
    }

    #[test]
    fn urls_with_user_password_tls_and_database_are_parsed() {
        let info = read("rediss://gateway:p%40ss@redis.internal:6380/3").unwrap();
        assert_eq!(info.redis_settings().username(), Some("gateway"));
        assert_eq!(info.redis_settings().password(), Some("p@ss"));
        assert_eq!(info.redis_settings().db(), 3);
        assert!(matches!(
            info.addr(),
            ConnectionAddr::TcpTls { host, port: 6380, .. } if host == "redis.internal"
        ));
    }

    #[test]
    fn no_error_holds_the_password() {
        for url in [
            "http://u:hunter2@host",
            "unix:///hunter2",
            "redis://u:hunter2@:99999999",
            "redis://u:hunter2@host/x",
            "redis:hunter2",
            "hunter2",
            "",
        ] {
            let error = read(url).unwrap_err();
            assert_eq!(error, RedisLimiterError::Url { number: 1 }, "{url}");
            assert!(!format!("{error} {error:?}").contains("hunter2"));
        }
        assert_eq!(
            read("rediss://host/#insecure").unwrap_err(),
            RedisLimiterError::Insecure { number: 1 }
        );
    }

    #[test]
    fn a_cluster_needs_nodes_with_equal_settings() {
        let nodes = |urls: &[&str]| RedisOptions::default().nodes(urls).map(|nodes| nodes.len());
        assert_eq!(nodes(&["redis://u:p@a:1", "redis://u:p@b:2"]), Ok(2));
        assert_eq!(nodes(&[]), Err(RedisLimiterError::NoNodes));
        for unlike in [
            "redis://b",
            "redis://u:q@b",
            "rediss://u:p@b",
            "redis://u:p@b/1",
        ] {
            let urls = ["redis://u:p@a", unlike];
            assert_eq!(
                nodes(&urls),
                Err(RedisLimiterError::UnlikeNodes),
                "{unlike}"
            );
        }
        assert_eq!(
            nodes(&["redis://a", "nonsense"]),
            Err(RedisLimiterError::Url { number: 2 })
        );
    }

    #[test]
    fn a_namespace_has_no_braces_and_no_other_special_characters() {
        for namespace in ["", "a{b", "a}b", "A", "a:b", &"a".repeat(33)] {
            let options = RedisOptions {
                namespace: namespace.to_owned(),
                ..RedisOptions::default()
            };
            assert_eq!(
                options.checked_namespace(),
                Err(RedisLimiterError::Namespace)
            );
        }
    }

    #[test]
    fn an_invalid_certificate_is_refused() {
        let options = RedisOptions {
            root_certificate: Some(b"-----BEGIN CERTIFICATE-----\nnone\n".to_vec()),
            ..RedisOptions::default()
        };
        let error = options.server("rediss://host", 1).unwrap_err();
        assert_eq!(error, RedisLimiterError::Certificate);
    }
}
