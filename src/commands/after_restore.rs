//! The command after a restore.

use anyhow::Result;
use ports::outbound::Clock as _;

use crate::config::DatabaseOptions;
use crate::console::say;
use crate::system::SystemClock;
use crate::wiring::{self, EndedByRestore};

/// Signs everybody out, disables every webhook, and says so.
///
/// # Errors
/// No database, or one that can't be changed.
pub(super) async fn run(database: &DatabaseOptions) -> Result<()> {
    let ended = wiring::end_revived(database, SystemClock::new().now()).await?;
    let EndedByRestore {
        disabled,
        disabled_before,
    } = ended;
    tracing::info!(
        target: "cep::keys",
        action = "restored",
        webhooks_disabled = disabled,
        webhooks_disabled_before = disabled_before,
        by = "operator",
        "sessions and webhooks of a restored database were ended"
    );
    say(&told(ended));
    Ok(())
}

fn told(ended: EndedByRestore) -> String {
    let EndedByRestore {
        disabled,
        disabled_before,
    } = ended;
    let webhooks = match disabled {
        0 => "no webhook was enabled".to_owned(),
        1 => "1 webhook is disabled until its owner enables it".to_owned(),
        many => format!("{many} webhooks are disabled until their owners enable them"),
    };
    let before = match disabled_before {
        0 => String::new(),
        1 => "; 1 was disabled already".to_owned(),
        many => format!("; {many} were disabled already"),
    };
    format!("Every person is signed out, and {webhooks}{before}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhooks_are_counted_in_words() {
        for ((disabled, disabled_before), end) in [
            ((0, 0), "and no webhook was enabled."),
            (
                (1, 0),
                "and 1 webhook is disabled until its owner enables it.",
            ),
            (
                (2, 1),
                "and 2 webhooks are disabled until their owners enable them; 1 was disabled already.",
            ),
            (
                (0, 3),
                "and no webhook was enabled; 3 were disabled already.",
            ),
        ] {
            let told = told(EndedByRestore {
                disabled,
                disabled_before,
            });
            assert!(told.ends_with(end), "{told}");
        }
    }
}
