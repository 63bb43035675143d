//! Hexadecimal encoding of bytes, two digits per byte.

use std::fmt::Write as _;

/// Encodes bytes in lower case.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    text
}

/// Decodes digits of either case; `None` if there is another character or an odd number of digits.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    };
    text.as_bytes().chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_that_is_not_hexadecimal_is_refused() {
        for text in ["0", "0g", "+1", "é", "00 "] {
            assert_eq!(decode(text), None, "{text}");
        }
        assert_eq!(encode(&[0, 0xAB, 0xFF]), "00abff");
        assert_eq!(decode("00ABff"), Some(vec![0, 0xAB, 0xFF]));
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
