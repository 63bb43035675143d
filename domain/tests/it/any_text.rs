//! Any text is read or refused.

use domain::account::Account;
use domain::amount::{Amount, centavos_from_bank_spelling};
use domain::calendar::parse_date;
use domain::keys::{FullKey, KeyName};
use domain::page::Cursor;
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_text_is_read_or_refused_without_panic(text in "\\PC*") {
        let _ = Account::parse(&text);
        let _ = Amount::parse(&text);
        let _ = centavos_from_bank_spelling(&text);
        let _ = parse_date(&text);
        let _ = FullKey::parse(&text);
        let _ = KeyName::parse(&text);
        let _ = Cursor::parse(&text).map(|cursor| cursor.millis());
    }
}
