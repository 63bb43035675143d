//! Receipts of invented banks in ten layouts, as texts and web pages, with the fields that they tell.

use domain::account::Account;
use domain::receipts::{ReadConfidence, Receipt, ReceiptField};

mod layouts;

pub use layouts::Layout;

/// Issuing bank: name, code, and its key for the payment with a number.
type Issuer = (&'static str, &'static str, fn(u64) -> String);

/// Issuing banks.
const ISSUERS: [Issuer; 7] = [
    ("BBVA", "40012", |n| {
        format!("MBAN0100{}{n:010}", short_date(n))
    }),
    ("Banorte", "40072", |n| {
        format!("8846APR1{}{n:010}", long_date(n))
    }),
    ("Banco Azteca", "40127", |n| {
        format!("{}{n:012}I", short_date(n))
    }),
    ("HSBC", "40021", |n| format!("HSBC{:06}", n % 1_000_000)),
    ("Nu México", "40638", |n| format!("NU{:026}", n * 7919)),
    ("Santander", "40014", |n| {
        format!("{}40014BXE{n:013}", long_date(n))
    }),
    ("STP", "90646", |n| format!("{}90646{n:015}", long_date(n))),
];
/// Receiving banks: name, code and CLABE prefix.
const RECEIVERS: [(&str, &str, &str); 6] = [
    ("BANAMEX", "40002", "002"),
    ("Inbursa", "40036", "036"),
    ("Scotiabank", "40044", "044"),
    ("BanBajío", "40030", "030"),
    ("Afirme", "40062", "062"),
    ("Mercado Pago", "90722", "722"),
];
/// Short names of months.
const MONTHS: [&str; 2] = ["oct", "nov"];
/// Names of months.
const LONG_MONTHS: [&str; 2] = ["octubre", "noviembre"];

/// Month, from 10 on, and day of a receipt.
fn month_and_day(n: u64) -> (u64, u64) {
    (10 + n % 2, 1 + n * 5 % 24)
}

fn short_date(n: u64) -> String {
    let (month, day) = month_and_day(n);
    format!("26{month:02}{day:02}")
}

fn long_date(n: u64) -> String {
    format!("20{}", short_date(n))
}

/// A payment with what its receipt shows.
#[derive(Clone, Debug)]
pub struct ShownPayment {
    number: u64,
    /// Tracking key.
    pub key: String,
    /// CLABE of the beneficiary.
    pub clabe: String,
    issuer: (&'static str, &'static str),
    receiver: (&'static str, &'static str),
    centavos: u64,
}

/// A receipt that was drawn.
#[derive(Clone, Debug)]
pub struct DrawnReceipt {
    /// Its layout.
    pub layout: Layout,
    /// The text, as somebody pastes it.
    pub text: String,
    /// The page.
    pub html: String,
    /// The fields that it tells.
    pub expected: Vec<(ReceiptField, String)>,
}

impl ShownPayment {
    /// The payment with this number, from 1 on.
    pub fn new(number: u64) -> Self {
        let at =
            |length: usize, step: u64| usize::try_from(number * step).unwrap_or_default() % length;
        let (issuer, issuer_code, key) = ISSUERS[at(ISSUERS.len(), 1)];
        let (receiver, receiver_code, prefix) = RECEIVERS[at(RECEIVERS.len(), 5)];
        let digits = format!("{prefix}180{:011}", number * 9_176_543 % 100_000_000_000);
        let check = Account::parse(&format!("{digits}0"))
            .ok()
            .and_then(|account| account.expected_check_digit())
            .unwrap_or_default();
        Self {
            number,
            key: key(number),
            clabe: format!("{digits}{check}"),
            issuer: (issuer, issuer_code),
            receiver: (receiver, receiver_code),
            centavos: 1_000 + number * 7_654_321 % 9_000_000,
        }
    }

    /// The receipt of the payment in a layout.
    pub fn drawn(&self, layout: Layout) -> DrawnReceipt {
        let account = match layout {
            Layout::MaskedAccount => format!("****{}", self.ending()),
            _ => self.clabe.clone(),
        };
        let (month, day) = month_and_day(self.number);
        DrawnReceipt {
            layout,
            text: layout.text(self),
            html: layout.html(self),
            expected: vec![
                (ReceiptField::Date, format!("2026-{month:02}-{day:02}")),
                (ReceiptField::TrackingKey, self.key.clone()),
                (ReceiptField::Account, account),
                (ReceiptField::Amount, self.plain_amount()),
                (ReceiptField::Issuer, self.issuer.1.to_owned()),
                (ReceiptField::Receiver, self.receiver.1.to_owned()),
            ],
        }
    }

    fn ending(&self) -> &str {
        &self.clabe[14..]
    }

    fn plain_amount(&self) -> String {
        format!("{}.{:02}", self.centavos / 100, self.centavos % 100)
    }

    /// Pesos with commas, and cents.
    fn pesos(&self) -> (String, String) {
        let pesos = self.centavos / 100;
        let pesos = match pesos {
            0..=999 => pesos.to_string(),
            _ => format!("{},{:03}", pesos / 1000, pesos % 1000),
        };
        (pesos, format!("{:02}", self.centavos % 100))
    }

    fn amount(&self) -> String {
        let (pesos, cents) = self.pesos();
        format!("${pesos}.{cents}")
    }

    fn time(&self) -> String {
        format!("{:02}:{:02}:36", 8 + self.number % 12, self.number * 7 % 60)
    }

    fn slashed_date(&self) -> String {
        let (month, day) = month_and_day(self.number);
        format!("{day:02}/{month:02}/2026")
    }

    fn short_date(&self) -> String {
        let (month, day) = month_and_day(self.number);
        let month = usize::try_from(month - 10).unwrap_or_default();
        format!("{day:02}/{}/2026", MONTHS[month])
    }

    fn worded_date(&self) -> String {
        let (month, day) = month_and_day(self.number);
        let month = usize::try_from(month - 10).unwrap_or_default();
        format!("{day} de {} de 2026", LONG_MONTHS[month])
    }
}

/// Fields of a receipt that were read, compared with those that it tells.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Fields that are missing or wrong, with the value that was read.
    pub wrong: Vec<(ReceiptField, Option<String>)>,
    /// Those of them that were read with high confidence.
    pub wrong_with_high_confidence: Vec<(ReceiptField, String)>,
}

impl DrawnReceipt {
    /// Compares what was read.
    pub fn judge(&self, read: &Receipt) -> Judgement {
        let mut judgement = Judgement::default();
        for (field, expected) in &self.expected {
            let found = read.field(*field);
            if found.is_some_and(|found| found.value == *expected) {
                continue;
            }
            judgement
                .wrong
                .push((*field, found.map(|found| found.value.clone())));
            if let Some(found) = found.filter(|it| it.confidence == ReadConfidence::High) {
                let wrong = (*field, found.value.clone());
                judgement.wrong_with_high_confidence.push(wrong);
            }
        }
        judgement
    }
}
