//! Institutions that seal proofs, and a service that checks them.

use std::sync::{Arc, LazyLock};

use application::{BuiltinSealKey, SealAdministration, SealService};
use aws_lc_rs::encoding::{AsDer as _, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA512};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::keys::Environment;
use domain::participants::ParticipantCode;
use domain::proofs::Proof;
use domain::seals::{
    CertificateNumber, SEAL_BYTES, SealKey, SealKeyOrigin, Signer, UncheckedSeal, Verdict,
};
use ports::outbound::{Clock as _, SealChecks as _, SealSample, SealStore as _};
use seal_rsa::{PublicKeyFile, RsaSealVerifier};
use testkit::fakes::{ManualClock, MemoryStore};

pub(crate) const LIVE: Environment = Environment::Live;
pub(crate) const TEST: Environment = Environment::Test;

static SANDBOX: LazyLock<KeyPair> = LazyLock::new(|| {
    KeyPair::from_pkcs8(include_bytes!("../../../../sandbox/keys/seal.pk8")).unwrap()
});
static FIRST: LazyLock<KeyPair> = LazyLock::new(generate);
static SECOND: LazyLock<KeyPair> = LazyLock::new(generate);

fn generate() -> KeyPair {
    KeyPair::generate(KeySize::Rsa2048).unwrap()
}

/// An institution's certificate and its private key.
#[derive(Clone)]
pub(crate) struct Institution {
    pub(crate) signer: Signer,
    pair: &'static KeyPair,
}

pub(crate) fn signer(participant: &str, certificate: &str) -> Signer {
    Signer {
        participant: ParticipantCode::parse(participant).unwrap(),
        certificate: CertificateNumber::parse(certificate).unwrap(),
    }
}

impl Institution {
    pub(crate) fn first() -> Self {
        Self {
            signer: signer("40012", "00000999900000000011"),
            pair: &FIRST,
        }
    }

    pub(crate) fn second() -> Self {
        Self {
            signer: signer("40002", "00000999900000000012"),
            pair: &SECOND,
        }
    }

    pub(crate) fn sandbox() -> Self {
        Self {
            signer: signer("40012", sandbox::seal::CERTIFICATE_NUMBER),
            pair: &SANDBOX,
        }
    }

    /// The same certificate with another key.
    pub(crate) fn with_key_of(&self, other: &Self) -> Self {
        Self {
            signer: self.signer.clone(),
            pair: other.pair,
        }
    }

    pub(crate) fn key(&self) -> SealKey {
        let der: PublicKeyX509Der<'_> = self.pair.public_key().as_der().unwrap();
        PublicKeyFile::parse(der.as_ref()).unwrap().key
    }

    /// Its `number`th proof.
    pub(crate) fn proof(&self, number: u32) -> Proof {
        let text = self.text(number);
        self.with_seals(&text, &self.sign(&text), &self.sign(&text))
    }

    /// A proof with the seal of another one.
    pub(crate) fn proof_with_wrong_seal(&self) -> Proof {
        let seal = self.sign(&self.text(2));
        self.with_seals(&self.text(1), &seal, &seal)
    }

    /// Its first proof, with another amount and another certificate's number in the original chain.
    pub(crate) fn proof_with(&self, amount: &str, certificate: &CertificateNumber) -> Proof {
        let seal = self.sign(&self.text(1));
        let mut named = self.clone();
        named.signer.certificate = certificate.clone();
        let xml = named.xml(&named.text(1), &seal, &seal);
        Proof::parse(xml.replace("1234.56", amount).as_bytes()).unwrap()
    }

    /// A proof whose chain ends with another seal than `sello`.
    pub(crate) fn proof_with_two_seals(&self) -> Proof {
        let text = self.text(1);
        self.with_seals(&text, &self.sign(&text), &self.sign(&self.text(2)))
    }

    /// A proof whose seal isn't base64.
    pub(crate) fn proof_with_unreadable_seal(&self) -> Proof {
        self.with_seals(&self.text(1), "sello", "sello")
    }

    fn text(&self, number: u32) -> String {
        let Signer {
            participant,
            certificate,
        } = &self.signer;
        format!(
            "||1|20112026|20112026|105336|{participant}|BANCO A|PAGADOR|40|NA|NA|BANCO B|\
             BENEFICIARIO|40|002010077777777771|NA|PRUEBA {number}|0.00|1234.56|{certificate}||"
        )
    }

