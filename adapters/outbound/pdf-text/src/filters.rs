//! Filters of streams (ISO 32000-1, 7.4), up to a bound.

use std::io::Read as _;

use domain::proofs::check::PdfError;
use flate2::read::ZlibDecoder;

use crate::lexer::{Dictionary, Object};

const MAX_FILTERS: usize = 3;

/// The decoded bytes of a stream, at most `room` of them after each filter.
///
/// # Errors
/// [`PdfError::TooComplex`] for more, [`PdfError::Damaged`] for an unknown filter or bad bytes.
pub(crate) fn decode(
    dictionary: &Dictionary,
    bytes: &[u8],
    room: usize,
) -> Result<Vec<u8>, PdfError> {
    let single;
    let filters = match dictionary.get("Filter") {
        None if dictionary.has("Filter") => return Err(PdfError::Damaged),
        None => &[][..],
        Some(Object::Array(filters)) => &filters[..],
        Some(filter) => {
            single = [filter.clone()];
            &single
        }
    };
    if filters.len() > MAX_FILTERS {
        return Err(PdfError::TooComplex);
    }
    // Predictors are for images and cross-reference streams; `F` names an external file.
    if dictionary.has("DecodeParms") || dictionary.has("F") {
        return Err(PdfError::Damaged);
    }
    if filters.is_empty() {
        return bounded(bytes, room);
    }
    let mut decoded = None;
    for filter in filters {
        let bytes = decoded.as_deref().unwrap_or(bytes);
        decoded = Some(apply(filter, bytes, room)?);
    }
    decoded.ok_or(PdfError::Damaged)
}

/// The inflated bytes of a stream, at most `room`; no bytes may follow its data.
///
/// # Errors
/// [`PdfError::TooComplex`] for more, [`PdfError::Damaged`] for bad bytes or further ones.
pub(crate) fn inflate_whole(bytes: &[u8], room: usize) -> Result<Vec<u8>, PdfError> {
    let mut source = ZlibDecoder::new(bytes);
    let decoded = bounded(&mut source, room)?;
    let is_whole = usize::try_from(source.total_in()) == Ok(bytes.len());
    is_whole.then_some(decoded).ok_or(PdfError::Damaged)
}

fn apply(filter: &Object, bytes: &[u8], room: usize) -> Result<Vec<u8>, PdfError> {
    let Object::Name(name) = filter else {
        return Err(PdfError::Damaged);
    };
    match &name[..] {
        b"FlateDecode" | b"Fl" => bounded(ZlibDecoder::new(bytes), room),
        b"LZWDecode" | b"LZW" => lzw(bytes, room),
        b"ASCIIHexDecode" | b"AHx" => hexadecimal(bytes, room),
        b"ASCII85Decode" | b"A85" => base_85(bytes, room),
        _ => Err(PdfError::Damaged),
    }
}

fn bounded(source: impl std::io::Read, room: usize) -> Result<Vec<u8>, PdfError> {
    let most = u64::try_from(room).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoded = Vec::new();
    let read = source.take(most).read_to_end(&mut decoded);
    read.map_err(|_| PdfError::Damaged)?;
    if decoded.len() > room {
        return Err(PdfError::TooComplex);
    }
    Ok(decoded)
}

/// LZW with codes of 9 to 12 bits that grow one code early, as in TIFF.
fn lzw(bytes: &[u8], room: usize) -> Result<Vec<u8>, PdfError> {
    let mut codes = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut decoded = vec![0; room.saturating_add(1)];
    let (mut read, mut written) = (0, 0);
    loop {
        let result = codes.decode_bytes(&bytes[read..], &mut decoded[written..]);
        read += result.consumed_in;
        written += result.consumed_out;
        match result.status.map_err(|_| PdfError::Damaged)? {
            weezl::LzwStatus::Ok if written <= room => {}
            weezl::LzwStatus::Ok | weezl::LzwStatus::NoProgress | weezl::LzwStatus::Done => break,
        }
    }
    if written > room {
        return Err(PdfError::TooComplex);
    }
    decoded.truncate(written);
    Ok(decoded)
}

