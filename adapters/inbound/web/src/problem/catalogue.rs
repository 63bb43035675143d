//! Macro that declares the catalogue's enums.

/// Declares an enum of problems with each one's code, message and message parameters in one place:
///
/// ```text
/// /// The key reached its limit a minute.
/// RateLimited { limit: u32, retry_after: Duration }
///     = Code::RateLimitExceeded, "rate-limited"(limit: limit, seconds: &seconds(*retry_after));
/// ```
///
/// `"rate-limited"` is the id of a message in `i18n/es.ftl` and `i18n/en.ftl` with the parameters
/// `{ $limit }` and `{ $seconds }`. In parameter expressions, a variant's members are references.
macro_rules! catalogue {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident -> $code_type:ty {
            $(
                $(#[$description:meta])*
                $variant:ident $({ $($member:ident: $member_type:ty),+ $(,)? })?
                    = $code:expr, $message:literal $(($($parameter:ident: $value:expr),+ $(,)?))?;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility enum $name {
            $(
                $(#[$description])*
                $variant $({
                    $(
                        #[allow(missing_docs, reason = "named as in the details or the message")]
                        $member: $member_type,
                    )+
                })?,
            )+
        }

        impl $name {
            /// The codes of all variants, in order of declaration.
            $visibility const CODES: &[$code_type] = &[$($code),+];

            #[cfg_attr(not(test), allow(dead_code, reason = "read by a test"))]
            pub(super) const MESSAGES: &[$crate::problem::text::Message] = &[$(
                $crate::problem::text::Message {
                    id: $message,
                    parameters: &[$($(stringify!($parameter)),+)?],
                }
            ),+];

            $visibility fn code(&self) -> $code_type {
                match self {
                    $(Self::$variant { .. } => $code,)+
                }
            }

            /// Returns the member `retry_after`: the time after which the same request may succeed.
            #[allow(dead_code, reason = "not every enum has a variant with one")]
            #[allow(unused_variables, reason = "other members aren't read")]
            $visibility fn retry_after(&self) -> Option<std::time::Duration> {
                match self {
                    $(
                        Self::$variant $({ $($member),+ })? => {
                            $crate::problem::catalogue::retry_after_of!($($([$member $member])+)?)
                        }
                    )+
                }
            }

            /// The id of the message.
            #[allow(dead_code, reason = "the log tells problems alone")]
            pub(super) fn id(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $message,)+
                }
            }

            /// Returns the message: the error and its remedy.
            #[allow(unused_variables, reason = "a message needn't show every member")]
            $visibility fn message(&self, language: $crate::language::Language) -> String {
                match self {
                    $(
                        Self::$variant $({ $($member),+ })? => $crate::problem::text::render(
                            language,
                            $message,
                            [$($((stringify!($parameter), $value.into())),+)?],
                        ),
                    )+
                }
            }
        }
    };
}

/// Finds the member named `retry_after` among pairs of a name and its binding.
macro_rules! retry_after_of {
    () => {
        None
    };
    ([retry_after $found:ident] $($others:tt)*) => {
        Some(*$found)
    };
    ([$name:ident $binding:ident] $($others:tt)*) => {
        $crate::problem::catalogue::retry_after_of!($($others)*)
    };
}

pub(super) use catalogue;
pub(super) use retry_after_of;
