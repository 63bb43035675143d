//! Webhooks: attempts of deliveries, their results, and the encryption anew of secrets.

mod attempts;
pub(crate) mod harness;
mod reencryption;
mod secrets;

use std::time::Duration;

use application::DeliveryView;
use chrono::TimeDelta;
use domain::webhooks::{
    AttemptResult, DeliveryState, EndpointSecret, EndpointState, SendFailure, signature,
};
use ports::outbound::OutgoingMessage;
use testkit::fakes::Fault;

use harness::{Behaviour, Scene, encryption, start, start_told};
