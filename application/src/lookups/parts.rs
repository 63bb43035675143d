//! Encoding of stored content: a version byte, then fields with their lengths.

use std::str;

use bytes::{Buf as _, BufMut as _, Bytes};
use domain::account::Account;
use domain::amount::Amount;
use domain::calendar;
use domain::participants::ParticipantCode;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;

const VERSION: u8 = 1;

/// The content doesn't have the format of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored content is damaged, or of another version")]
pub(crate) struct Damaged;

/// Encodes the fields of a query as text; empty for a field that is `None`.
pub(crate) fn encode_query(query: &ProofQuery) -> [String; 6] {
    let code = |code: Option<ParticipantCode>| code.map(|code| code.to_string());
    [
        query.date.to_string(),
        query.tracking_key.as_str().to_owned(),
        query.account.as_str().to_owned(),
        query.amount.centavos().to_string(),
        code(query.issuer).unwrap_or_default(),
        code(query.receiver).unwrap_or_default(),
    ]
}

pub(crate) fn decode_query(
    [date, tracking_key, account, centavos, issuer, receiver]: [&str; 6],
) -> Result<ProofQuery, Damaged> {
    let code = |text: &str| match text {
        "" => Ok(None),
        text => ParticipantCode::parse(text).map(Some).ok_or(Damaged),
    };
    let centavos = centavos.parse().map_err(|_| Damaged)?;
    Ok(ProofQuery {
        date: calendar::parse_date(date).map_err(|_| Damaged)?,
        tracking_key: TrackingKey::parse(tracking_key).map_err(|_| Damaged)?,
        account: Account::parse(account).map_err(|_| Damaged)?,
        amount: Amount::from_centavos(centavos).ok_or(Damaged)?,
        issuer: code(issuer)?,
        receiver: code(receiver)?,
    })
}

pub(crate) fn text(part: &Bytes) -> Result<&str, Damaged> {
    str::from_utf8(part).map_err(|_| Damaged)
}

/// Encodes the version, and each field after its length (32 bits, big-endian).
pub(crate) fn encode<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    for part in parts {
        bytes.put_u32(u32::try_from(part.len()).expect("files and fields are far below 4 GiB"));
        bytes.put_slice(part);
    }
    bytes
}

pub(crate) fn decode(mut bytes: Bytes) -> Result<Vec<Bytes>, Damaged> {
    if bytes.try_get_u8() != Ok(VERSION) {
        return Err(Damaged);
    }
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let length = bytes.try_get_u32().map_err(|_| Damaged)?;
        let length = usize::try_from(length).map_err(|_| Damaged)?;
        if length > bytes.len() {
            return Err(Damaged);
        }
        parts.push(bytes.split_to(length));
    }
    Ok(parts)
}
