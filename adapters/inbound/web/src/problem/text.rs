//! Messages: the Fluent resources `i18n/es.ftl` and `i18n/en.ftl`, parsed once.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentType;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::{LanguageIdentifier, langid};

use crate::language::Language;

type Bundle = FluentBundle<FluentResource>;

/// A message and the names of its parameters.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "compared with the resources by a test")
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) id: &'static str,
    pub(crate) parameters: &'static [&'static str],
}

/// A message parameter. Numbers are formatted without thousands separators.
pub(crate) struct Parameter(FluentValue<'static>);

impl<T: Display + ?Sized> From<&T> for Parameter {
    fn from(value: &T) -> Self {
        Self(FluentValue::String(Cow::Owned(value.to_string())))
    }
}

/// A number that selects the singular or plural form.
pub(crate) struct Count(pub(crate) usize);

impl From<Count> for Parameter {
    fn from(count: Count) -> Self {
        Self(FluentValue::from(count.0))
    }
}

/// Names that the Fluent function `LIST` joins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct List(Vec<String>);

impl List {
    pub(crate) fn of<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Self {
        Self(
            names
                .into_iter()
                .map(|name| name.as_ref().to_owned())
                .collect(),
        )
    }

    /// Joins the names: `a`, `a and b`, `a, b and c`. Without `last_word`, with commas alone.
    fn join(&self, last_word: Option<&str>) -> String {
        match (&self.0[..], last_word) {
            ([most @ .., last], Some(word)) if !most.is_empty() => {
                format!("{} {word} {last}", most.join(", "))
            }
            (names, _) => names.join(", "),
        }
    }
}

impl From<List> for Parameter {
    fn from(list: List) -> Self {
        Self(FluentValue::Custom(Box::new(list)))
    }
}

impl FluentType for List {
    fn duplicate(&self) -> Box<dyn FluentType + Send> {
        Box::new(self.clone())
    }

    fn as_string(&self, _: &intl_memoizer::IntlLangMemoizer) -> Cow<'static, str> {
        Cow::Owned(self.join(None))
    }

    fn as_string_threadsafe(
        &self,
        _: &intl_memoizer::concurrent::IntlLangMemoizer,
    ) -> Cow<'static, str> {
        Cow::Owned(self.join(None))
    }
}

/// The message of a named value without parameters.
pub(crate) fn of_name(language: Language, kind: &str, name: &str) -> String {
    render(language, &id_of_name(kind, name), [])
}

/// Id of a named value's message: the kind and the name with hyphens.
pub(super) fn id_of_name(kind: &str, name: &str) -> String {
    format!("{kind}-{}", name.replace('_', "-"))
}

pub(crate) fn render(
    language: Language,
    id: &str,
    parameters: impl IntoIterator<Item = (&'static str, Parameter)>,
) -> String {
    let parameters = parameters.into_iter().map(|(name, value)| (name, value.0));
    let parameters: FluentArgs<'_> = parameters.collect();
    let mut faults = Vec::new();
    let bundle = bundle(language);
    let pattern = bundle.get_message(id).and_then(|message| message.value());
    let text =
        pattern.map(|pattern| bundle.format_pattern(pattern, Some(&parameters), &mut faults));
    // A test compares the catalogue with both resources, so neither should happen.
    if text.is_none() || !faults.is_empty() {
        tracing::error!(id, ?faults, "message incomplete");
    }
    text.unwrap_or(Cow::Borrowed(id)).into_owned()
}

fn bundle(language: Language) -> &'static Bundle {
    static SPANISH: LazyLock<Bundle> =
        LazyLock::new(|| load(langid!("es"), source(Language::Spanish)));
    static ENGLISH: LazyLock<Bundle> =
        LazyLock::new(|| load(langid!("en"), source(Language::English)));
    match language {
        Language::Spanish => &SPANISH,
        Language::English => &ENGLISH,
    }
}

pub(super) fn source(language: Language) -> &'static str {
    match language {
        Language::Spanish => include_str!("../../i18n/es.ftl"),
        Language::English => include_str!("../../i18n/en.ftl"),
    }
}

fn load(language: LanguageIdentifier, source: &str) -> Bundle {
    let resource = FluentResource::try_new(source.to_owned())
        .expect("a test parses both resources, which are part of the binary");
    let mut bundle = Bundle::new_concurrent(vec![language]);
    // Unicode direction marks would break clients that compare messages.
    bundle.set_use_isolating(false);
    bundle
        .add_function("LIST", |positional, named| {
            let last_word = match named.get("last") {
                Some(FluentValue::String(word)) => Some(word.as_ref()),
                _ => None,
            };
            let list = match positional.first() {
                Some(FluentValue::Custom(value)) => {
                    let value: &dyn Any = value.as_ref().as_any();
                    value.downcast_ref::<List>()
                }
                _ => None,
            };
            let before = match named.get("before") {
                Some(FluentValue::String(text)) => text.as_ref(),
                _ => "",
            };
            match list {
                None => FluentValue::Error,
                Some(List(names)) if names.is_empty() => "".into(),
                Some(list) => format!("{before}{}", list.join(last_word)).into(),
            }
        })
        .expect("no function has the name yet");
    bundle
        .add_resource(resource)
        .expect("a test finds ids that a resource repeats");
    bundle
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        assert_eq!(List::of(["a"]).join(Some("y")), "a");
        assert_eq!(List::of(["a", "b"]).join(Some("y")), "a y b");
        assert_eq!(List::of(["a", "b", "c"]).join(Some("y")), "a, b y c");
        assert_eq!(List::of(["a", "b", "c"]).join(None), "a, b, c");
    }
}
