//! One side of a payment as a proof names it.

use std::fmt;

/// Payer or beneficiary. What a proof marks as missing (`NA`, `ND`, `-1`) is `None`; names are cut
/// at 40 characters by the banks. `Debug` shows the institution only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// Short name of the institution, as the receiving bank wrote it.
    pub institution: Option<String>,
    /// Name of the account's holder.
    pub name: Option<String>,
    /// What kind of number [`Self::account`] is.
    pub account_type: Option<AccountType>,
    /// The account.
    pub account: Option<String>,
    /// RFC or CURP.
    pub tax_id: Option<String>,
}

/// `TipoCuenta`: what kind of number an account is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccountType {
    /// 3, also written `03`.
    Card,
    /// 10.
    Phone,
    /// 40.
    Clabe,
    /// A number without a meaning that we know.
    Other(u16),
}

impl Party {
    /// A party of the five texts that a proof has of it, in the chain's order: institution, name,
    /// account type, account, RFC or CURP.
    pub(super) fn from_texts(texts: [&str; 5]) -> Self {
        let [institution, name, account_type, account, tax_id] =
            texts.map(|text| given(text).map(str::to_owned));
        Self {
            institution,
            name,
            account_type: account_type.and_then(|text| AccountType::from_text(&text)),
            account,
            tax_id,
        }
    }
}

impl AccountType {
    /// Reads a number with or without leading zeros; `None` for anything else.
    fn from_text(text: &str) -> Option<Self> {
        Some(match text.parse().ok()? {
            3 => Self::Card,
            10 => Self::Phone,
            40 => Self::Clabe,
            other => Self::Other(other),
        })
    }
}

/// A value of a proof, trimmed; `None` when the proof marks it as missing.
pub(super) fn given(text: &str) -> Option<&str> {
    let text = text.trim();
    (!matches!(text, "" | "NA" | "ND" | "-1")).then_some(text)
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Party")
            .field("institution", &self.institution)
            .field("account_type", &self.account_type)
            .finish_non_exhaustive()
    }
}
