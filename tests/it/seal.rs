//! A delivered proof carries the bank's seal, byte for byte.

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::proof::Proof;

use crate::gateway::{Gateway, request};

#[tokio::test]
async fn the_seal_of_a_delivered_proof_verifies() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
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
