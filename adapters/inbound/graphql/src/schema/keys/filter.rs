//! Filter and order of lists of keys.

use async_graphql::{Enum, InputObject};
use domain::keys::{KeyQuery, KeySort};
use domain::page::{Direction, PageRequest};
use web::views::keys::{Environment, KeyState};

use crate::field_error::FieldError;
use crate::schema::arguments::{distinct, search_text};

/// Filter of keys; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct KeyFilter {
    /// In one of these states; any when empty or not given.
    states: Option<Vec<KeyState>>,
    /// Of this environment.
    env: Option<Environment>,
    /// With this text in the name or at the beginning of the prefix, upper and lower case of A to Z
    /// alone being alike; for admins, in the owner's subject too. At most 200 characters.
    text: Option<String>,
}

impl KeyFilter {
    fn read(self) -> Result<domain::keys::KeyFilter, FieldError> {
        let states = self.states.unwrap_or_default();
        Ok(domain::keys::KeyFilter {
            statuses: distinct(states.into_iter().map(KeyState::into)),
            environment: self.env.map(Environment::into),
            text: search_text("filter.text", self.text.as_deref())?,
        })
    }
}

/// Order of a list of keys.
#[derive(InputObject)]
#[graphql(name = "KeyOrder")]
pub(crate) struct KeySortInput {
    /// By what.
    field: KeySortField,
    /// From which end.
    direction: OrderDirection,
}

/// Converts the arguments of a list of keys. The default order is newest first.
pub(in crate::schema) fn key_query(
    page: PageRequest,
    filter: Option<KeyFilter>,
    sort: Option<KeySortInput>,
) -> Result<KeyQuery, FieldError> {
    let sort = sort.unwrap_or(KeySortInput {
        field: KeySortField::CreatedAt,
        direction: OrderDirection::Desc,
    });
    Ok(KeyQuery {
        filter: filter.unwrap_or_default().read()?,
        order: KeySort::from(sort.field),
        direction: sort.direction.into(),
        page,
    })
}

/// Field that orders a list of keys.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "KeyOrderField")]
pub(crate) enum KeySortField {
    /// Time of creation.
    CreatedAt,
    /// Their names.
    Name,
}

impl From<KeySortField> for KeySort {
    fn from(field: KeySortField) -> Self {
        match field {
            KeySortField::CreatedAt => Self::Created,
            KeySortField::Name => Self::Name,
        }
    }
}

/// From which end a list is read.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderDirection {
    /// The smallest, or oldest, first.
    Asc,
    /// The largest, or newest, first.
    Desc,
}

impl From<OrderDirection> for Direction {
    fn from(direction: OrderDirection) -> Self {
        match direction {
            OrderDirection::Asc => Self::Ascending,
            OrderDirection::Desc => Self::Descending,
        }
    }
}
