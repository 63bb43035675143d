//! Batches: many payments in one file.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the routes come with the batches")
)]
mod import_archive;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the routes come with the batches")
)]
mod table;
