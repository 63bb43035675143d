//! Format of a customer's own accounts before encryption.

use bytes::Bytes;
use chrono::DateTime;
use domain::account::Account;
use domain::own_accounts::{AccountName, OwnAccount, OwnAccountId};
use domain::participants::ParticipantCode;
use uuid::Uuid;

use crate::lookups::parts::{Damaged, decode as decode_parts, encode as encode_parts, text};

/// Number of encoded fields of an account.
const PARTS: usize = 5;

pub(super) fn encode(accounts: &[OwnAccount]) -> Vec<u8> {
    let fields = accounts.iter().flat_map(|own| {
        [
            own.id.to_string(),
            own.name.as_str().to_owned(),
            own.account.as_str().to_owned(),
            own.bank.to_string(),
            own.added_at.timestamp_millis().to_string(),
        ]
    });
    let fields: Vec<_> = fields.collect();
    encode_parts(fields.iter().map(String::as_bytes))
}

pub(super) fn decode(bytes: Bytes) -> Result<Vec<OwnAccount>, Damaged> {
    let parts = decode_parts(bytes)?;
    let (accounts, []) = parts.as_chunks::<PARTS>() else {
        return Err(Damaged);
    };
    accounts.iter().map(account).collect()
}

fn account([id, name, account, bank, added_at]: &[Bytes; PARTS]) -> Result<OwnAccount, Damaged> {
    let id = Uuid::try_parse(text(id)?).map_err(|_| Damaged)?;
    let added_at = text(added_at)?.parse().map_err(|_| Damaged)?;
    Ok(OwnAccount {
        id: OwnAccountId(id),
        name: AccountName::parse(text(name)?).map_err(|_| Damaged)?,
        account: Account::parse(text(account)?).map_err(|_| Damaged)?,
        bank: ParticipantCode::parse(text(bank)?).ok_or(Damaged)?,
        added_at: DateTime::from_timestamp_millis(added_at).ok_or(Damaged)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn accounts_come_back(
            names in proptest::collection::vec("[a-zñ ]{1,20}[a-z]", 0..5),
            millis in 0..i64::from(i32::MAX),
        ) {
            let account = |name: &String| OwnAccount {
                id: OwnAccountId(Uuid::from_u128(7)),
                name: AccountName::parse(name).unwrap(),
                account: Account::parse("002010077777777771").unwrap(),
                bank: ParticipantCode::parse("40002").unwrap(),
                added_at: DateTime::from_timestamp_millis(millis).unwrap(),
            };
            let accounts: Vec<_> = names.iter().map(account).collect();
            prop_assert_eq!(decode(encode(&accounts).into()), Ok(accounts));
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes: Vec<u8>) {
            let _ = decode(bytes.into());
        }
    }
}
