//! Checks of a signed token's claims (OpenID Connect Core 1.0, 3.1.3.7; RFC 9068, section 4).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::Algorithm;
use ports::outbound::Claims;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::config::OidcConfig;
use crate::token::{Header, InvalidToken};

/// Tolerated lead of the provider's clock, so that a token that was just issued isn't from the
/// future. Synchronised machines are within a second of each other. No leeway applies to `exp`: the
/// deny list keeps a signed-out token until then, and it must not be valid again for some seconds.
const LEEWAY: TimeDelta = TimeDelta::seconds(5);
/// Maximum length of a subject (OpenID Connect Core 1.0, section 2).
const MAX_SUBJECT: usize = 255;
/// Maximum length of a name that is shown; longer ones are cut.
const MAX_NAME: usize = 200;

/// Claims of a token whose signature was verified, and the time to check them at.
pub(crate) struct VerifiedClaims<'a> {
    claims: &'a Map<String, Value>,
    now: DateTime<Utc>,
}

/// Values that the ID token of a sign-in must match.
pub(crate) struct ExpectedIdToken<'a> {
    pub(crate) nonce: &'a str,
    pub(crate) access_token: &'a str,
}

impl<'a> VerifiedClaims<'a> {
    pub(crate) fn new(claims: &'a Map<String, Value>, now: DateTime<Utc>) -> Self {
        Self { claims, now }
    }

    /// Checks the claims of an access token.
    pub(crate) fn check_access_token(
        &self,
        header: &Header,
        config: &OidcConfig,
    ) -> Result<Claims, InvalidToken> {
        self.refuse_id_token(header, config)?;
        self.check_issuer(config)?;
        self.check_audience(&config.audience)?;
        let expires_at = self.check_times()?;
        Ok(Claims {
            issuer: config.issuer.as_str().to_owned(),
            subject: self.subject()?.to_owned(),
            role: config.admin_claim.role(self.claims),
            display_name: self.display_name(),
            issued_at: self.time("iat")?,
            expires_at,
        })
    }

