//! Limits of a document's text, checked before it is parsed: nesting of brackets and number of tokens.
//! async-graphql's parser is recursive, and its own depth limit is checked only after the grammar has
//! matched the text, so deeply nested brackets would overflow the stack first.

use web::problem::GraphqlProblem;

use crate::limits::{MAX_NESTING, MAX_TOKENS};

/// Checks a document's text, counting every bracket outside of strings and comments.
///
/// An unterminated block string is refused here: the parser would read its three quotes as an empty string
/// and the start of another one, and then see brackets that this function skipped.
pub(crate) fn check(text: &str) -> Result<(), GraphqlProblem> {
    let mut rest = text.as_bytes();
    let (mut depth, mut tokens) = (0_u64, 0_u64);
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            b'#' => after_comment(after),
            b'"' => {
                tokens += 1;
                match rest.strip_prefix(b"\"\"\"") {
                    Some(content) => {
                        after_block_string(content).ok_or(GraphqlProblem::SyntaxUnplaced)?
                    }
                    None => after_string(after),
                }
            }
            b'{' | b'[' | b'(' => {
                tokens += 1;
                depth += 1;
                after
            }
            b'}' | b']' | b')' => {
                tokens += 1;
                depth = depth.saturating_sub(1);
                after
            }
            _ if is_word(byte) => {
                tokens += 1;
                let end = after.iter().position(|byte| !is_word(*byte));
                &after[end.unwrap_or(after.len())..]
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' => after,
            _ => {
                tokens += 1;
                after
            }
        };
        if depth > MAX_NESTING {
            return Err(GraphqlProblem::Nesting { most: MAX_NESTING });
        }
        if tokens > MAX_TOKENS {
            return Err(GraphqlProblem::Tokens { most: MAX_TOKENS });
        }
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn after_comment(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    &text[end.unwrap_or(text.len())..]
}

/// The text after a string, or after the line of an unterminated one.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some((&byte, after)) = text.split_first() {
        text = match byte {
            b'"' => return after,
            b'\r' | b'\n' => return text,
            b'\\' => after.get(1..).unwrap_or_default(),
            _ => after,
        };
    }
    text
}

/// The text after a block string; `None` when it is unterminated.
fn after_block_string(mut text: &[u8]) -> Option<&[u8]> {
    while !text.is_empty() {
        if let Some(after) = text.strip_prefix(b"\"\"\"") {
            return Some(after);
        }
        text = text.strip_prefix(b"\\\"\"\"").unwrap_or(&text[1..]);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn nested(depth: usize) -> String {
        format!("{{{}{}}}", "a{".repeat(depth), "}".repeat(depth))
    }

    #[rstest]
    #[case("{ viewer { role } }")]
    #[case("# {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\n{ viewer { role } }")]
    #[case("{ a(b: \"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\\\"[[[\") }")]
    #[case("{ a(b: \"\"\"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\\\"\"\"[[[\n\"\"\") }")]
    fn brackets_in_strings_and_comments_do_not_count(#[case] text: &str) {
        assert_eq!(check(text), Ok(()));
    }

    #[rstest]
    #[case(nested(20_000))]
    #[case(nested(50))]
    #[case(format!("{{ a(b: {}1{}) }}", "[".repeat(20_000), "]".repeat(20_000)))]
    #[case(format!("{{ a(b: {}1{}) }}", "{c:".repeat(20_000), "}".repeat(20_000)))]
    #[case(format!("query($a: {}Int{}) {{ b }}", "[".repeat(20_000), "]".repeat(20_000)))]
    #[case(format!("{{ a(b: \"\"{}1) }}", "[".repeat(40)))]
    #[case(format!("{{ a(b: \"\n{}1) }}", "[".repeat(40)))]
    fn deep_brackets_never_reach_the_parser(#[case] text: String) {
        let refusal = GraphqlProblem::Nesting { most: MAX_NESTING };
        assert_eq!(check(&text), Err(refusal));
    }

    #[test]
    fn an_open_block_string_hides_no_brackets() {
        let text = format!("{{ a(b: \"\"\"\"{}1) }}", "[".repeat(40));
        assert_eq!(check(&text), Err(GraphqlProblem::SyntaxUnplaced));
    }

    #[test]
    fn tokens_are_counted() {
        let wide = |fields: usize| format!("{{ {} }}", "a ".repeat(fields));
        let most = usize::try_from(MAX_TOKENS).unwrap();
        assert_eq!(check(&wide(most - 2)), Ok(()));
        let refusal = GraphqlProblem::Tokens { most: MAX_TOKENS };
        assert_eq!(check(&wide(most - 1)), Err(refusal));
    }

    proptest! {
        /// Valid or not, a text that passes is parsed on a small stack.
        #[test]
        fn a_text_that_passes_does_not_overflow_the_parser(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", "(", ")", "\"", "\"\"\"", "\\", "#", "\n", "a", ":", "$",
                    "@", "...", "on ", "query ", "fragment ", "!", "=", "1", " ",
                ]),
                0..400,
            ),
        ) {
            let text = pieces.concat();
            if check(&text).is_ok() {
                let parsed = std::thread::Builder::new()
                    .stack_size(1024 * 1024)
                    .spawn(move || drop(async_graphql::parser::parse_query(&text)))
                    .unwrap();
                prop_assert!(parsed.join().is_ok());
            }
        }
    }
}
