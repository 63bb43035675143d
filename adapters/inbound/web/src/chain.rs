//! Display of an error with all its sources, on one line.

use std::error::Error;
use std::fmt;

/// Displays an error and its sources, outermost first, joined with `: `. A source whose text already ends
/// the previous one is left out.
pub struct Chain<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        for source in std::iter::successors(self.0.source(), |&error| error.source()) {
            let next = source.to_string();
            // Many errors end their own text with that of their source.
            if !said.ends_with(&next) {
                write!(f, ": {next}")?;
                said = next;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    #[rstest]
    #[case(&["alone"], "alone")]
    #[case(&["no connection", "tcp connect error", "refused"], "no connection: tcp connect error: refused")]
    #[case(&["a", "a", "b", "b", "a"], "a: b: a")]
    #[case(&["reading failed: too short", "too short", "end of file"], "reading failed: too short: end of file")]
    fn every_source_is_said_once(#[case] texts: &[&'static str], #[case] expected: &str) {
        let link = |source, text: &&'static str| Some(Box::new(Link { text, source }));
        let chain = texts.iter().rev().fold(None, link).unwrap();
        assert_eq!(Chain(&*chain).to_string(), expected);
    }
}
