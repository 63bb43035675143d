//! Commands that work on the keys of seals.

use std::path::PathBuf;

use clap::Subcommand;
use domain::participants::ParticipantCode;
use domain::seals::CertificateNumber;

use crate::config;

/// Commands that work on the keys of seals.
#[derive(Debug, Subcommand)]
pub enum SealsCommand {
    /// List the keys that verify seals, and the certificates without one of which there are samples.
    List,
    /// Add the key of an institution: its certificate (X.509), or its public key (SPKI), in DER or
    /// PEM. Ask the institution for it: the tax authority's repository has unrelated certificates with
    /// the same serial numbers.
    Import {
        /// The file.
        file: PathBuf,
        /// Code of the institution that seals with it.
        #[arg(long, value_name = "CODE", value_parser = config::participant)]
        participant: Option<ParticipantCode>,
        /// Serial number of the certificate, 20 digits; that of a certificate in the file when it is
        /// not given.
        #[arg(long, value_name = "NUMBER", value_parser = config::certificate)]
        certificate: Option<CertificateNumber>,
    },
    /// Print the samples of seals as lines of JSON: certificates, hashes and seals, no personal data.
    #[command(name = "export-samples")]
    ExportSamples {
        /// File to write instead of the standard output.
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Compute the keys of certificates that have three samples, with the program `seal-keys`; a minute
    /// or two for each. Only a key that three samples confirm is added.
    Recover {
        /// The program; `seal-keys` beside this one when it is not given.
        #[arg(long, value_name = "PATH")]
        program: Option<PathBuf>,
    },
}
