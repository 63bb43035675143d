//! A delivered proof carries the bank's seal, byte for byte.

use std::time::Duration;

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::proof::Proof;
use sandbox::seal::CERTIFICATE_NUMBER;

use crate::file_checks::{checked, xml};
use crate::gateway::{CountingBank, Gateway, request};

#[tokio::test]
async fn the_seal_of_a_delivered_proof_verifies() {
    let (gateway, key) = Gateway::with_key();
    let public =
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA512, sandbox::seal::public_key_der());
    // Enough numbers for every generation of the chain, spelling and order of children.
    for number in 0..40 {
        let answer = gateway.post("xml", &key, &request(number, "9858.70")).await;
        assert_eq!(answer.status(), 200);
        let proof = Proof::parse(&answer.bytes().await.unwrap()).unwrap();
        let seal = STANDARD.decode(&proof.seal).unwrap();
        public
            .verify(proof.chain.signed_text().as_bytes(), &seal)
            .unwrap();
    }
}

#[tokio::test]
async fn no_certificates_number_hides_that_a_seal_is_of_another_text() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    for key in [gateway.roomy_key(), gateway.live_key()] {
        let xml = xml(&gateway, &key, 1, "1234.56").await;
        let renamed = xml.replace(CERTIFICATE_NUMBER, "00001000000599999999");
        for file in [renamed.replace("1234.56", "9234.56"), renamed] {
            let answer = checked(&gateway, &key, "", &file).await;
            assert_eq!(answer["sello"]["estado"], "invalid", "{answer}");
            assert_eq!(answer["resultado"], "invalid", "{answer}");
            let notices = answer["avisos"].as_array().unwrap();
            let mut codes = notices.iter().map(|notice| &notice["codigo"]);
            assert!(
                codes.any(|code| code == "sello_del_banco_de_pruebas"),
                "{answer}"
            );
        }
    }
}
