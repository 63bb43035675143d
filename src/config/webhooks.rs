//! Options of webhooks.

use clap::Args;

use super::heading;
use super::people::Switch;

/// Webhooks.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = heading::PEOPLE)]
pub struct WebhookOptions {
    /// Webhooks to this machine, over plain http and at any port: to develop a receiver. Only with the
    /// sandbox identity provider, which serves on loopback alone.
    #[arg(
        long,
        env = "CEP_WEBHOOK_ALLOW_LOOPBACK",
        value_name = "SWITCH",
        default_value = "off"
    )]
    pub webhook_allow_loopback: Switch,
}
