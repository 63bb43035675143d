//! TLS certificates for servers of tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skip;

/// A certificate authority and a server certificate signed by it, as PEM files.
pub struct Certificates {
    /// Path of the authority's certificate.
    pub authority: PathBuf,
    /// Path of the server's certificate.
    pub certificate: PathBuf,
    /// Path of the server's private key.
    pub key: PathBuf,
}

impl Certificates {
    /// Makes a certificate for a server of this name, as OpenSSL writes names (`IP:127.0.0.1`,
    /// `DNS:localhost`); `None`, after printing it, where OpenSSL isn't installed.
    pub fn new(folder: &Path, name: &str) -> Option<Self> {
        let openssl = |words: &str| {
            let mut command = Command::new("openssl");
            command.args(words.split_whitespace()).current_dir(folder);
            command.output().ok()
        };
        if openssl("version").is_none() {
            skip("openssl is not installed");
            return None;
        }
        fs::write(folder.join("names"), format!("subjectAltName={name}\n")).unwrap();
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
        for words in [
            format!("req -x509 {key} -keyout ca.key -out ca.crt -subj /CN=authority -days 2"),
            format!("req {key} -keyout server.key -out server.csr -subj /CN=server"),
            "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt \
             -days 2 -extfile names"
                .to_owned(),
        ] {
            let output = openssl(&words).unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        }
        Some(Self {
            authority: folder.join("ca.crt"),
            certificate: folder.join("server.crt"),
            key: folder.join("server.key"),
        })
    }
}