    fn sign(&self, text: &str) -> String {
        let mut signature = [0; SEAL_BYTES];
        let random = SystemRandom::new();
        let signed = self
            .pair
            .sign(&RSA_PKCS1_SHA512, &random, text.as_bytes(), &mut signature);
        signed.unwrap();
        STANDARD.encode(signature)
    }

    fn with_seals(&self, text: &str, seal: &str, repeated: &str) -> Proof {
        Proof::parse(self.xml(text, seal, repeated).as_bytes()).unwrap()
    }

    fn xml(&self, text: &str, seal: &str, repeated: &str) -> String {
        let Signer {
            participant,
            certificate,
        } = &self.signer;
        format!(
            r#"<SPEI_Tercero FechaOperacion="2026-11-20" Hora="10:53:36" ClaveSPEI="{participant}" sello="{seal}" numeroCertificado="{certificate}" cadenaCDA="{text}{repeated}" claveRastreo="X1"><Beneficiario BancoReceptor="BANCO B" Nombre="BENEFICIARIO" TipoCuenta="40" Cuenta="002010077777777771" RFC="NA" Concepto="PRUEBA" IVA="0.00" MontoPago="1234.56"/><Ordenante BancoEmisor="BANCO A" Nombre="PAGADOR" TipoCuenta="40" Cuenta="NA" RFC="NA"/></SPEI_Tercero>"#
        )
    }
}

pub(crate) struct Fixture {
    pub(crate) store: MemoryStore,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) service: SealService,
    pub(crate) administration: SealAdministration,
}

/// A fixture, and two institutions whose keys it doesn't know.
pub(crate) fn start() -> (Fixture, Institution, Institution) {
    (Fixture::new(), Institution::first(), Institution::second())
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let now = "2026-11-20T18:00:00Z".parse().unwrap();
        let (store, clock) = (MemoryStore::default(), Arc::new(ManualClock::at(now)));
        let builtin = vec![BuiltinSealKey {
            certificate: Some(Institution::sandbox().signer.certificate),
            key: Institution::sandbox().key(),
        }];
        let verifier = Arc::new(RsaSealVerifier);
        Self {
            service: SealService::new(
                Arc::new(store.clone()),
                verifier.clone(),
                clock.clone(),
                builtin.clone(),
            ),
            administration: SealAdministration::new(
                Arc::new(store.clone()),
                verifier,
                clock.clone(),
                builtin,
            ),
            store,
            clock,
        }
    }

    /// Stores a key, as another process does, and reads the stored ones.
    pub(crate) async fn add_key(&self, institution: &Institution) {
        let (signer, key) = (&institution.signer, institution.key());
        let origin = SealKeyOrigin::Imported;
        let (store, now) = (&self.store, self.clock.now());
        let added = store.add_seal_key(signer, &key, origin, now).await;
        assert!(added.unwrap());
        self.service.refresh().await.unwrap();
    }

    pub(crate) async fn add_samples(&self, institution: &Institution, numbers: &[u32]) {
        for number in numbers {
            let seal = UncheckedSeal::of(&institution.proof(*number)).unwrap();
            let sample = SealSample {
                signer: seal.signer().clone(),
                digest: seal.digest(),
                seal: seal.bytes().try_into().unwrap(),
            };
            let added = self.store.add_seal_sample(&sample, self.clock.now());
            assert!(added.await.unwrap());
        }
    }

    pub(crate) fn verdict(&self, environment: Environment, proof: &Proof) -> Verdict {
        self.service.check(environment, proof).verdict
    }

    /// Checks a proof, and records it as one that was fetched.
    pub(crate) async fn record(&self, environment: Environment, proof: &Proof) {
        let checked = self.service.check(environment, proof);
        let recorded = self.service.try_record(environment, proof, &checked).await;
        recorded.unwrap();
    }

    pub(crate) async fn origins(&self) -> Vec<SealKeyOrigin> {
        let keys = self.administration.keys().await.unwrap();
        keys.iter().map(|key| key.origin).collect()
    }

    pub(crate) fn calls(&self, method: &str) -> usize {
        self.store.faults().calls_of(method)
    }

    pub(crate) async fn samples(&self) -> Vec<SealSample> {
        self.store.elsewhere().seal_samples().await.unwrap()
    }
}
