//! Finds the member names of a struct that derives `Deserialize`.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The member names of a struct, in order of declaration.
pub(crate) fn names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut names: &[_] = &[];
    // The deserialiser only records the names, and always returns an error.
    let _ = T::deserialize(NameReader(&mut names));
    names
}

/// Deserialiser that records the names that a struct passes to it.
struct NameReader<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for NameReader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("nothing to deserialise"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = names;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
