//! The payer or beneficiary in a proof.

use std::fmt;

/// Payer or beneficiary. A value that a proof marks as missing (`NA`, `ND`, `-1`) is `None`; banks
/// cut names at 40 characters. `Debug` shows the institution only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// Short name of the institution, in the receiving bank's spelling.
    pub institution: Option<String>,
    /// Name of the account's holder.
    pub name: Option<String>,
    /// Type of [`Self::account`].
    pub account_type: Option<AccountType>,
    /// Number of the account: CLABE, card or phone.
    pub account: Option<String>,
    /// Tax id: RFC or CURP.
    pub tax_id: Option<String>,
}

/// `TipoCuenta`: the type of an account number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccountType {
    /// Debit card: `3`, also written `03`.
    Card,
    /// Phone number: `10`.
    Phone,
    /// CLABE: `40`.
    Clabe,
    /// An unknown type.
    Other(u16),
}

impl Party {
    /// Builds a party from its five texts in the order of the chain: institution, name, account type,
    /// account, RFC or CURP.
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
    /// The type's number in a proof.
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

/// A proof's value, trimmed; `None` if the proof marks it as missing.
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
