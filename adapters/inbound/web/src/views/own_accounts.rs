//! Own accounts.

use async_graphql::SimpleObject;
use domain::own_accounts::OwnAccount as Own;
use domain::participants::Catalogue;
use serde::Serialize;
use utoipa::ToSchema;

use super::scalars::{DateTime, Id};

/// An account that its owner receives transfers on.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct OwnAccount {
    /// Id of the account.
    id: Id,
    /// Its owner's name for it.
    name: String,
    /// CLABE, card or phone number.
    cuenta: String,
    /// Code of its institution.
    receptor: String,
    /// Name of its institution.
    banco: String,
    /// When it was added.
    added_at: DateTime,
}

impl OwnAccount {
    /// A view with the institution's name in the catalogue; its code if it isn't listed any more.
    pub fn new(own: &Own, catalogue: &Catalogue) -> Self {
        let code = own.bank.to_string();
        let bank = catalogue.find(own.bank);
        Self {
            id: own.id.0.into(),
            name: own.name.as_str().to_owned(),
            cuenta: own.account.as_str().to_owned(),
            banco: bank.map_or_else(|| code.clone(), |bank| bank.name.clone()),
            receptor: code,
            added_at: DateTime(own.added_at),
        }
    }
}
