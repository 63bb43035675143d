//! Enums whose variants are listed, and named.

/// Copies all variants of an enum (`strum::VariantArray::VARIANTS`) into an array of their number.
pub(crate) const fn all<T: Copy, const N: usize>(variants: &[T]) -> [T; N] {
    *variants
        .first_chunk()
        .expect("the array has as many items as there are variants")
}

/// Declares an enum whose variants have names, in `snake_case`: they are stored, logged and part of
/// the APIs, so they never change.
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

            /// The name, which never changes.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// Parses a name.
            pub fn from_name(name: &str) -> Option<Self> {
                name.parse().ok()
            }
        }
    };
}

pub(crate) use named_enum;
