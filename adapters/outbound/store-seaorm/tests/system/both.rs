//! Parts of the tests on both databases.

pub(crate) mod contract;
pub(crate) mod entries;
pub(crate) mod lookups;
pub(crate) mod upgrade;
