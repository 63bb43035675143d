//! Customers, and the deny list of their sessions.

mod customers;
mod denied;
