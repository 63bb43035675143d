//! Filters of streams (ISO 32000-1, 7.4), up to a bound.

use std::io::Read;

use domain::receipts::ReceiptFileError;
use flate2::read::{DeflateDecoder, ZlibDecoder};

use super::file::{File, Stream};
use super::object::{Dictionary, Object};
use super::predictor;

const MAX_FILTERS: usize = 4;

/// A stream's bytes, decoded up to the first filter that is the format of a picture.
pub(crate) struct Decoded {
    pub(crate) bytes: Vec<u8>,
    /// That filter.
    pub(crate) picture: Option<Vec<u8>>,
}

/// The decoded bytes of a stream.
///
/// # Errors
/// [`ReceiptFileError::TooLarge`] for more than the file may inflate to, [`ReceiptFileError::Damaged`] for an unknown
/// filter.
pub(crate) fn decode(file: &File<'_>, stream: Stream<'_>) -> Result<Vec<u8>, ReceiptFileError> {
    let decoded = decode_picture(file, stream)?;
    match decoded.picture {
        None => Ok(decoded.bytes),
        Some(_) => Err(ReceiptFileError::Damaged),
    }
}

/// The decoded bytes of a stream, which may be a picture.
///
/// # Errors
/// As [`decode`].
pub(crate) fn decode_picture(
    file: &File<'_>,
    stream: Stream<'_>,
) -> Result<Decoded, ReceiptFileError> {
    let filters = list(file, stream.dictionary, &["Filter", "F"]);
    let parameters = list(file, stream.dictionary, &["DecodeParms", "DP"]);
    if filters.len() > MAX_FILTERS {
        return Err(ReceiptFileError::TooLarge);
    }
    let mut decoded = None;
    for (place, filter) in filters.iter().enumerate() {
        let bytes = decoded.as_deref().unwrap_or(stream.bytes);
        let name = filter.as_name().ok_or(ReceiptFileError::Damaged)?;
        if matches!(
            name,
            b"DCTDecode" | b"DCT" | b"JPXDecode" | b"CCITTFaxDecode" | b"CCF" | b"JBIG2Decode"
        ) {
            let (bytes, picture) = (bytes.to_vec(), Some(name.to_vec()));
            return Ok(Decoded { bytes, picture });
        }
        let mut inflated = apply(name, bytes, file.work().room())?;
        file.work().inflate(inflated.len());
        file.work().look()?;
        if let Some(Object::Dictionary(parameters)) = parameters.get(place) {
            inflated = predictor::undo(inflated, parameters)?;
        }
        decoded = Some(inflated);
    }
    let bytes = decoded.unwrap_or_else(|| {
        file.work().inflate(stream.bytes.len());
        stream.bytes.to_vec()
    });
    Ok(Decoded {
        bytes,
        picture: None,
    })
}

/// The objects of an entry that is an array, or one object.
fn list(file: &File<'_>, dictionary: &Dictionary, names: &[&str]) -> Vec<Object> {
    let entry = names
        .iter()
        .find_map(|name| file.resolve(dictionary.get(name.as_bytes())?));
    match entry {
        None | Some(Object::Text(_)) => Vec::new(),
        Some(Object::Array(items)) => {
            let items = items.iter().take(MAX_FILTERS + 1);
            let resolved = items.map(|item| file.resolve(item).unwrap_or(&Object::Other));
            resolved.cloned().collect()
        }
        Some(single) => vec![single.clone()],
    }
}

fn apply(filter: &[u8], bytes: &[u8], room: usize) -> Result<Vec<u8>, ReceiptFileError> {
    match filter {
        b"FlateDecode" | b"Fl" => inflate(bytes, room),
        b"LZWDecode" | b"LZW" => lzw(bytes, room),
        b"ASCIIHexDecode" | b"AHx" => hexadecimal(bytes, room),
        b"ASCII85Decode" | b"A85" => base_85(bytes, room),
        b"RunLengthDecode" | b"RL" => run_lengths(bytes, room),
        _ => Err(ReceiptFileError::Damaged),
    }
}

