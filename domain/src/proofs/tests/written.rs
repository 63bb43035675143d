//! Proofs as receiving banks would write them.

use chrono::NaiveDate;
use proptest::prelude::*;

use crate::proofs::{Proof, ProofError};

/// A proof as a receiving bank would write it; every value can be respelled.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) root: &'static str,
    pub(super) operation_date: NaiveDate,
    pub(super) credit_date: NaiveDate,
    pub(super) receiver: &'static str,
    pub(super) chain_receiver: &'static str,
    pub(super) key: String,
    pub(super) amount: String,
    pub(super) chain_amount: String,
    pub(super) concept: String,
    pub(super) vat: Option<&'static str>,
    pub(super) payer: [&'static str; 5],
    pub(super) beneficiary: [&'static str; 5],
    pub(super) further: usize,
    pub(super) payer_first: bool,
    pub(super) line_end: &'static str,
}

const KNOWN_PAYER: [&str; 5] = [
    "BANCO UNO",
    "Ana Prueba",
    "40",
    "012180000118359719",
    "XAXX010101000",
];
pub(super) const UNKNOWN_PAYER: [&str; 5] = ["BANCO UNO", "NA", "-1", "ND", "NA"];
pub(super) const BENEFICIARY: [&str; 5] = [
    "BANCO DOS",
    "Luis Ejemplo & Hijos",
    "03",
    "4111111111111111",
    "ND",
];
pub(super) const SEAL: &str = "c2VsbG8gZGUgcHJ1ZWJh+/==";
pub(super) const CERTIFICATE: &str = "00001000000500000001";

impl Default for Written {
    fn default() -> Self {
        Self {
            root: "SPEI_Tercero",
            operation_date: day(2026, 11, 23),
            credit_date: day(2026, 11, 20),
            receiver: "40014",
            chain_receiver: "40014",
            key: "PRUEBA0001".to_owned(),
            amount: "1234.56".to_owned(),
            chain_amount: "1234.56".to_owned(),
            concept: "Pago de prueba".to_owned(),
            vat: Some("0.00"),
            payer: KNOWN_PAYER,
            beneficiary: BENEFICIARY,
            further: 24,
            payer_first: false,
            line_end: "\r\n",
        }
    }
}

impl Written {
    pub(super) fn signed_text(&self) -> String {
        let mut fields = vec![
            "1".to_owned(),
            self.operation_date.format("%d%m%Y").to_string(),
            self.credit_date.format("%d%m%Y").to_string(),
            "180230".to_owned(),
            self.chain_receiver.to_owned(),
        ];
        fields.extend(self.payer.map(str::to_owned));
        fields.extend(self.beneficiary.map(str::to_owned));
        fields.push(self.concept.clone());
        fields.push(self.vat.unwrap_or("NA").to_owned());
        fields.push(self.chain_amount.clone());
        fields.extend((0..self.further).map(|_| "NA".to_owned()));
        format!("||{}|{CERTIFICATE}||", fields.join("|"))
    }

    pub(super) fn xml(&self) -> String {
        let escape = |text: &str| {
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            text.replace('"', "&quot;")
        };
        let party = |institution: &str, [bank, name, kind, account, tax_id]: [&str; 5]| {
            format!(
                r#"{institution}="{bank}" Nombre="{}" TipoCuenta="{kind}" Cuenta="{account}" RFC="{tax_id}""#,
                escape(name)
            )
        };
        let vat = self.vat.map(|vat| format!(r#" IVA="{vat}""#));
        let vat = vat.unwrap_or_default();
        let beneficiary = format!(
            r#"    <Beneficiario {} Concepto="{}"{vat} MontoPago="{}"/>"#,
            party("BancoReceptor", self.beneficiary),
            escape(&self.concept),
            self.amount
        );
        let payer = format!("    <Ordenante {}/>", party("BancoEmisor", self.payer));
        let children = if self.payer_first {
            [payer, beneficiary]
        } else {
            [beneficiary, payer]
        };
        let root = format!(
            r#"<{} FechaOperacion="{}" Hora="18:02:30" ClaveSPEI="{}" sello="{SEAL}" numeroCertificado="{CERTIFICATE}" cadenaCDA="{}{SEAL}" claveRastreo="{}">"#,
            self.root,
            self.operation_date,
            self.receiver,
            escape(&self.signed_text()),
            escape(&self.key),
        );
        let [first, second] = children;
        let declaration = r#"<?xml version="1.0" encoding="UTF-8"?>"#.to_owned();
        let end = format!("</{}>", self.root);
        [declaration, root, first, second, end].join(self.line_end)
    }

    pub(super) fn parse(&self) -> Result<Proof, ProofError> {
        Proof::parse(self.xml().as_bytes())
    }
}

pub(super) fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

/// An amount in centavos and one of the spellings that banks use for it.
fn spelled_amount() -> impl Strategy<Value = (u64, String)> {
    (1_u64..10_000_000_000, 0_usize..4).prop_map(|(centavos, spelling)| {
        let (pesos, cents) = (centavos / 100, centavos % 100);
        let text = match spelling {
            0 if cents == 0 => format!("{pesos}"),
            1 if cents % 10 == 0 => format!("{pesos}.{}", cents / 10),
            2 => format!("{pesos:015}.{cents:02}"),
            _ => format!("{pesos}.{cents:02}"),
        };
        (centavos, text)
    })
}

prop_compose! {
    /// Any proof, and its amount in centavos.
    pub(super) fn written()(
        (centavos, amount) in spelled_amount(),
        (days, roll) in (0_u64..8_000, 0_u64..7),
        key in "[ -;=?-~]{1,30}",
        concept in "[A-Za-z0-9 ñÁ&<\"']{0,40}",
        vat in prop::sample::select(vec![None, Some("16.5")]),
        payer in prop::sample::select(vec![KNOWN_PAYER, UNKNOWN_PAYER]),
        further in prop::sample::select(vec![0_usize, 7, 24, 31]),
        payer_first: bool,
        line_end in prop::sample::select(vec!["\r\n", "\n"]),
    ) -> (u64, Written) {
        let credit_date = day(2004, 8, 13) + chrono::Days::new(days);
        let written = Written {
            credit_date,
            operation_date: credit_date + chrono::Days::new(roll),
            chain_amount: amount.clone(),
            key, amount, concept, vat, payer, further, payer_first, line_end,
            ..Written::default()
        };
        (centavos, written)
    }
}
