//! The mutations: input, payload and resolver of each.

pub(super) mod create_key;
mod key_payload;
pub(super) mod rename_key;
pub(super) mod revoke_key;
pub(super) mod rotate_key;
pub(super) mod set_limits;
pub(super) mod set_plan;

pub(super) use key_payload::KeyPayload;
