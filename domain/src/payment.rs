//! The bank's record of a payment that has no proof (yet).

use chrono::NaiveDateTime;

use crate::outcome::Outcome;
use crate::variants::named_enum;

named_enum! {
    /// State of a payment at the central bank. `Settled` doesn't mean that a proof exists: the
    /// receiving bank must confirm the credit first, usually within 30 minutes.
    pub enum PaymentState {
        /// `En proceso`: not settled yet.
        InProcess,
        /// `Liquidado`: settled by SPEI.
        Settled,
        /// `Cancelado`: canceled before settlement.
        Canceled,
        /// `Rechazado`: refused.
        Rejected,
        /// `En proceso de devolución`: being returned to the payer.
        ReturnInProcess,
        /// `Devuelto`: returned to the payer.
        Returned,
        /// `No liquidado`: could not be settled.
        NotSettled,
        /// `No encontrado`: no record of the payment.
        NotFound,
        /// `Retornado`: sent back; treated like a returned payment.
        SentBack,
    }
}

impl PaymentState {
    /// The outcome of a lookup of a payment that is in this state and has no proof.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Settled => Outcome::NotIssued,
            Self::InProcess | Self::ReturnInProcess => Outcome::PaymentInProcess,
            Self::Returned | Self::SentBack => Outcome::PaymentReturned,
            Self::Rejected | Self::NotSettled => Outcome::PaymentRejected,
            Self::Canceled => Outcome::PaymentCanceled,
            Self::NotFound => Outcome::NotFound,
        }
    }

    /// Returns `true` if the bank will never issue a proof of a payment in this state.
    pub fn is_final(self) -> bool {
        self.outcome().rules_out_proof()
    }

    /// Returns `true` if the beneficiary didn't get the money or is about to lose it, even if a proof
    /// was issued before.
    pub fn denies_receipt(self) -> bool {
        self.is_final() || self == Self::ReturnInProcess
    }

    /// The portal's label.
    pub fn label(self) -> &'static str {
        match self {
            Self::InProcess => "En proceso",
            Self::Settled => "Liquidado",
            Self::Canceled => "Cancelado",
            Self::Rejected => "Rechazado",
            Self::ReturnInProcess => "En proceso de devolución",
            Self::Returned => "Devuelto",
            Self::NotSettled => "No liquidado",
            Self::NotFound => "No encontrado",
            Self::SentBack => "Retornado",
        }
    }

    /// Parses the portal's label; case and surrounding blanks are ignored.
    pub fn from_label(label: &str) -> Option<Self> {
        let label = label.trim().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|state| state.label().to_lowercase() == label)
    }
}

/// A payment that the bank knows but has no proof of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// State at the central bank.
    pub state: PaymentState,
    /// When SPEI received it, in Mexico City's local time; `None` if not reported.
    pub received_at: Option<NaiveDateTime>,
    /// When SPEI processed it, in Mexico City's local time; `None` if not reported.
    pub processed_at: Option<NaiveDateTime>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_found_by_the_portals_word_and_has_its_reason() {
        for (label, reason, is_final, denies_receipt) in [
            ("En proceso", "payment_in_process", false, false),
            ("Liquidado", "proof_not_issued", false, false),
            ("Cancelado", "payment_canceled", true, true),
            ("Rechazado", "payment_rejected", true, true),
            (
                "En proceso de devolución",
                "payment_in_process",
                false,
                true,
            ),
            ("Devuelto", "payment_returned", true, true),
            ("No liquidado", "payment_rejected", true, true),
            ("No encontrado", "not_in_spei", false, false),
            ("Retornado", "payment_returned", true, true),
        ] {
            let spelt = format!(" {} ", label.to_uppercase());
            let state = PaymentState::from_label(&spelt).unwrap();
            assert_eq!(state.label(), label);
            assert_eq!(state.outcome().reason_name(), reason, "{label}");
            let facts = (state.is_final(), state.denies_receipt());
            assert_eq!(facts, (is_final, denies_receipt), "{label}");
        }
        assert_eq!(PaymentState::from_label("Perdido"), None);
    }
}
