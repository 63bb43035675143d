//! Enums with a list and names of their variants.

/// Copies all variants of an enum (`strum::VariantArray::VARIANTS`) into an array.
pub(crate) const fn all<T: Copy, const N: usize>(variants: &[T]) -> [T; N] {
    *variants
        .first_chunk()
        .expect("the array has as many items as there are variants")
}

/// Declares an enum whose variants have names in `snake_case`. The names are stored, logged and part of
/// the APIs, so they must never change.
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$description:meta])* $variant:ident,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            Hash,
            strum::EnumString,
            strum::IntoStaticStr,
            strum::VariantArray,
            strum::VariantNames,
        )]
        #[strum(serialize_all = "snake_case")]
        pub enum $name {
            $($(#[$description])* $variant,)+
        }

        impl $name {
            /// All variants, in the order of the APIs.
            pub const ALL: [Self; <Self as strum::VariantArray>::VARIANTS.len()] =
                $crate::variants::all(<Self as strum::VariantArray>::VARIANTS);

            /// Stable name, used in storage, logs and APIs.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// Parses a name; `None` if it is unknown.
            pub fn from_name(name: &str) -> Option<Self> {
                name.parse().ok()
            }
        }
    };
}

pub(crate) use named_enum;
