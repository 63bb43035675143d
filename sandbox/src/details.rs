//! The data of a proof that isn't in the query: parties, time, concept, and the receiving bank's
//! spelling. It is invented, and derived from the tracking key.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};
use domain::account::Account;
use domain::amount::Amount;
use domain::calendar;
use domain::participants::ParticipantCode;

use crate::order::{Beneficiary, Order, participant_name};
use crate::seeded_rng::SeededRng;

/// Maximum length of names and concepts in a proof; longer ones are cut.
const MAX_TEXT_CHARS: usize = 40;

/// Fictitious people and companies. Some are longer than a proof allows, some need escaping.
const NAMES: [&str; 8] = [
    "Persona Ficticia de Prueba",
    "EJEMPLO INVENTADO SIN CUENTA",
    "Ángela Muñoz Inexistente",
    "O'Ejemplo Prueba Simulada",
    "SANDBOX & HERMANOS FICTICIOS SA DE CV",
    "COMERCIALIZADORA IMAGINARIA DE ENSAYOS Y SIMULACROS DEL NORTE SA DE CV",
    "Fundación Inventada para Demostraciones de Programas de Cómputo AC",
    "NADIE DE NINGUNA PARTE PRUEBA",
];

/// The tax office's generic RFC and CURP, assigned to no person.
const RFCS: [&str; 4] = [
    "XAXX010101000",
    "XEXX010101000",
    "XEXX010101HNEXXXA4",
    "XEXX010101MNEXXXA8",
];

const CONCEPTS: [&str; 7] = [
    "PAGO DE PRUEBA",
    "Transferencia de ejemplo",
    "FACTURA FICTICIA A-0001 & ANTICIPO",
    "Renta \"piso cero\" <noviembre>",
    "Devolución de préstamo inventado a un amigo que no existe",
    "SANDBOX SIN VALIDEZ",
    "Año nuevo, señal del niño ficticio",
];

/// The payer or beneficiary of a payment, as written in the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Party {
    /// The institution's short name.
    pub(crate) institution: String,
    pub(crate) name: String,
    /// `40` CLABE, `3` or `03` card, `10` phone, `-1` unknown.
    pub(crate) account_type: &'static str,
    pub(crate) account: String,
    pub(crate) rfc: String,
}

impl Party {
    /// The account type in the original chain. An unknown one is written there like other missing
    /// values (seen in a recorded payment of type 5).
    pub(crate) fn chain_account_type(&self) -> &str {
        match self.account_type {
            "-1" => &self.account,
            known => known,
        }
    }
}

/// Format of an original chain, by its number of fields before the certificate number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// 18 fields.
    First,
    /// 25 fields.
    Second,
    /// 42 fields.
    Third,
}

/// Order of the document's child elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildOrder {
    /// The order of all recent proofs.
    BeneficiaryFirst,
    /// The order of some older proofs.
    PayerFirst,
}

/// Invented data of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) payment_type: u8,
    /// Time of credit in Mexico City, on the order's date or the next day.
    pub(crate) credited_at: NaiveDateTime,
    pub(crate) operation_date: NaiveDate,
    pub(crate) payer: Party,
    pub(crate) beneficiary: Party,
    pub(crate) concept: String,
    /// `None`: the attribute is missing.
    pub(crate) iva: Option<&'static str>,
    /// The amount, as spelled by the receiving bank.
    pub(crate) amount: String,
    pub(crate) generation: Generation,
    pub(crate) child_order: ChildOrder,
}

impl Details {
    /// The details of `order`; the same for each call.
    pub(crate) fn of(order: &Order) -> Self {
        let rng = SeededRng::from_key(&order.tracking_key);
        let credited_at = credited_at(order, &rng);
        let payer = payer(order, &rng);
        let beneficiary = beneficiary(order, &rng);
        Self {
            payment_type: payment_type(order, &payer, &beneficiary, &rng),
            credited_at,
            operation_date: calendar::operation_date(credited_at),
            payer,
            beneficiary,
            concept: cut(rng.choose(&CONCEPTS, "concept")),
            iva: rng.choose(&[Some("0.00"), Some("0.00"), Some("0"), None], "iva"),
            amount: spell(order.amount, &rng),
            generation: rng.choose(
                &[
                    Generation::Third,
                    Generation::Third,
                    Generation::Second,
                    Generation::First,
                ],
                "generation",
            ),
            child_order: rng.choose(
                &[
                    ChildOrder::BeneficiaryFirst,
                    ChildOrder::BeneficiaryFirst,
                    ChildOrder::PayerFirst,
                ],
                "child order",
            ),
        }
    }
}

/// Special amount: the payment is sent late in the day and credited after midnight.
pub(crate) const CREDITED_THE_NEXT_DAY: &str = "200.01";