    /// Checks the claims of an ID token and returns its subject.
    pub(crate) fn check_id_token(
        &self,
        header: &Header,
        config: &OidcConfig,
        expected: &ExpectedIdToken<'_>,
    ) -> Result<&'a str, InvalidToken> {
        self.check_issuer(config)?;
        self.check_audience(&config.client_id)?;
        let authorized = self.claims.get("azp");
        let has_several =
            matches!(self.claims.get("aud"), Some(Value::Array(all)) if all.len() > 1);
        if (authorized.is_some() || has_several)
            && authorized.and_then(Value::as_str) != Some(&config.client_id)
        {
            return Err(InvalidToken::OtherClient);
        }
        self.check_times()?;
        self.time("iat")?.ok_or(InvalidToken::Claim("iat"))?;
        if self.string("nonce") != Some(expected.nonce) {
            return Err(InvalidToken::Nonce);
        }
        if let Some(hash) = self.claims.get("at_hash")
            && hash.as_str() != Some(&at_hash(header.algorithm, expected.access_token))
        {
            return Err(InvalidToken::AccessTokenHash);
        }
        self.subject()
    }

    /// Refuses ID tokens: they tell a client who signed in and grant nothing. An ID token has claims
    /// that no access token has, or another audience; where client and audience are the same, an
    /// access token must show a mark that no ID token has. (`azp` isn't one: both may have it.)
    fn refuse_id_token(&self, header: &Header, config: &OidcConfig) -> Result<(), InvalidToken> {
        let has = |claim: &str| self.claims.contains_key(claim);
        // Keycloak writes the kind into the claims: `Bearer`, `ID`, `Refresh`, `Logout`.
        let kind = self.string("typ");
        if kind.is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
            return Err(InvalidToken::IdToken);
        }
        let says_access = header.is_marked_access || kind.is_some();
        // Keycloak before 24 repeats the nonce in access tokens, but marks these as access tokens.
        if has("at_hash") || has("c_hash") || has("nonce") && !says_access {
            return Err(InvalidToken::IdToken);
        }
        let shows_access =
            says_access || ["scope", "scp", "client_id"].iter().any(|claim| has(claim));
        if config.audience == config.client_id && !shows_access {
            return Err(InvalidToken::Indistinct);
        }
        Ok(())
    }

    fn check_issuer(&self, config: &OidcConfig) -> Result<(), InvalidToken> {
        match self.string("iss") {
            None => Err(InvalidToken::Claim("iss")),
            Some(issuer) if issuer == config.issuer.as_str() => Ok(()),
            Some(_) => Err(InvalidToken::Issuer),
        }
    }

    fn check_audience(&self, audience: &str) -> Result<(), InvalidToken> {
        let is_named = match self.claims.get("aud") {
            Some(Value::String(named)) => named == audience,
            Some(Value::Array(all)) => all.iter().any(|named| named.as_str() == Some(audience)),
            _ => return Err(InvalidToken::Claim("aud")),
        };
        if is_named {
            Ok(())
        } else {
            Err(InvalidToken::Audience(audience.to_owned()))
        }
    }

    /// Checks `exp`, `nbf` and `iat`, and returns the instant of expiry.
    fn check_times(&self) -> Result<DateTime<Utc>, InvalidToken> {
        let expires_at = self.time("exp")?.ok_or(InvalidToken::Claim("exp"))?;
        if self.now >= expires_at {
            return Err(InvalidToken::Expired);
        }
        let latest = self.now + LEEWAY;
        let is_later = |time: Option<DateTime<Utc>>| time.is_some_and(|time| time > latest);
        if is_later(self.time("nbf")?) || is_later(self.time("iat")?) {
            return Err(InvalidToken::NotYetValid);
        }
        Ok(expires_at)
    }

    /// Parses a `NumericDate` (RFC 7519, section 2): seconds, maybe with a fraction, which is cut.
    fn time(&self, claim: &'static str) -> Result<Option<DateTime<Utc>>, InvalidToken> {
        let Some(value) = self.claims.get(claim) else {
            return Ok(None);
        };
        let seconds = value.as_i64().or_else(|| whole_seconds(value.as_f64()?));
        let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        time.map(Some).ok_or(InvalidToken::Claim(claim))
    }

    fn subject(&self) -> Result<&'a str, InvalidToken> {
        let is_printable = |subject: &&str| subject.chars().all(|char| !char.is_control());
        self.string("sub")
            .filter(|subject| (1..=MAX_SUBJECT).contains(&subject.chars().count()))
            .filter(is_printable)
            .ok_or(InvalidToken::Claim("sub"))
    }

    /// Returns a name to show to the person: the first claim that has one.
    fn display_name(&self) -> Option<String> {
        ["name", "preferred_username", "email"]
            .iter()
            .filter_map(|claim| self.string(claim))
            .map(|name| name.chars().filter(|char| !char.is_control()))
            .map(|name| name.take(MAX_NAME).collect::<String>())
            .map(|name| name.trim().to_owned())
            .find(|name| !name.is_empty())
    }

    fn string(&self, claim: &str) -> Option<&'a str> {
        self.claims.get(claim)?.as_str()
    }
}

/// Truncates a number of seconds; `None` outside the years 1970 to 9999.
fn whole_seconds(seconds: f64) -> Option<i64> {
    /// The year 9999; `f64` holds every second until then exactly.
    const LATEST: f64 = 253_402_300_799.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (0.0..=LATEST)
        .contains(&seconds)
        .then(|| seconds.floor() as i64)
}

/// Computes `at_hash`: the left half of the hash of the ID token's algorithm (OpenID Connect Core
/// 1.0, 3.1.3.6; SHA-512 for Ed25519).
fn at_hash(algorithm: Algorithm, token: &str) -> String {
    let digest = match algorithm {
        Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => Sha512::digest(token).to_vec(),
        Algorithm::RS384 | Algorithm::PS384 | Algorithm::ES384 => Sha384::digest(token).to_vec(),
        _ => Sha256::digest(token).to_vec(),
    };
    URL_SAFE_NO_PAD.encode(&digest[..digest.len() / 2])
}
