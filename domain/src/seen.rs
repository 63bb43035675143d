//! Earlier deliveries of a proof: one proof that is shown for two orders is a common fraud.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::hex;
use crate::key::{Environment, KeyHasher};
use crate::participant::ParticipantCode;
use crate::proof::Proof;

/// First part of the message that is hashed. No API key is spelt like it.
const LABEL: &str = "cep-gateway: a delivered proof";

/// Keyed hash of a payment: recognises it again, and reveals nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProofMark(pub [u8; 32]);

impl ProofMark {
    /// The marks of a payment by each of the server's secrets: the one to record, and after it those of
    /// earlier deliveries while secrets change.
    ///
    /// The payment is identified by what a caller can't vary and get the same proof: environment,
    /// operation date, tracking key, amount and institutions.
    pub fn all(
        hasher: &KeyHasher,
        environment: Environment,
        issuer: ParticipantCode,
        proof: &Proof,
    ) -> Vec<Self> {
        let message = Self::message(environment, issuer, proof);
        hasher.macs(message.as_bytes()).map(Self).collect()
    }

    fn message(environment: Environment, issuer: ParticipantCode, proof: &Proof) -> String {
        format!(
            "{LABEL}\n{}\n{}\n{issuer}\n{}\n{}\n{}",
            environment.name(),
            proof.operation_date,
            proof.receiver,
            proof.centavos,
            proof.tracking_key,
        )
    }

    /// The mark in 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex::encode(&self.0)
    }
}

impl fmt::Debug for ProofMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProofMark")
    }
}

/// Earlier deliveries of a proof to one customer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EarlierDeliveries {
    /// Number of deliveries.
    pub times: u64,
    /// Time of the first; `None` when there was none.
    pub first: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::HashGeneration;

    fn hasher(secrets: &[u8]) -> KeyHasher {
        let secret = |byte: &u8| (HashGeneration(u16::from(*byte)), vec![*byte; 32]);
        KeyHasher::new(secrets.iter().map(secret).collect()).unwrap()
    }

    fn proof(date: &str, key: &str, amount: &str) -> Proof {
        let day: String = date.split('-').rev().collect();
        let xml = format!(
            r#"<SPEI_Tercero FechaOperacion="{date}" Hora="10:53:36" ClaveSPEI="40014" sello="AA=="
            numeroCertificado="00001000000500000001" cadenaCDA="||1|{day}|{day}|105336|40014|STP|NA|40|
            NA|NA|SANTANDER|NA|40|NA|NA|NA|0|{amount}|00001000000500000001||AA==" claveRastreo="{key}">
            <Beneficiario MontoPago="{amount}"/></SPEI_Tercero>"#
        );
        Proof::parse(xml.as_bytes()).unwrap()
    }

    #[test]
    fn a_mark_is_that_of_one_payment_in_one_environment_under_one_secret() {
        let code = |text| ParticipantCode::parse(text).unwrap();
        let of = |secret, environment, issuer, proof| {
            ProofMark::all(&hasher(&[secret]), environment, code(issuer), &proof)
        };
        let payment = || proof("2026-11-20", "PRUEBA1", "1234.56");
        let mark = of(1, Environment::Live, "40012", payment());
        assert_eq!(mark, of(1, Environment::Live, "40012", payment()));
        let others = [
            of(2, Environment::Live, "40012", payment()),
            of(1, Environment::Test, "40012", payment()),
            of(1, Environment::Live, "40072", payment()),
            of(
                1,
                Environment::Live,
                "40012",
                proof("2026-11-19", "PRUEBA1", "1234.56"),
            ),
            of(
                1,
                Environment::Live,
                "40012",
                proof("2026-11-20", "PRUEBA2", "1234.56"),
            ),
            of(
                1,
                Environment::Live,
                "40012",
                proof("2026-11-20", "PRUEBA1", "1234.57"),
            ),
        ];
        assert_eq!(mark.len(), 1);
        assert!(others.iter().all(|other| *other != mark));
    }

    #[test]
    fn a_new_secret_knows_the_marks_of_the_old_one() {
        let code = ParticipantCode::parse("40012").unwrap();
        let payment = proof("2026-11-20", "PRUEBA1", "1234.56");
        let of =
            |secrets: &[u8]| ProofMark::all(&hasher(secrets), Environment::Live, code, &payment);
        let [recorded] = of(&[1])[..] else {
            panic!("one secret has one mark");
        };
        assert_eq!(of(&[2, 1])[1], recorded);
        assert_eq!(of(&[2, 1])[0], of(&[2])[0]);
    }

    #[test]
    fn a_mark_shows_nothing() {
        assert_eq!(format!("{:?}", ProofMark([7; 32])), "ProofMark");
        assert_eq!(ProofMark([7; 32]).hex(), "07".repeat(32));
    }
}