fn credited_at(order: &Order, rng: &SeededRng<'_>) -> NaiveDateTime {
    let time = time_of_day(rng);
    match order.date.succ_opt() {
        Some(next_day) if order.amount.to_string() == CREDITED_THE_NEXT_DAY => {
            let after_midnight = time.with_hour(0).unwrap_or(NaiveTime::MIN);
            next_day.and_time(after_midnight)
        }
        _ => order.date.and_time(time),
    }
}

/// Seven of eight transfers are made before 18:00, the end of the operation day.
fn time_of_day(rng: &SeededRng<'_>) -> NaiveTime {
    let hour = match rng.below(8, "evening") {
        0 => 18 + rng.below(6, "hour"),
        _ => 6 + rng.below(12, "hour"),
    };
    NaiveTime::from_hms_opt(hour, rng.below(60, "minute"), rng.below(60, "second"))
        .unwrap_or(calendar::OPERATION_DAY_ENDS)
}

fn payer(order: &Order, rng: &SeededRng<'_>) -> Party {
    let institution = participant_name(order.issuer);
    if order.beneficiary == Beneficiary::Participant {
        return Party {
            institution,
            name: cut(rng.choose(&NAMES, "payer's name")),
            account_type: account_type(&order.account, rng),
            account: order.account.clone(),
            rfc: rng.choose(&RFCS, "payer's rfc").to_owned(),
        };
    }
    match rng.below(8, "payer") {
        0 => unknown(institution, "NA"),
        1 => unknown(institution, "ND"),
        _ => customer(institution, order.issuer, "payer", rng),
    }
}

fn beneficiary(order: &Order, rng: &SeededRng<'_>) -> Party {
    let institution = participant_name(order.receiver);
    if order.beneficiary == Beneficiary::Participant {
        let name = cut(&institution);
        return Party {
            name,
            ..unknown(institution, "NA")
        };
    }
    if names_another_account(rng) {
        return customer(institution, order.receiver, "beneficiary", rng);
    }
    Party {
        institution,
        name: cut(rng.choose(&NAMES, "beneficiary's name")),
        account_type: account_type(&order.account, rng),
        account: order.account.clone(),
        rfc: rng
            .choose(&[RFCS[0], RFCS[1], RFCS[2], "ND"], "beneficiary's rfc")
            .to_owned(),
    }
}

/// In proofs of payment types 3, 4 and 31, the account differs from the one that the portal matched.
fn names_another_account(rng: &SeededRng<'_>) -> bool {
    rng.below(16, "another account") == 0
}

/// Returns a party of which only the institution is known.
fn unknown(institution: String, missing: &str) -> Party {
    Party {
        institution,
        name: missing.to_owned(),
        account_type: "-1",
        account: missing.to_owned(),
        rfc: missing.to_owned(),
    }
}

/// Returns a fictitious customer with a fictitious account.
fn customer(institution: String, code: ParticipantCode, side: &str, rng: &SeededRng<'_>) -> Party {
    let tail = rng.digits(4, &format!("{side}'s account"));
    let account = match rng.below(4, &format!("{side}'s kind of account")) {
        0 => with_check_digit(&format!("00000000000{tail}")),
        1 => format!("550000{tail}"),
        _ => with_check_digit(&format!("{:03}0000000000{tail}", code.number() % 1000)),
    };
    Party {
        institution,
        name: cut(rng.choose(&NAMES, &format!("{side}'s name"))),
        account_type: account_type(&account, rng),
        account,
        rfc: rng.choose(&RFCS, &format!("{side}'s rfc")).to_owned(),
    }
}

fn with_check_digit(digits: &str) -> String {
    let unchecked = Account::parse(&format!("{digits}0")).ok();
    let check = unchecked.and_then(|account| account.expected_check_digit());
    format!("{digits}{}", check.unwrap_or(0))
}

fn account_type(account: &str, rng: &SeededRng<'_>) -> &'static str {
    match account.len() {
        18 => "40",
        16 => rng.choose(&["3", "03"], "card"),
        _ => "10",
    }
}

fn payment_type(order: &Order, payer: &Party, beneficiary: &Party, rng: &SeededRng<'_>) -> u8 {
    if order.beneficiary == Beneficiary::Participant {
        return 4;
    }
    if payer.account_type == "-1" {
        return 5;
    }
    if beneficiary.account != order.account {
        return rng.choose(&[3, 31], "payment type");
    }
    rng.choose(&[1, 1, 1, 12, 30], "payment type")
}

/// Formats an amount in one of the recorded spellings: `3414.95`, `300`, `9858.7`, `000000000000008.17`.
fn spell(amount: Amount, rng: &SeededRng<'_>) -> String {
    let plain = amount.to_string();
    match rng.below(6, "amount") {
        0 => format!("{plain:0>18}"),
        1 | 2 => plain.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => plain,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}
