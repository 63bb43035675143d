//! Parts of the tests on both databases.

pub(crate) mod entries;
pub(crate) mod lookups;
