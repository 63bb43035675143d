//! Parsers of values that several options have.

use std::net::SocketAddr;
use std::time::Duration;

use chrono::NaiveDate;
use domain::calendar::{self, DateError};
use domain::keys::Environment;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use domain::participants::{ParticipantCode, ParticipantError};
use domain::seals::CertificateNumber;

/// Longest time that can be set, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// Reads a number of seconds.
///
/// # Errors
/// Names the least and the most.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "must be a number of seconds".to_owned())?;
    if !(0.001..=MAX_SECONDS).contains(&seconds) {
        return Err(format!("must be between 0.001 and {MAX_SECONDS} seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Reads the address of a sandbox.
///
/// # Errors
/// Any address but loopback.
pub(super) fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address = address(text)?;
    if !address.ip().is_loopback() {
        return Err(
            "the sandbox listens on loopback addresses alone; use `cep-gateway sandbox` to run its \
                    bank elsewhere"
                .to_owned(),
        );
    }
    Ok(address)
}

/// Reads an IP address and a port.
///
/// # Errors
/// Shows two.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "must be an IP address and a port, for example 127.0.0.1:8080 or [::1]:8080".to_owned()
    })
}

/// Reads `live` or `test`.
///
/// # Errors
/// Names both.
pub fn environment(text: &str) -> Result<Environment, String> {
    Environment::from_name(text).ok_or_else(|| "must be `live` or `test`".to_owned())
}

/// Parser of a number of requests a minute.
pub fn per_minute() -> impl clap::builder::TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_PER_MINUTE))
}

/// Parser of a number of requests a month.
pub fn monthly_quota() -> impl clap::builder::TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(1..=MAX_MONTHLY_QUOTA)
}

/// Reads a participant's code.
///
/// # Errors
/// Shows the form.
pub fn participant(text: &str) -> Result<ParticipantCode, ParticipantError> {
    ParticipantCode::parse(text).ok_or(ParticipantError::Malformed)
}

/// Reads a certificate's serial number.
///
/// # Errors
/// Shows the form.
pub fn certificate(text: &str) -> Result<CertificateNumber, String> {
    CertificateNumber::parse(text).ok_or_else(|| "must be 20 digits".to_owned())
}

/// Reads a date.
///
/// # Errors
/// Shows the form.
pub fn date(text: &str) -> Result<NaiveDate, DateError> {
    calendar::parse_date(text)
}
