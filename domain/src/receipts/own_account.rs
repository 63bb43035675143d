//! The account of a receipt beside the reader's own ones.

use std::mem::discriminant;

use super::field::ReceiptField;
use super::notice::{MissingReason, ReceiptNotice};
use super::reading::Receipt;
use crate::account::Account;
use crate::own_accounts::OwnAccount;

impl Receipt {
    /// Returns `true` if the receipt shows the last digits of the account alone.
    pub fn has_masked_account(&self) -> bool {
        self.value(ReceiptField::Account)
            .is_some_and(|value| value.contains('*'))
    }

    /// Returns `true` if the account is masked or missing.
    pub fn lacks_account(&self) -> bool {
        let mut missing = self.missing.iter();
        missing.any(|missing| missing.field == ReceiptField::Account)
    }

    /// The receipt with a notice if the account that it tells is none of the reader's own ones of its kind. A card or a
    /// phone number and a CLABE may lead to one account, so they tell nothing about each other.
    #[must_use]
    pub fn compared_with(mut self, own: &[OwnAccount]) -> Self {
        let told = self.value(ReceiptField::Account).map(Account::parse);
        if let Some(Ok(told)) = told
            && !self.lacks_account()
        {
            let is_of_kind = |own: &&OwnAccount| discriminant(&own.account) == discriminant(&told);
            let mut of_kind = own.iter().filter(is_of_kind).peekable();
            if of_kind.peek().is_some() && of_kind.all(|own| own.account != told) {
                self.notices.push(ReceiptNotice::AccountNotOwn);
            }
        }
        self
    }

    /// The receipt whose masked or missing account the reader's own accounts complete: neither it nor an institution
    /// that it doesn't tell is missing.
    #[must_use]
    pub fn with_own_account(mut self) -> Self {
        self.missing.retain(|missing| {
            !matches!(
                (missing.field, missing.reason),
                (
                    ReceiptField::Account,
                    MissingReason::Masked | MissingReason::NotFound
                ) | (ReceiptField::Receiver, MissingReason::NotTold)
            )
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use rstest::rstest;
    use uuid::Uuid;

    use super::*;
    use crate::own_accounts::{AccountName, OwnAccountId};
    use crate::participants::{Catalogue, ParticipantCode};

    fn own(account: &str) -> OwnAccount {
        OwnAccount {
            id: OwnAccountId(Uuid::nil()),
            name: AccountName::parse("caja").unwrap(),
            account: Account::parse(account).unwrap(),
            bank: ParticipantCode::parse("40002").unwrap(),
            added_at: DateTime::UNIX_EPOCH,
        }
    }

    #[rstest]
    #[case::own("002010077777777771", &["002010088888888889", "002010077777777771"], false)]
    #[case::of_another("002010077777777771", &["002010088888888889"], true)]
    #[case::none_is_kept("002010077777777771", &[], false)]
    #[case::of_another_kind("002010077777777771", &["5512345678"], false)]
    #[case::of_another_beside_another_kind("002010077777777771", &["5512345678", "002010088888888889"], true)]
    #[case::masked("****7771", &["002010088888888889"], false)]
    fn an_account_that_is_none_of_the_readers_is_noticed(
        #[case] told: &str,
        #[case] kept: &[&str],
        #[case] is_noticed: bool,
    ) {
        let text = format!(
            "Monto: $1.00\nFecha: 20/nov/2026\nCuenta destino: {told}\n\
             Clave de rastreo: MBAN01002611200001234567"
        );
        let today = "2026-11-25".parse().unwrap();
        let receipt = Receipt::read_plain(&text, today, Catalogue::embedded());
        let is_certain = receipt.is_certain();
        let kept: Vec<_> = kept.iter().map(|account| own(account)).collect();
        let compared = receipt.compared_with(&kept);
        let notices = &compared.notices;
        assert_eq!(notices.contains(&ReceiptNotice::AccountNotOwn), is_noticed);
        assert_eq!(compared.is_certain(), is_certain);
    }

    #[test]
    fn an_account_in_doubt_is_not_compared() {
        let text = "Cuenta destino: 002010077777777771\nCuenta destino: 014320567890123458";
        let today = "2026-11-25".parse().unwrap();
        let receipt = Receipt::read_plain(text, today, Catalogue::embedded());
        assert!(receipt.lacks_account(), "{receipt:#?}");
        let compared = receipt.compared_with(&[own("002010088888888889")]);
        assert!(!compared.notices.contains(&ReceiptNotice::AccountNotOwn));
    }
}
