//! The bank's record of a payment that has no proof (yet).

use strum::VariantArray;

use crate::variants::all;
use chrono::NaiveDateTime;

/// The state of a payment at the central bank. `Settled` doesn't mean that a proof exists: the
/// receiving bank still has to confirm, usually within 30 minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::VariantArray)]
pub enum PaymentState {
    /// `En proceso`.
    InProcess,
    /// `Liquidado`.
    Settled,
    /// `Cancelado`.
    Cancelled,
    /// `Rechazado`.
    Rejected,
    /// `En proceso de devolución`.
    ReturnInProcess,
    /// `Devuelto`.
    Returned,
    /// `No liquidado`.
    NotSettled,
    /// `No encontrado`.
    NotFound,
    /// `Retornado`.
    SentBack,
}

impl PaymentState {
    /// All states, in the portal's order.
    pub const ALL: [Self; Self::VARIANTS.len()] = all(Self::VARIANTS);

    /// The portal's own label.
    pub fn label(self) -> &'static str {
        match self {
            Self::InProcess => "En proceso",
            Self::Settled => "Liquidado",
            Self::Cancelled => "Cancelado",
            Self::Rejected => "Rechazado",
            Self::ReturnInProcess => "En proceso de devolución",
            Self::Returned => "Devuelto",
            Self::NotSettled => "No liquidado",
            Self::NotFound => "No encontrado",
            Self::SentBack => "Retornado",
        }
    }

    /// Parses the portal's own label; case and surrounding blanks don't matter.
    pub fn from_label(label: &str) -> Option<Self> {
        let label = label.trim().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|state| state.label().to_lowercase() == label)
    }
}

/// A payment known to the bank that has no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Its state.
    pub state: PaymentState,
    /// Time of receipt by SPEI, in Mexico City's local time.
    pub received_at: Option<NaiveDateTime>,
    /// Time of processing by SPEI, in Mexico City's local time.
    pub processed_at: Option<NaiveDateTime>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_found_by_the_portals_word() {
        for state in PaymentState::ALL {
            assert_eq!(
                PaymentState::from_label(&format!(" {} ", state.label().to_uppercase())),
                Some(state)
            );
        }
        assert_eq!(PaymentState::from_label("Perdido"), None);
    }
}
