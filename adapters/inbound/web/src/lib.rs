//! What the inbound adapters share: request ids, language, error bodies, and the guard of routes under a session.
