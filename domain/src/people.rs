//! People: customers, who own keys, and the rules of signing in.

pub mod customer;
pub mod sign_in;
