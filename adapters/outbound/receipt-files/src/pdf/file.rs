//! Objects of a file, and references between them.

use std::collections::BTreeMap;

use super::object::{Dictionary, Object};
use super::work::Work;

/// Maximum number of references that are followed one after another.
const MAX_REFERENCES: usize = 8;

/// A PDF file whose objects were read.
pub(crate) struct File<'a> {
    pub(crate) objects: BTreeMap<u32, Indirect<'a>>,
    pub(crate) trailer: Dictionary,
    work: &'a Work,
}

/// An object with a number.
pub(crate) struct Indirect<'a> {
    pub(crate) offset: usize,
    pub(crate) value: Object,
    /// The bytes of a stream.
    pub(crate) stream: Option<&'a [u8]>,
}

/// A stream with its encoded bytes.
#[derive(Clone, Copy)]
pub(crate) struct Stream<'b> {
    pub(crate) dictionary: &'b Dictionary,
    pub(crate) bytes: &'b [u8],
}

impl<'a> File<'a> {
    /// Creates a file of objects.
    pub(crate) fn new(work: &'a Work) -> Self {
        Self {
            objects: BTreeMap::new(),
            trailer: Dictionary::new(),
            work,
        }
    }

    pub(crate) fn work(&self) -> &'a Work {
        self.work
    }

    /// The catalog, which the trailer names, or the last one of the file without a trailer.
    pub(crate) fn catalog(&self) -> Option<&Dictionary> {
        self.dictionary(&self.trailer, "Root").or_else(|| {
            let mut found = self.of_type("Catalog");
            found.next_back()
        })
    }

    /// Dictionaries of a type, in the order of their numbers.
    pub(crate) fn of_type(&self, kind: &str) -> impl DoubleEndedIterator<Item = &Dictionary> {
        self.objects
            .values()
            .filter_map(move |object| match &object.value {
                Object::Dictionary(dictionary) if is_of_type(dictionary, kind) => Some(dictionary),
                _ => None,
            })
    }

    /// The object itself, or the one that a reference names.
    pub(crate) fn resolve<'b>(&'b self, object: &'b Object) -> Option<&'b Object> {
        let mut object = object;
        for _ in 0..MAX_REFERENCES {
            match object {
                Object::Reference(number) => object = &self.objects.get(number)?.value,
                direct => return Some(direct),
            }
        }
        None
    }

    /// Value of an entry, directly or by reference.
    pub(crate) fn get<'b>(&'b self, within: &'b Dictionary, name: &str) -> Option<&'b Object> {
        self.resolve(within.get(name.as_bytes())?)
    }

    /// Dictionary in an entry, directly or by reference.
    pub(crate) fn dictionary<'b>(
        &'b self,
        within: &'b Dictionary,
        name: &str,
    ) -> Option<&'b Dictionary> {
        match self.get(within, name)? {
            Object::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    /// Array in an entry, directly or by reference.
    pub(crate) fn array<'b>(&'b self, within: &'b Dictionary, name: &str) -> Option<&'b [Object]> {
        match self.get(within, name)? {
            Object::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The stream that a reference names.
    pub(crate) fn stream(&self, object: &Object) -> Option<Stream<'_>> {
        let Object::Reference(number) = object else {
            return None;
        };
        self.objects.get(number)?.as_stream()
    }
}

impl Indirect<'_> {
    pub(crate) fn as_stream(&self) -> Option<Stream<'_>> {
        match (&self.value, self.stream) {
            (Object::Dictionary(dictionary), Some(bytes)) => Some(Stream { dictionary, bytes }),
            _ => None,
        }
    }
}

/// Returns `true` if a dictionary tells this type.
pub(crate) fn is_of_type(dictionary: &Dictionary, kind: &str) -> bool {
    let entry = dictionary.get(&b"Type"[..]);
    entry.is_some_and(|name| name.is_name(kind))
}
