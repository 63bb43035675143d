//! One side of a payment in a proof.

use std::fmt;

/// Payer or beneficiary. A value that a proof marks as missing (`NA`, `ND`, `-1`) is `None`; banks
/// cut names at 40 characters. `Debug` shows the institution only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// Short name of the institution, as the receiving bank wrote it.
    pub institution: Option<String>,
    /// Name of the account's holder.
    pub name: Option<String>,
    /// The kind of [`Self::account`].
    pub account_type: Option<AccountType>,
    /// The account.
    pub account: Option<String>,
    /// RFC or CURP.
    pub tax_id: Option<String>,
}

/// `TipoCuenta`: the kind of an account number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccountType {
    /// 3, also written `03`.
    Card,
    /// 10.
    Phone,
    /// 40.
    Clabe,
    /// An unknown kind.
    Other(u16),
}

impl Party {
    /// Builds a party from its five texts in a proof, in the chain's order: institution, name,
    /// account type, account, RFC or CURP.
    pub(crate) fn from_texts(texts: [&str; 5]) -> Self {
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
    /// The number in a proof.
    pub fn code(self) -> u16 {
        match self {
            Self::Card => 3,
            Self::Phone => 10,
            Self::Clabe => 40,
            Self::Other(code) => code,
        }
    }

    /// Parses a number with or without leading zeros; `None` for anything else.
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
pub(crate) fn given(text: &str) -> Option<&str> {
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
