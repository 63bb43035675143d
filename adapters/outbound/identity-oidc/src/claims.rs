//! What a signed token says (OpenID Connect Core 1.0, 3.1.3.7; RFC 9068, section 4).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::Algorithm;
use ports::outbound::Claims;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::config::OidcConfig;
use crate::token::{Header, Rejection};

/// How far the provider's clock may be ahead of ours: a token that was just issued must not be from
/// the future. Machines that keep time are within a second of each other. There is none for `exp`: a
/// signed-out token is denied until then, and must not come to life again for some seconds.
const LEEWAY: TimeDelta = TimeDelta::seconds(5);
/// Longest subject (OpenID Connect Core 1.0, section 2).
const LONGEST_SUBJECT: usize = 255;
/// Most of a name that is worth showing.
const LONGEST_NAME: usize = 200;

/// What a token with a good signature says.
pub(crate) struct Said<'a> {
    claims: &'a Map<String, Value>,
    now: DateTime<Utc>,
}

/// What the ID token of one sign-in must say.
pub(crate) struct IdExpectation<'a> {
    pub(crate) nonce: &'a str,
    pub(crate) access_token: &'a str,
}

impl<'a> Said<'a> {
    pub(crate) fn new(claims: &'a Map<String, Value>, now: DateTime<Utc>) -> Self {
        Self { claims, now }
    }

    /// Whose access token it is.
    pub(crate) fn access(&self, header: &Header, config: &OidcConfig) -> Result<Claims, Rejection> {
        self.is_no_id_token(header, config)?;
        self.is_by(config)?;
        self.is_for(&config.audience)?;
        let expires_at = self.is_timely()?;
        Ok(Claims {
            issuer: config.issuer.as_str().to_owned(),
            subject: self.subject()?.to_owned(),
            role: config.admin_claim.role(self.claims),
            display_name: self.display_name(),
            expires_at,
        })
    }

