//! Letters that people and programs take for digits.

/// The digit that looks like a capital letter; other characters as they are.
pub(crate) fn digit(letter: char) -> char {
    match letter {
        'O' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'B' => '8',
        other => other,
    }
}
