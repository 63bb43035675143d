//! What the program says to a person, on the standard output and the standard error.

use std::io::Write as _;

/// Prints the error that ends the program on the standard error.
#[expect(clippy::print_stderr, reason = "for a person, not for the log")]
pub fn say_error(error: &anyhow::Error) {
    eprintln!("error: {}", with_causes(error));
}

/// Returns an error with its causes, but for those that its own text has.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |text, cause| {
        let cause = cause.to_string();
        match text.as_str() {
            "" => cause,
            text if text.contains(&cause) => text.to_owned(),
            text => format!("{text}: {cause}"),
        }
    })
}

/// Prints a line on the standard output. A closed pipe or a full disk there must not stop a server.
pub(crate) fn say(text: &str) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = writeln!(output, "{text}").and_then(|()| output.flush()) {
        tracing::warn!(%error, "the standard output could not be written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("nothing answers")
            .context("the database can't be used: nothing answers")
            .context("opening the database");
        assert_eq!(
            with_causes(&error),
            "opening the database: the database can't be used: nothing answers"
        );
    }
}
