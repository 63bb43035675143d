//! The contract suite.

use cipher_aes::AesCipher;

#[test]
fn aes_keeps_the_contract_of_a_cipher() {
    ports::contract::cipher::cipher(&AesCipher);
}
