//! Paged lists according to the GraphQL Cursor Connections Specification (Relay).

use std::fmt::Display;

use async_graphql::SimpleObject;
use domain::page::{Cursor, MAX_PAGE, Page, PageRequest, PageSize};
use web::problem::GraphqlProblem;

use crate::field_error::FieldError;

/// Position of a page in its list.
#[derive(SimpleObject)]
pub(crate) struct PageInfo {
    /// True when the list goes on after this page.
    has_next_page: bool,
    /// True when the page was asked for with `after`, so that something stands before it.
    has_previous_page: bool,
    /// The cursor of the page's first item; null when the page is empty.
    start_cursor: Option<String>,
    /// The cursor of the page's last item, for `after` of the next page; null when the page is
    /// empty.
    end_cursor: Option<String>,
}

impl PageInfo {
    pub(super) fn new<T>(page: &Page<T>, request: &PageRequest) -> Self {
        Self::of(&page.items, page.has_next, request.after.is_some())
    }

    /// The position of a page of these items.
    pub(super) fn of<C: Display, T>(
        items: &[(C, T)],
        has_next_page: bool,
        has_previous_page: bool,
    ) -> Self {
        let cursor = |item: Option<&(C, T)>| item.map(|(cursor, _)| cursor.to_string());
        Self {
            has_next_page,
            has_previous_page,
            start_cursor: cursor(items.first()),
            end_cursor: cursor(items.last()),
        }
    }
}

/// Validates the arguments `first` and `after`.
pub(super) fn page_request(first: i32, after: Option<&str>) -> Result<PageRequest, FieldError> {
    let first = page_size(first)?;
    let after = after.map(Cursor::parse).transpose();
    let after = after.map_err(|_| GraphqlProblem::ArgumentCursor { argument: "after" })?;
    Ok(PageRequest { first, after })
}

/// Validates the argument `first`.
pub(super) fn page_size(first: i32) -> Result<PageSize, FieldError> {
    let size = u32::try_from(first).ok().map(PageSize::new);
    let Some(Ok(size)) = size else {
        return Err(GraphqlProblem::ArgumentInteger {
            argument: "first",
            least: 1,
            most: MAX_PAGE.into(),
        }
        .into());
    };
    Ok(size)
}

/// Declares the connection and edge types of a paged list.
macro_rules! connection {
    (
        $(#[doc = $page_doc:literal])+ $connection:ident,
        $(#[doc = $edge_doc:literal])+ $edge:ident of $node:ty
        $(, $total_name:ident: $total:ty = $(#[doc = $total_doc:literal])+)?
    ) => {
        $(#[doc = $page_doc])+
        #[derive(async_graphql::SimpleObject)]
        #[graphql(complex)]
        pub(crate) struct $connection {
            /// The items, each with its place in the list.
            edges: Vec<$edge>,
            /// Position of the page in the list.
            page_info: $crate::schema::connection::PageInfo,
            $( $(#[doc = $total_doc])+ $total_name: $total, )?
        }

        #[async_graphql::ComplexObject]
        impl $connection {
            /// The items, without their places.
            async fn nodes(&self) -> Vec<&$node> {
                self.edges.iter().map(|edge| &edge.node).collect()
            }
        }

        $(#[doc = $edge_doc])+
        #[derive(async_graphql::SimpleObject)]
        pub(crate) struct $edge {
            /// The item's place in the list, for `after`.
            cursor: String,
            /// The item.
            node: $node,
        }

        impl $edge {
            fn of<C: std::fmt::Display, T>(items: Vec<(C, T)>, node: impl Fn(T) -> $node) -> Vec<Self> {
                let edge = |(cursor, item): (C, T)| Self {
                    cursor: cursor.to_string(),
                    node: node(item),
                };
                items.into_iter().map(edge).collect()
            }
        }
    };
}
pub(super) use connection;
