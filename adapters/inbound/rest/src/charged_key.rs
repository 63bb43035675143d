//! The parameter `key_id`: the key that a request under a session is charged to.

use domain::keys::KeyId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;
use validator::Validate;
use web::Problem;
use web::problem::FieldProblem;

use crate::people::input::{Id, Input, Text};

const NAME: &str = "key_id";

/// The parameter, as routes that accept a session beside a key describe it.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct KeyParameter {
    /// The key that is charged: with a session required, and with an API key, which is charged itself,
    /// refused.
    #[param(inline)]
    key_id: Option<Id>,
}

impl KeyParameter {
    /// Parses it among other parameters.
    ///
    /// # Errors
    /// It is malformed or repeated.
    pub(crate) fn of_query(query: Option<&str>) -> Result<Option<KeyId>, Problem> {
        let parameter: Self = Input::of_query(query).among_others()?;
        Ok(parameter.key())
    }

    /// Parses all parameters: this one, and those of `T`.
    ///
    /// # Errors
    /// One of them is faulty or unknown.
    pub(crate) fn beside<T: DeserializeOwned + Validate>(
        query: Option<&str>,
    ) -> Result<(T, Option<KeyId>), Problem> {
        let mut input = Input::of_query(query);
        let others = input.part::<T>();
        let this = input.part::<Self>();
        let (others, this) = input.end(others.zip(this))?;
        Ok((others, this.key()))
    }

    fn key(self) -> Option<KeyId> {
        self.key_id.map(|Text(id)| KeyId(id))
    }
}

/// The key that a person named.
///
/// # Errors
/// None was named.
pub(crate) fn named(key: Option<KeyId>) -> Result<KeyId, Problem> {
    key.ok_or_else(|| Problem::invalid_field(NAME, FieldProblem::Missing))
}

/// Refuses a key that was named beside an API key.
pub(crate) fn none_named(key: Option<KeyId>) -> Result<(), Problem> {
    if key.is_none() {
        return Ok(());
    }
    let problem = FieldProblem::Excluded { other: "x-api-key" };
    Err(Problem::invalid_field(NAME, problem))
}

/// The problem of a key that the account doesn't have or that is revoked.
pub(crate) fn no_such_key() -> Problem {
    Problem::invalid_field(NAME, FieldProblem::NoSuchKey)
}