fn hexadecimal(bytes: &[u8], room: usize) -> Result<Vec<u8>, PdfError> {
    let digits = bytes
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter(|byte| !byte.is_ascii_whitespace());
    let mut decoded = Vec::new();
    let mut high = None;
    for digit in digits {
        let digit = char::from(*digit).to_digit(16).ok_or(PdfError::Damaged)?;
        let digit = u8::try_from(digit).map_err(|_| PdfError::Damaged)?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => decoded.push(high << 4 | digit),
        }
        if decoded.len() > room {
            return Err(PdfError::TooComplex);
        }
    }
    decoded.extend(high.map(|high| high << 4));
    Ok(decoded)
}

fn base_85(bytes: &[u8], room: usize) -> Result<Vec<u8>, PdfError> {
    let digits = bytes
        .iter()
        .copied()
        .take_while(|byte| *byte != b'~')
        .filter(|byte| !byte.is_ascii_whitespace());
    let mut decoded = Vec::new();
    let mut group = Vec::with_capacity(5);
    for digit in digits {
        match digit {
            b'z' if group.is_empty() => decoded.extend([0; 4]),
            b'!'..=b'u' => group.push(digit - b'!'),
            _ => return Err(PdfError::Damaged),
        }
        if group.len() == 5 {
            decoded.extend(four_bytes(&group)?);
            group.clear();
        }
        if decoded.len() > room {
            return Err(PdfError::TooComplex);
        }
    }
    match group.len() {
        0 => {}
        1 => return Err(PdfError::Damaged),
        digits => {
            group.resize(5, 84);
            decoded.extend(&four_bytes(&group)?[..digits - 1]);
        }
    }
    Ok(decoded)
}

fn four_bytes(digits: &[u8]) -> Result<[u8; 4], PdfError> {
    let value = digits.iter().try_fold(0_u32, |value, digit| {
        value.checked_mul(85)?.checked_add(u32::from(*digit))
    });
    value.map(u32::to_be_bytes).ok_or(PdfError::Damaged)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::lexer::Lexer;

    fn decoded(filters: &str, bytes: &[u8], room: usize) -> Result<Vec<u8>, PdfError> {
        let source = format!("<</Filter{filters}>>");
        let Ok(Object::Dictionary(dictionary)) = Lexer::new(source.as_bytes(), 0, 9).object()
        else {
            panic!("no dictionary: {source}");
        };
        decode(&dictionary, bytes, room)
    }

    #[rstest]
    #[case::hexadecimal("/ASCIIHexDecode", b"53 50 45\n49>", b"SPEI")]
    #[case::half_a_byte("/AHx", b"535>", b"SP")]
    #[case::base_85("/ASCII85Decode", b"87cURD]i,\"Ebo80~>", b"Hello World!")]
    #[case::zeros("[/A85]", b"z~>", b"\0\0\0\0")]
    #[case::two("[/ASCIIHexDecode/A85]", b"7A7E3E>", b"\0\0\0\0")]
    // The example of ISO 32000-1, 7.4.4.2.
    #[case::lzw(
        "/LZWDecode",
        b"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01",
        b"\x2d\x2d\x2d\x2d\x2d\x41\x2d\x2d\x2d\x42"
    )]
    fn streams_are_decoded(#[case] filters: &str, #[case] bytes: &[u8], #[case] expected: &[u8]) {
        assert_eq!(decoded(filters, bytes, 12).as_deref(), Ok(expected));
    }

    #[rstest]
    #[case("/AHx", b"5350454953504549>")]
    #[case("/A85", b"zzz~>")]
    #[case("/LZW", b"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01")]
    fn more_than_the_bound_is_refused(#[case] filters: &str, #[case] bytes: &[u8]) {
        assert_eq!(decoded(filters, bytes, 6), Err(PdfError::TooComplex));
    }
}