/// Inflates bytes. What comes before an error counts, as in viewers: ends of files are often lost.
fn inflate(bytes: &[u8], room: usize) -> Result<Vec<u8>, ReceiptFileError> {
    let decoded = bounded(ZlibDecoder::new(bytes), room)?;
    if decoded.is_empty() && bytes.len() > 2 {
        return bounded(DeflateDecoder::new(&bytes[2..]), room);
    }
    Ok(decoded)
}

fn bounded(source: impl Read, room: usize) -> Result<Vec<u8>, ReceiptFileError> {
    let most = u64::try_from(room).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoded = Vec::new();
    let _ = source.take(most).read_to_end(&mut decoded);
    if decoded.len() > room {
        return Err(ReceiptFileError::TooLarge);
    }
    Ok(decoded)
}

/// LZW with codes of 9 to 12 bits that grow one code early, as in TIFF.
fn lzw(bytes: &[u8], room: usize) -> Result<Vec<u8>, ReceiptFileError> {
    const STEP: usize = 64 * 1024;
    let mut codes = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut decoded = Vec::new();
    let (mut read, mut written) = (0, 0);
    loop {
        decoded.resize(written + STEP, 0);
        let result = codes.decode_bytes(&bytes[read..], &mut decoded[written..]);
        read += result.consumed_in;
        written += result.consumed_out;
        if written > room {
            return Err(ReceiptFileError::TooLarge);
        }
        if !matches!(result.status, Ok(weezl::LzwStatus::Ok)) {
            break;
        }
    }
    decoded.truncate(written);
    Ok(decoded)
}

fn hexadecimal(bytes: &[u8], room: usize) -> Result<Vec<u8>, ReceiptFileError> {
    let digits = bytes
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter(|byte| !byte.is_ascii_whitespace());
    let mut decoded = Vec::new();
    let mut high = None;
    for digit in digits {
        let digit = char::from(*digit).to_digit(16);
        let digit = digit.and_then(|digit| u8::try_from(digit).ok());
        let digit = digit.ok_or(ReceiptFileError::Damaged)?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => decoded.push(high << 4 | digit),
        }
        if decoded.len() > room {
            return Err(ReceiptFileError::TooLarge);
        }
    }
    decoded.extend(high.map(|high| high << 4));
    Ok(decoded)
}

fn base_85(bytes: &[u8], room: usize) -> Result<Vec<u8>, ReceiptFileError> {
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
            _ => return Err(ReceiptFileError::Damaged),
        }
        if group.len() == 5 {
            decoded.extend(four_bytes(&group)?);
            group.clear();
        }
        if decoded.len() > room {
            return Err(ReceiptFileError::TooLarge);
        }
    }
    match group.len() {
        0 => {}
        1 => return Err(ReceiptFileError::Damaged),
        digits => {
            group.resize(5, 84);
            decoded.extend(&four_bytes(&group)?[..digits - 1]);
        }
    }
    Ok(decoded)
}

fn four_bytes(digits: &[u8]) -> Result<[u8; 4], ReceiptFileError> {
    let value = digits.iter().try_fold(0_u32, |value, digit| {
        value.checked_mul(85)?.checked_add(u32::from(*digit))
    });
    let value = value.ok_or(ReceiptFileError::Damaged)?;
    Ok(value.to_be_bytes())
}

fn run_lengths(bytes: &[u8], room: usize) -> Result<Vec<u8>, ReceiptFileError> {
    let mut decoded = Vec::new();
    let mut rest = bytes;
    while let [length, after @ ..] = rest {
        match (length, after) {
            (0..=127, _) => {
                let count = (usize::from(*length) + 1).min(after.len());
                decoded.extend(&after[..count]);
                rest = &after[count..];
            }
            (129.., [byte, after @ ..]) => {
                let count = 257 - usize::from(*length);
                decoded.resize(decoded.len() + count, *byte);
                rest = after;
            }
            _ => break,
        }
        if decoded.len() > room {
            return Err(ReceiptFileError::TooLarge);
        }
    }
    Ok(decoded)
}
