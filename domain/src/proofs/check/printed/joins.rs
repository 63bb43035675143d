//! Possible ways to join the printed lines of an original chain.

/// Maximum number of joins to try; a chain of three to five lines has 4 to 16.
const MAX_JOINS: usize = 64;

/// The more likely text between two lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likely {
    Blank,
    Nothing,
}

/// All ways to join the lines with or without a blank at each line break, the likeliest first. A line
/// usually breaks at a blank, which isn't printed, but may also break within a long word.
pub(super) fn joins(lines: &[String]) -> impl Iterator<Item = String> + '_ {
    let doubtful: Vec<(usize, Likely)> = (1..lines.len())
        .filter_map(|index| Some((index, likely(&lines[index - 1], &lines[index])?)))
        .collect();
    let count = u32::try_from(doubtful.len())
        .ok()
        .and_then(|doubtful| 1_usize.checked_shl(doubtful))
        .map_or(MAX_JOINS, |joins| joins.min(MAX_JOINS));
    (0..count).map(move |unlikely| {
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            let place = doubtful.iter().position(|(doubtful, _)| *doubtful == index);
            let is_blank = place.is_some_and(|place| {
                let is_likely = unlikely >> place & 1 == 0;
                is_likely == (doubtful[place].1 == Likely::Blank)
            });
            if is_blank {
                text.push(' ');
            }
            text.push_str(line);
        }
        text
    })
}

/// The more likely text between two lines; `None` if a blank on either side shows that none was lost.
/// Next to a `|` a blank is unlikely: it occurs only after a name that was cut after a word.
fn likely(before: &str, after: &str) -> Option<Likely> {
    let sides = [before.chars().next_back()?, after.chars().next()?];
    if sides.iter().any(|side| side.is_whitespace()) {
        return None;
    }
    Some(if sides.contains(&'|') {
        Likely::Nothing
    } else {
        Likely::Blank
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::joins;

    #[test]
    fn the_likeliest_join_has_a_blank_wherever_one_may_be_lost() {
        let lines = ["||1|Ana", "Prueba|0000100", "01||"].map(str::to_owned);
        let joined: Vec<String> = joins(&lines).collect();
        let expected = [
            "||1|Ana Prueba|0000100 01||",
            "||1|AnaPrueba|0000100 01||",
            "||1|Ana Prueba|000010001||",
            "||1|AnaPrueba|000010001||",
        ];
        assert_eq!(joined, expected);
    }

    proptest! {
        #[test]
        fn a_text_broken_anywhere_is_among_the_joins(
            text in "[a-z|]{1,9}( [a-z|]{1,9}){0,9}", breaks in prop::collection::btree_set(1_usize..80, 0..5),
        ) {
            let mut lines = Vec::new();
            let mut from = 0;
            for end in breaks.into_iter().filter(|end| *end < text.len()).chain([text.len()]) {
                let line = text[from..end].trim();
                if !line.is_empty() {
                    lines.push(line.to_owned());
                }
                from = end;
            }
            prop_assert!(joins(&lines).any(|joined| joined == text));
        }
    }
}
