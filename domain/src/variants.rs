//! Variants of enums.

/// Copies all variants of an enum (`strum::VariantArray::VARIANTS`) into an array of their number.
pub(crate) const fn all<T: Copy, const N: usize>(variants: &[T]) -> [T; N] {
    *variants
        .first_chunk()
        .expect("the array has as many items as there are variants")
}
