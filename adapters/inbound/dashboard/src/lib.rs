//! Inbound adapter: sign-in, sign-out and the dashboard page.
