//! Encoding of stored content: a version byte, then fields with their lengths.

use std::str;

use bytes::{Buf as _, BufMut as _, Bytes};
use domain::account::Account;
use domain::amount::Amount;
use domain::calendar;
use domain::criterion::{Criterion, ReferenceNumber};
use domain::masked_account::MaskedAccount;
use domain::own_accounts::{Completion, Destination};
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
        encode_criterion(&query.criterion),
        encode_accounts(query),
        query.amount.centavos().to_string(),
        code(query.issuer).unwrap_or_default(),
        code(query.receiver).unwrap_or_default(),
    ]
}

pub(crate) fn decode_query(
    [date, criterion, account, centavos, issuer, receiver]: [&str; 6],
) -> Result<ProofQuery, Damaged> {
    let (accounts, completion) = match account.split_once(COMPLETION) {
        None => (account, None),
        Some((accounts, completion)) => (accounts, Some(decode_completion(completion)?)),
    };
    let (account, others) = decode_accounts(accounts)?;
    let centavos = centavos.parse().map_err(|_| Damaged)?;
    Ok(ProofQuery {
        date: calendar::parse_date(date).map_err(|_| Damaged)?,
        criterion: decode_criterion(criterion)?,
        account,
        others,
        completion,
        amount: Amount::from_centavos(centavos).ok_or(Damaged)?,
        issuer: decode_code(issuer)?,
        receiver: decode_code(receiver)?,
    })
}

/// No tracking key begins with this sign. Earlier versions can't read a query by reference number.
const OF_REFERENCE: char = '"';

fn encode_criterion(criterion: &Criterion) -> String {
    match criterion {
        Criterion::TrackingKey(key) => key.as_str().to_owned(),
        Criterion::Reference(reference) => format!("{OF_REFERENCE}{reference}"),
    }
}

fn decode_criterion(text: &str) -> Result<Criterion, Damaged> {
    match text.strip_prefix(OF_REFERENCE) {
        None => TrackingKey::parse(text).map(Criterion::from).ok(),
        Some(digits) => ReferenceNumber::parse(digits).map(Criterion::from).ok(),
    }
    .ok_or(Damaged)
}

/// Begins the completion of an account. Earlier versions can't read a query that has one.
const COMPLETION: char = ';';

/// The account, and after it those that the transfer may have been credited to instead, with their institutions:
/// `002…1,4152…8@40012`. Earlier versions can't read a query that has others. Behind them is what the caller gave, and
/// the number of accounts that aren't asked for: `;****7771@40012+4`.
fn encode_accounts(query: &ProofQuery) -> String {
    let mut text = query.account.as_str().to_owned();
    for Destination { account, receiver } in &query.others {
        text.push(',');
        text.push_str(account.as_str());
        if let Some(code) = receiver {
            text.push('@');
            text.push_str(&code.to_string());
        }
    }
    if let Some(completion) = &query.completion {
        let masked = completion.masked.as_ref().map(MaskedAccount::to_string);
        let receiver = completion.receiver.map(|code| code.to_string());
        let (masked, receiver) = (masked.unwrap_or_default(), receiver.unwrap_or_default());
        let unasked = completion.unasked;
        let completion = format!("{COMPLETION}{masked}@{receiver}+{unasked}");
        text.push_str(&completion);
    }
    text
}

fn decode_completion(text: &str) -> Result<Completion, Damaged> {
    let (given, unasked) = text.split_once('+').ok_or(Damaged)?;
    let (masked, receiver) = given.split_once('@').ok_or(Damaged)?;
    let masked = (!masked.is_empty()).then(|| MaskedAccount::parse(masked).ok_or(Damaged));
    Ok(Completion {
        masked: masked.transpose()?,
        receiver: decode_code(receiver)?,
        unasked: unasked.parse().map_err(|_| Damaged)?,
    })
}

/// The code of an institution; empty for none.
fn decode_code(text: &str) -> Result<Option<ParticipantCode>, Damaged> {
    match text {
        "" => Ok(None),
        text => ParticipantCode::parse(text).map(Some).ok_or(Damaged),
    }
}

fn decode_accounts(text: &str) -> Result<(Account, Vec<Destination>), Damaged> {
    let account = |text: &str| Account::parse(text).map_err(|_| Damaged);
    let mut accounts = text.split(',');
    let first = account(accounts.next().unwrap_or_default())?;
    let other = |text: &str| match text.split_once('@') {
        None => Ok(Destination {
            account: account(text)?,
            receiver: None,
        }),
        Some((digits, code)) => Ok(Destination {
            account: account(digits)?,
            receiver: Some(ParticipantCode::parse(code).ok_or(Damaged)?),
        }),
    };
    let others = accounts.map(other).collect::<Result<_, _>>()?;
    Ok((first, others))
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
