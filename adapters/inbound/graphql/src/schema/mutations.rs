//! The mutations: input, payload and resolver of each.

pub(super) mod cancel_lookup;
pub(super) mod create_key;
pub(super) mod erase_lookup;
mod key_payload;
pub(super) mod rename_key;
pub(super) mod revoke_key;
pub(super) mod rotate_key;
pub(super) mod set_limits;
pub(super) mod set_plan;

pub(super) use key_payload::KeyPayload;
