//! Notices shown with the verdict on a proof: limits of a valid seal that people may not expect.

use super::ProofField;
use crate::seals::{CheckedSeal, Verdict};
use crate::variants::named_enum;

named_enum! {
    /// Kind of a notice. The serialized names are those of the APIs.
    pub enum NoticeCode {
        /// The bank has a proof of this payment with the same unsealed fields.
        #[strum(serialize = "campos_sin_sellar_comparados_con_el_banco")]
        UnsealedCompared,
        /// The unsealed fields were not compared with the bank's record.
        #[strum(serialize = "campos_sin_sellar_no_comparados")]
        UnsealedNotCompared,
        /// The bank has no payment with these unsealed fields, or a different one.
        #[strum(serialize = "campos_sin_sellar_no_coinciden_con_el_banco")]
        UnsealedDiffer,
        /// The proof was imported from a file instead of fetched from the bank.
        #[strum(serialize = "comprobante_traido_en_un_archivo")]
        Imported,
        /// The seal was made with the sandbox bank's key, which is public, so anybody can make it.
        #[strum(serialize = "sello_del_banco_de_pruebas")]
        SandboxSeal,
    }
}

/// A notice and the fields that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Name of the notice.
    pub code: NoticeCode,
    /// The fields; may be empty.
    pub fields: &'static [ProofField],
}

impl Notice {
    /// A notice about the fields that no seal covers.
    pub const fn of_unsealed(code: NoticeCode) -> Self {
        Self {
            code,
            fields: &ProofField::UNSEALED,
        }
    }

    /// The seal was made with the sandbox's public key.
    pub const SANDBOX: Self = Self {
        code: NoticeCode::SandboxSeal,
        fields: &[],
    };

    /// The proof was imported from a file.
    pub const IMPORTED: Self = Self {
        code: NoticeCode::Imported,
        fields: &[],
    };

    /// Notices about a delivered proof. A fetched proof is the bank's answer to a query with its
    /// tracking key; an imported one is a file like any other. Beside an invalid seal nothing is said to agree with
    /// the bank.
    pub fn of_delivery(origin: ProofOrigin, seal: &CheckedSeal) -> Vec<Self> {
        let (imported, unsealed) = match origin {
            ProofOrigin::Fetched => (None, NoticeCode::UnsealedCompared),
            ProofOrigin::Imported => (Some(Self::IMPORTED), NoticeCode::UnsealedNotCompared),
        };
        let sandbox = seal.by_sandbox.then_some(Self::SANDBOX);
        let is_said = unsealed != NoticeCode::UnsealedCompared || seal.verdict != Verdict::Invalid;
        let unsealed = is_said.then(|| Self::of_unsealed(unsealed));
        sandbox
            .into_iter()
            .chain(imported)
            .chain(unsealed)
            .collect()
    }
}

/// Origin of a delivered proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofOrigin {
    /// The gateway fetched it from the bank.
    Fetched,
    /// It was imported from a file.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seals::NotChecked;

    #[test]
    fn beside_an_invalid_seal_nothing_is_said_to_agree_with_the_bank() {
        let of = |origin, verdict| {
            let seal = CheckedSeal {
                verdict,
                signer: None,
                digest: None,
                by_sandbox: false,
            };
            let notices = Notice::of_delivery(origin, &seal).into_iter();
            notices.map(|notice| notice.code).collect::<Vec<_>>()
        };
        let (fetched, imported) = (ProofOrigin::Fetched, ProofOrigin::Imported);
        assert_eq!(of(fetched, Verdict::Invalid), []);
        let not_checked = Verdict::NotChecked(NotChecked::UnknownCertificate);
        assert_eq!(of(fetched, not_checked), [NoticeCode::UnsealedCompared]);
        let expected = [NoticeCode::Imported, NoticeCode::UnsealedNotCompared];
        assert_eq!(of(imported, Verdict::Invalid), expected);
    }
}