    /// Whose ID token it is.
    pub(crate) fn id(
        &self,
        header: &Header,
        config: &OidcConfig,
        expected: &IdExpectation<'_>,
    ) -> Result<&'a str, Rejection> {
        self.is_by(config)?;
        self.is_for(&config.client_id)?;
        let authorized = self.claims.get("azp");
        let has_several =
            matches!(self.claims.get("aud"), Some(Value::Array(all)) if all.len() > 1);
        if (authorized.is_some() || has_several)
            && authorized.and_then(Value::as_str) != Some(&config.client_id)
        {
            return Err(Rejection::OtherClient);
        }
        self.is_timely()?;
        self.time("iat")?.ok_or(Rejection::Claim("iat"))?;
        if self.text("nonce") != Some(expected.nonce) {
            return Err(Rejection::Nonce);
        }
        if let Some(hash) = self.claims.get("at_hash")
            && hash.as_str() != Some(&half_hash(header.algorithm, expected.access_token))
        {
            return Err(Rejection::AccessTokenHash);
        }
        self.subject()
    }

    /// An ID token says to a client who signed in; it is no key to anything. It has claims that no
    /// access token has, or its audience isn't ours; and where client and audience are one, an
    /// access token has to show what no ID token has. (`azp` won't do: both may have it.)
    fn is_no_id_token(&self, header: &Header, config: &OidcConfig) -> Result<(), Rejection> {
        let has = |claim: &str| self.claims.contains_key(claim);
        // Keycloak writes the kind into the claims: `Bearer`, `ID`, `Refresh`, `Logout`.
        let kind = self.text("typ");
        if kind.is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
            return Err(Rejection::IdToken);
        }
        let says_access = header.is_marked_access || kind.is_some();
        // Keycloak before 24 repeats the nonce in access tokens, which say that they are some.
        if has("at_hash") || has("c_hash") || has("nonce") && !says_access {
            return Err(Rejection::IdToken);
        }
        let shows_access =
            says_access || ["scope", "scp", "client_id"].iter().any(|claim| has(claim));
        if config.audience == config.client_id && !shows_access {
            return Err(Rejection::Indistinct);
        }
        Ok(())
    }

    fn is_by(&self, config: &OidcConfig) -> Result<(), Rejection> {
        match self.text("iss") {
            None => Err(Rejection::Claim("iss")),
            Some(issuer) if issuer == config.issuer.as_str() => Ok(()),
            Some(_) => Err(Rejection::Issuer),
        }
    }

    fn is_for(&self, audience: &str) -> Result<(), Rejection> {
        let is_named = match self.claims.get("aud") {
            Some(Value::String(named)) => named == audience,
            Some(Value::Array(all)) => all.iter().any(|named| named.as_str() == Some(audience)),
            _ => return Err(Rejection::Claim("aud")),
        };
        if is_named {
            Ok(())
        } else {
            Err(Rejection::Audience(audience.to_owned()))
        }
    }

    /// When it ends; it has begun and hasn't ended.
    fn is_timely(&self) -> Result<DateTime<Utc>, Rejection> {
        let expires_at = self.time("exp")?.ok_or(Rejection::Claim("exp"))?;
        if self.now >= expires_at {
            return Err(Rejection::Expired);
        }
        let latest = self.now + LEEWAY;
        let is_later = |time: Option<DateTime<Utc>>| time.is_some_and(|time| time > latest);
        if is_later(self.time("nbf")?) || is_later(self.time("iat")?) {
            return Err(Rejection::NotYet);
        }
        Ok(expires_at)
    }

    /// A `NumericDate` (RFC 7519, section 2): seconds, maybe with a fraction, which is cut.
    fn time(&self, claim: &'static str) -> Result<Option<DateTime<Utc>>, Rejection> {
        let Some(value) = self.claims.get(claim) else {
            return Ok(None);
        };
        let seconds = value.as_i64().or_else(|| whole(value.as_f64()?));
        let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        time.map(Some).ok_or(Rejection::Claim(claim))
    }

    fn subject(&self) -> Result<&'a str, Rejection> {
        let is_printable = |subject: &&str| subject.chars().all(|char| !char.is_control());
        self.text("sub")
            .filter(|subject| (1..=LONGEST_SUBJECT).contains(&subject.chars().count()))
            .filter(is_printable)
            .ok_or(Rejection::Claim("sub"))
    }

    /// For the person's own eyes.
    fn display_name(&self) -> Option<String> {
        ["name", "preferred_username", "email"]
            .iter()
            .filter_map(|claim| self.text(claim))
            .map(|name| name.chars().filter(|char| !char.is_control()))
            .map(|name| name.take(LONGEST_NAME).collect::<String>())
            .map(|name| name.trim().to_owned())
            .find(|name| !name.is_empty())
    }

    fn text(&self, claim: &str) -> Option<&'a str> {
        self.claims.get(claim)?.as_str()
    }
}

/// The seconds of a number with a fraction, if it is a time at all.
fn whole(seconds: f64) -> Option<i64> {
    /// The year 9999; `f64` holds every second until then exactly.
    const LATEST: f64 = 253_402_300_799.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (0.0..=LATEST)
        .contains(&seconds)
        .then(|| seconds.floor() as i64)
}

/// `at_hash`: the left half of the hash that goes with the ID token's algorithm (OpenID Connect Core
/// 1.0, 3.1.3.6; SHA-512 for Ed25519).
fn half_hash(algorithm: Algorithm, token: &str) -> String {
    let digest = match algorithm {
        Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => Sha512::digest(token).to_vec(),
        Algorithm::RS384 | Algorithm::PS384 | Algorithm::ES384 => Sha384::digest(token).to_vec(),
        _ => Sha256::digest(token).to_vec(),
    };
    URL_SAFE_NO_PAD.encode(&digest[..digest.len() / 2])
}
