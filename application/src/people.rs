//! People with a session: sign-in, sessions and authorization.

mod account_keys;
mod authorization;
mod sessions;
mod throttle;
mod types;

pub use account_keys::AccountKeys;
pub(crate) use authorization::{Authorization, list_error, require_admin};
pub use sessions::{BrowserAddresses, SessionService};
pub use types::{Caller, Person, Session, SessionError, SignIn, SignInAnswer, SignInError};
