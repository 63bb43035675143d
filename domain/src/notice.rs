//! Notices beside the verdict on a proof: facts that a good seal doesn't tell, and that people take it to tell.

use crate::seal::{CheckedSeal, UNSEALED_FIELDS};
use crate::variants::named_enum;

named_enum! {
    /// A notice, by its name in the APIs.
    pub enum NoticeCode {
        /// The bank has a proof of this payment with the same unsealed fields.
        #[strum(serialize = "campos_sin_sellar_comparados_con_el_banco")]
        UnsealedCompared,
        /// Nobody compared the unsealed fields with anything.
        #[strum(serialize = "campos_sin_sellar_no_comparados")]
        UnsealedNotCompared,
        /// The bank has no such payment, or another one, with these unsealed fields.
        #[strum(serialize = "campos_sin_sellar_no_coinciden_con_el_banco")]
        UnsealedDiffer,
        /// The proof was brought in a file: the gateway didn't fetch it.
        #[strum(serialize = "comprobante_traido_en_un_archivo")]
        Imported,
        /// The seal is the sandbox bank's, whose key is published: anybody can make it.
        #[strum(serialize = "sello_del_banco_de_pruebas")]
        SandboxSeal,
    }
}

/// A notice about fields of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The notice.
    pub code: NoticeCode,
    /// Names of the fields, as in the JSON of a proof.
    pub fields: &'static [&'static str],
}

impl Notice {
    /// The notice about the fields that no seal covers.
    pub const fn of_unsealed(code: NoticeCode) -> Self {
        Self {
            code,
            fields: &UNSEALED_FIELDS,
        }
    }

    /// The notice about a seal that anybody can make.
    pub const SANDBOX: Self = Self {
        code: NoticeCode::SandboxSeal,
        fields: &[],
    };

    /// The notice about a proof that the gateway didn't fetch.
    pub const IMPORTED: Self = Self {
        code: NoticeCode::Imported,
        fields: &[],
    };

    /// Notices about a proof that a gateway delivers: one that it fetched is the bank's answer to a question
    /// with this tracking key, and one that somebody imported is a file like any other.
    pub fn of_delivery(origin: ProofOrigin, seal: &CheckedSeal) -> Vec<Self> {
        let (imported, unsealed) = match origin {
            ProofOrigin::Fetched => (None, NoticeCode::UnsealedCompared),
            ProofOrigin::Imported => (Some(Self::IMPORTED), NoticeCode::UnsealedNotCompared),
        };
        let sandbox = seal.by_sandbox.then_some(Self::SANDBOX);
        let unsealed = Self::of_unsealed(unsealed);
        sandbox
            .into_iter()
            .chain(imported)
            .chain([unsealed])
            .collect()
    }
}

/// Origin of a proof that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofOrigin {
    /// The gateway fetched it from the bank.
    Fetched,
    /// Somebody imported it: it was brought in a file.
    Imported,
}

impl ProofOrigin {
    /// Name in the APIs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::Imported => "imported",
        }
    }
}
