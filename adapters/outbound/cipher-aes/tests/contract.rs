//! The contract suite.

use cipher_aes::AesCipher;

ports::cipher!(&AesCipher);
