//! Outbound adapter: sends webhooks over HTTPS.
//!
//! [`HttpSender`] connects only to addresses of the public internet. The rule is applied where the
//! connection is made, to the address in the URL or by the connector's own resolver, so that a name
//! can't avoid it by changing its address after a check. It follows no redirect, uses no proxy, and
//! keeps no connection.

mod resolver;
mod sender;

pub use resolver::{NameLookup, SystemNames};
pub use sender::HttpSender;
