//! Paged lists.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::page::{MAX_PAGE, Page, PageRequest, PageSize};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use validator::Validate;
use web::Problem;
use web::views::audit::AuditEntry;
use web::views::batches::Batch;
use web::views::keys::Key;
use web::views::people::Account;
use web::views::webhooks::WebhookDelivery;

use super::input::{After, Input, Text};
use crate::lookups::views::LookupBody;

/// Parameters of a list that is read page by page.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// Items of the page.
    #[serde(default = "usual_limit")]
    #[validate(range(min = 1, max = MAX_PAGE))]
    #[param(minimum = 1, maximum = 100, default = 50)]
    limit: u32,
    /// The `next` of the page before, with the same other parameters.
    #[param(inline)]
    after: Option<After>,
}

/// Default number of items per page.
const USUAL_LIMIT: u32 = 50;

fn usual_limit() -> u32 {
    USUAL_LIMIT
}

impl From<Paging> for PageRequest {
    fn from(paging: Paging) -> Self {
        Self {
            first: PageSize::new(paging.limit).expect("a rule of `limit` has the same range"),
            after: paging.after.map(|Text(cursor)| cursor),
        }
    }
}

/// Parses the parameters of a list: its filters and its page.
pub(crate) fn read<T: DeserializeOwned + Validate>(
    mut parameters: Input<'_>,
) -> Result<(T, PageRequest), Problem> {
    let own = parameters.part::<T>();
    let paging = parameters.part::<Paging>();
    let (own, paging) = parameters.end(own.zip(paging))?;
    Ok((own, paging.into()))
}

/// JSON view of one page of a list.
#[derive(Serialize)]
pub(crate) struct Listing<T> {
    items: Vec<T>,
    next: Option<String>,
    total: Option<u64>,
}

/// Declares the schema of a [`Listing`] of one item type.
macro_rules! page {
    ($name:ident of $item:ty) => {
        #[derive(ToSchema)]
        #[expect(dead_code, reason = "describes a `Listing`")]
        pub(crate) struct $name {
            items: Vec<$item>,
            /// The `after` of the next page; null when this is the last one.
            #[schema(required = true)]
            next: Option<String>,
            /// Items of the whole list; null where counting them would cost too much.
            #[schema(required = true)]
            total: Option<u64>,
        }
    };
}

page!(KeyPage of Key);
page!(AccountPage of Account);
page!(AuditPage of AuditEntry);
page!(LookupPage of LookupBody);
page!(BatchPage of Batch);
page!(DeliveryPage of WebhookDelivery);

impl<T> Listing<T> {
    /// Converts a page; `next` is the encoded cursor of its last item.
    pub(crate) fn of<U>(page: Page<U>, view: impl FnMut(U) -> T) -> Self {
        let last = page.items.last().filter(|_| page.has_next);
        let next = last.map(|(cursor, _)| URL_SAFE_NO_PAD.encode(cursor.to_string()));
        Self {
            next,
            total: page.total,
            items: page
                .items
                .into_iter()
                .map(|(_, item)| item)
                .map(view)
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_described_length_of_a_page_is_the_one_that_is_read() {
        let mut parameters = Paging::into_params(|| None).into_iter();
        let limit = parameters.find(|it| it.name == "limit").unwrap();
        let schema = serde_json::to_value(limit.schema.unwrap()).unwrap();
        assert_eq!(schema["maximum"], MAX_PAGE);
        assert_eq!(schema["default"], USUAL_LIMIT);
    }
}
