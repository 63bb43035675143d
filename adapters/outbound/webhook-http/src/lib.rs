//! Outbound adapter: sends webhooks over HTTPS.
//!
//! [`HttpSender`] connects to addresses of the public internet alone. The rule is applied where the
//! connection is made: to the address of a URL that holds one, and by the resolver that the connector itself
//! uses, so that a name whose address changes between a check and the connection gains nothing. It follows
//! no redirect, uses no proxy, and keeps no connection.

mod resolver;
mod sender;

pub use resolver::{NameLookup, SystemNames};
pub use sender::HttpSender;
