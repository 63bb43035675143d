//! Objects of the file format (ISO 32000-1, 7.3).

use std::collections::BTreeMap;

/// An object. Numbers are read as `f32`, which is exact for all lengths below 2^24.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Object {
    /// `null`, `true` or `false`: nothing here depends on them.
    Other,
    Number(f32),
    Name(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dictionary(Dictionary),
    /// The number of an object, of any generation.
    Reference(u32),
}

/// Entries by their names. The last of several with the same name counts.
pub(crate) type Dictionary = BTreeMap<Vec<u8>, Object>;

impl Object {
    pub(crate) fn is_name(&self, name: &str) -> bool {
        self.as_name() == Some(name.as_bytes())
    }

    pub(crate) fn as_name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, if the object is a non-negative integer.
    pub(crate) fn as_index(&self) -> Option<usize> {
        self.as_number().and_then(index)
    }
}

/// Converts a non-negative integer that `f32` represents exactly.
pub(crate) fn index(number: f32) -> Option<usize> {
    const EXACT: f32 = 16_777_216.0;
    if !(0.0..EXACT).contains(&number) || number.fract() != 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 2^24"
    )]
    Some(number as usize)
}
