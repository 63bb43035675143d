//! The part of a proof that nobody asks for by name: who paid whom, when, for what, and how the
//! receiving bank happened to spell it. Invented, and drawn from the tracking key.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use domain::account::Account;
use domain::amount::Amount;
use domain::calendar;
use domain::participant::ParticipantCode;

use crate::dice::Dice;
use crate::order::{Beneficiary, Order, participant_name};

/// Longest name and concept that a proof carries; what is longer is cut.
const LONGEST_TEXT: usize = 40;

/// People and companies who don't exist. Some are longer than a proof allows, some need escaping.
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

/// The tax office's generic RFC and CURP, which belong to nobody.
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

/// One side of a payment as the proof names it.
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
    /// The account type in the original chain, where the unknown has the word that stands for every
    /// other missing value (portal recording of a payment of type 5).
    pub(crate) fn chain_account_type(&self) -> &str {
        match self.account_type {
            "-1" => &self.account,
            known => known,
        }
    }
}

/// How many fields an original chain has before the certificate number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// 18 fields.
    First,
    /// 25 fields.
    Second,
    /// 42 fields.
    Third,
}

/// Which child of the document comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildOrder {
    /// As in all recent proofs.
    BeneficiaryFirst,
    /// As in some.
    PayerFirst,
}

/// Everything that the sandbox invents for an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) payment_type: u8,
    /// When the beneficiary got the money, Mexico City's time; its date is the order's.
    pub(crate) credited_at: NaiveDateTime,
    pub(crate) operation_date: NaiveDate,
    pub(crate) payer: Party,
    pub(crate) beneficiary: Party,
    pub(crate) concept: String,
    /// `None`: the attribute is missing.
    pub(crate) iva: Option<&'static str>,
    /// The amount in the receiving bank's spelling.
    pub(crate) amount: String,
    pub(crate) generation: Generation,
    pub(crate) child_order: ChildOrder,
}

impl Details {
    /// The details of `order`: always the same ones.
    pub(crate) fn of(order: &Order) -> Self {
        let dice = Dice::of(&order.tracking_key);
        let credited_at = order.date.and_time(time_of_day(&dice));
        let payer = payer(order, &dice);
        let beneficiary = beneficiary(order, &dice);
        Self {
            payment_type: payment_type(order, &payer, &beneficiary, &dice),
            credited_at,
            operation_date: calendar::operation_date(credited_at),
            payer,
            beneficiary,
            concept: cut(dice.pick(&CONCEPTS, "concept")),
            iva: dice.pick(&[Some("0.00"), Some("0.00"), Some("0"), None], "iva"),
            amount: spell(order.amount, &dice),
            generation: dice.pick(
                &[
                    Generation::Third,
                    Generation::Third,
                    Generation::Second,
                    Generation::First,
                ],
                "generation",
            ),
            child_order: dice.pick(
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

/// Seven of eight transfers are made before 18:00, when the operation day ends.
fn time_of_day(dice: &Dice<'_>) -> NaiveTime {
    let hour = match dice.below(8, "evening") {
        0 => 18 + dice.below(6, "hour"),
        _ => 6 + dice.below(12, "hour"),
    };
    NaiveTime::from_hms_opt(hour, dice.below(60, "minute"), dice.below(60, "second"))
        .unwrap_or(calendar::OPERATION_DAY_ENDS)
}

fn payer(order: &Order, dice: &Dice<'_>) -> Party {
    let institution = participant_name(order.issuer);
    if order.beneficiary == Beneficiary::Participant {
        return Party {
            institution,
            name: cut(dice.pick(&NAMES, "payer's name")),
            account_type: account_type(&order.account, dice),
            account: order.account.clone(),
            rfc: dice.pick(&RFCS, "payer's rfc").to_owned(),
        };
    }
    match dice.below(8, "payer") {
        0 => unknown(institution, "NA"),
        1 => unknown(institution, "ND"),
        _ => customer(institution, order.issuer, "payer", dice),
    }
}

fn beneficiary(order: &Order, dice: &Dice<'_>) -> Party {
    let institution = participant_name(order.receiver);
    if order.beneficiary == Beneficiary::Participant {
        let name = cut(&institution);
        return Party {
            name,
            ..unknown(institution, "NA")
        };
    }
    if names_another_account(dice) {
        return customer(institution, order.receiver, "beneficiary", dice);
    }
    Party {
        institution,
        name: cut(dice.pick(&NAMES, "beneficiary's name")),
        account_type: account_type(&order.account, dice),
        account: order.account.clone(),
        rfc: dice
            .pick(&[RFCS[0], RFCS[1], RFCS[2], "ND"], "beneficiary's rfc")
            .to_owned(),
    }
}

/// For payments of the types 3, 4 and 31 the proof names another account than the portal matched.
fn names_another_account(dice: &Dice<'_>) -> bool {
    dice.below(16, "another account") == 0
}

/// Nobody is known but the institution.
fn unknown(institution: String, missing: &str) -> Party {
    Party {
        institution,
        name: missing.to_owned(),
        account_type: "-1",
        account: missing.to_owned(),
        rfc: missing.to_owned(),
    }
}

/// An invented customer with an invented account.
fn customer(institution: String, code: ParticipantCode, side: &str, dice: &Dice<'_>) -> Party {
    let tail = dice.digits(4, &format!("{side}'s account"));
    let account = match dice.below(4, &format!("{side}'s kind of account")) {
        0 => with_check_digit(&format!("00000000000{tail}")),
        1 => format!("550000{tail}"),
        _ => with_check_digit(&format!("{:03}0000000000{tail}", code.number() % 1000)),
    };
    Party {
        institution,
        name: cut(dice.pick(&NAMES, &format!("{side}'s name"))),
        account_type: account_type(&account, dice),
        account,
        rfc: dice.pick(&RFCS, &format!("{side}'s rfc")).to_owned(),
    }
}

fn with_check_digit(digits: &str) -> String {
    let check =
        Account::parse(&format!("{digits}0")).map_or(0, |account| account.expected_check_digit());
    format!("{digits}{check}")
}

fn account_type(account: &str, dice: &Dice<'_>) -> &'static str {
    match account.len() {
        18 => "40",
        16 => dice.pick(&["3", "03"], "card"),
        _ => "10",
    }
}

fn payment_type(order: &Order, payer: &Party, beneficiary: &Party, dice: &Dice<'_>) -> u8 {
    if order.beneficiary == Beneficiary::Participant {
        return 4;
    }
    if payer.account_type == "-1" {
        return 5;
    }
    if beneficiary.account != order.account {
        return dice.pick(&[3, 31], "payment type");
    }
    dice.pick(&[1, 1, 1, 12, 30], "payment type")
}

/// The spellings of receiving banks: `3414.95`, `300`, `9858.7`, `000000000000008.17`.
fn spell(amount: Amount, dice: &Dice<'_>) -> String {
    let plain = amount.to_string();
    match dice.below(6, "amount") {
        0 => format!("{plain:0>18}"),
        1 | 2 => plain.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => plain,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}
