//! Claim that makes a person an admin.

use std::fmt;
use std::str::FromStr;

use domain::people::customer::Role;
use serde_json::{Map, Value};

/// Claim and the value that makes its subject an admin: `roles=cep-admin`,
/// `realm_access.roles=cep-admin`, `https://example.com/roles=cep-admin`.
///
/// The name is looked up as a claim first, and as a path of nested names when there is no such claim.
/// A string matches when it is the value or contains it as a word between blanks (as in `scope`), an
/// array when one of its strings is the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminClaim {
    name: String,
    value: String,
}

/// Text that isn't a claim and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write the claim, an equals sign and the admins' value: roles=cep-admin")]
pub struct AdminClaimError;

impl AdminClaim {
    /// Returns the role of a token's subject.
    pub(crate) fn role(&self, claims: &Map<String, Value>) -> Role {
        let has_value = match self.look_up(claims) {
            Some(Value::String(text)) => {
                *text == self.value || text.split(' ').any(|word| word == self.value)
            }
            Some(Value::Array(items)) => {
                let value = Some(self.value.as_str());
                items.iter().any(|item| item.as_str() == value)
            }
            _ => false,
        };
        if has_value { Role::Admin } else { Role::Member }
    }

    fn look_up<'a>(&self, claims: &'a Map<String, Value>) -> Option<&'a Value> {
        if let Some(claim) = claims.get(&self.name) {
            return Some(claim);
        }
        let mut names = self.name.split('.');
        let outermost = claims.get(names.next()?)?;
        names.try_fold(outermost, |claim, name| claim.as_object()?.get(name))
    }
}

impl Default for AdminClaim {
    /// Returns `roles=cep-admin`.
    fn default() -> Self {
        Self {
            name: "roles".to_owned(),
            value: "cep-admin".to_owned(),
        }
    }
}

impl FromStr for AdminClaim {
    type Err = AdminClaimError;

    /// Splits at the last equals sign: the name may be a URL with a query.
    fn from_str(text: &str) -> Result<Self, AdminClaimError> {
        let (name, value) = text.rsplit_once('=').ok_or(AdminClaimError)?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || value.is_empty() {
            return Err(AdminClaimError);
        }
        Ok(Self {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

impl fmt::Display for AdminClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn role(claim: &str, claims: &Value) -> Role {
        let claim: AdminClaim = claim.parse().unwrap();
        claim.role(claims.as_object().unwrap())
    }

    #[rstest]
    #[case("roles=cep-admin", json!({ "roles": ["other", "cep-admin"] }))]
    #[case("roles=cep-admin", json!({ "roles": "cep-admin" }))]
    #[case("scope=cep admin", json!({ "scope": "cep admin" }))]
    #[case("scope=cep-admin", json!({ "scope": "openid cep-admin profile" }))]
    #[case("realm_access.roles=cep-admin", json!({ "realm_access": { "roles": ["cep-admin"] } }))]
    #[case("a.b.c=d", json!({ "a": { "b": { "c": "d" } } }))]
    #[case("https://example.com/roles=cep-admin", json!({ "https://example.com/roles": ["cep-admin"] }))]
    #[case("https://example.com/?a=b=cep-admin", json!({ "https://example.com/?a=b": "cep-admin" }))]
    fn a_subject_with_the_value_is_an_admin(#[case] claim: &str, #[case] claims: Value) {
        assert_eq!(role(claim, &claims), Role::Admin);
    }

    #[rstest]
    #[case("roles=cep-admin", json!({}))]
    #[case("roles=cep-admin", json!({ "roles": [] }))]
    #[case("roles=cep-admin", json!({ "roles": ["cep-admins", "CEP-ADMIN", ["cep-admin"]] }))]
    #[case("roles=cep-admin", json!({ "roles": "not-cep-admin" }))]
    #[case("roles=cep-admin", json!({ "roles": { "cep-admin": true } }))]
    #[case("roles=true", json!({ "roles": true }))]
    #[case("roles=1", json!({ "roles": [1] }))]
    #[case("roles=cep-admin", json!({ "other": ["cep-admin"] }))]
    #[case("realm_access.roles=cep-admin", json!({ "realm_access": ["cep-admin"] }))]
    #[case("realm_access.roles=cep-admin", json!({ "roles": ["cep-admin"] }))]
    fn a_subject_without_the_value_is_a_member(#[case] claim: &str, #[case] claims: Value) {
        assert_eq!(role(claim, &claims), Role::Member);
    }

    #[test]
    fn a_claim_of_that_name_comes_before_a_path() {
        let claims = json!({ "a.b": ["member"], "a": { "b": ["cep-admin"] } });
        assert_eq!(role("a.b=cep-admin", &claims), Role::Member);
    }

    #[rstest]
    #[case("")]
    #[case("roles")]
    #[case("roles=")]
    #[case("=cep-admin")]
    #[case(" = ")]
    fn a_text_without_claim_and_value_is_refused(#[case] text: &str) {
        assert_eq!(text.parse::<AdminClaim>(), Err(AdminClaimError));
    }

    #[test]
    fn the_default_is_the_documented_one() {
        assert_eq!(AdminClaim::default().to_string(), "roles=cep-admin");
    }
}
