//! Lists that are read page by page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::page::{Cursor, MAX_PAGE, Page, PageRequest, PageSize};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use web::problem::FieldProblem;

use super::input::{Parameters, whole};
use super::views::{AccountOverviewView, AdminKeyView, AuditView};

/// Items of a page, when nobody says how many.
const USUAL_PAGE: u32 = 50;

/// Parameters of a list that is read page by page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what `page` reads")]
pub(crate) struct Paging {
    /// Items of the page.
    #[param(minimum = 1, maximum = 100, default = 50)]
    limit: Option<u64>,
    /// The `next` of the page before, with the same other parameters.
    after: Option<String>,
}

/// One page of a list.
#[derive(Serialize)]
pub(crate) struct Listing<T> {
    items: Vec<T>,
    next: Option<String>,
    total: Option<u64>,
}

/// Describes a [`Listing`] under a name of its own.
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

page!(AdminKeyPage of AdminKeyView);
page!(AccountPage of AccountOverviewView);
page!(AuditPage of AuditView);

impl<T> Listing<T> {
    /// The page, and where the next one begins.
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

/// `limit` and `after`.
pub(crate) fn page(parameters: &mut Parameters) -> PageRequest {
    let size = |text: &str| {
        let outside = FieldProblem::OutOfRange {
            least: 1,
            most: MAX_PAGE.into(),
        };
        let items = u32::try_from(whole(text, MAX_PAGE.into())?).map_err(|_| outside)?;
        PageSize::new(items).map_err(|_| outside)
    };
    PageRequest {
        first: parameters
            .one("limit", size)
            .or(PageSize::new(USUAL_PAGE).ok())
            .unwrap_or(PageSize::MAX),
        after: parameters.one("after", cursor),
    }
}

/// Reads the `next` of a page before.
fn cursor(text: &str) -> Result<Cursor, FieldProblem> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.and_then(|text| Cursor::parse(&text).ok())
        .ok_or(FieldProblem::WrongCursor)
}
