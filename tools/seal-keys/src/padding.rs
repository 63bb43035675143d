//! The padded text of an RSA signature: PKCS#1 v1.5 (RFC 8017, section 9.2).

use domain::seals::{SEAL_BYTES, SealedDigest};
use ports::outbound::SealSample;

use crate::modulus::{Signature, from_bytes};

/// DER of a `DigestInfo` of SHA-512, up to the digest (RFC 8017, section 9.2, note 1).
const SHA512_INFO: [u8; 19] = [
    0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03, 0x05,
    0x00, 0x04, 0x40,
];

/// Returns a sample's seal and the padded digest that it encodes, as numbers.
pub(crate) fn signature(sample: &SealSample) -> Signature {
    Signature {
        signature: from_bytes(&sample.seal),
        text: from_bytes(&padded(&sample.digest)),
    }
}

/// `00 01 ff … ff 00`, then the `DigestInfo`: [`SEAL_BYTES`] in all.
fn padded(digest: &SealedDigest) -> [u8; SEAL_BYTES] {
    let mut text = [0xff; SEAL_BYTES];
    let info = SEAL_BYTES - digest.0.len() - SHA512_INFO.len();
    text[..2].copy_from_slice(&[0, 1]);
    text[info - 1] = 0;
    text[info..][..SHA512_INFO.len()].copy_from_slice(&SHA512_INFO);
    text[SEAL_BYTES - digest.0.len()..].copy_from_slice(&digest.0);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulus::SEALS;
    use aws_lc_rs::digest::{SHA512, digest};
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::rsa::KeyPair;
    use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RSA_PKCS1_SHA512, RsaEncoding};
    use domain::participants::ParticipantCode;
    use domain::seals::{CertificateNumber, Signer};
    use malachite_nz::natural::Natural;
    use sandbox::seal::{CERTIFICATE_NUMBER, public_key_der};

    fn sealed(text: &str, encoding: &'static dyn RsaEncoding) -> Signature {
        let key = include_bytes!("../../../sandbox/keys/seal.pk8");
        let key = KeyPair::from_pkcs8(key).unwrap();
        let mut seal = [0; SEAL_BYTES];
        let random = SystemRandom::new();
        let signed = key.sign(encoding, &random, text.as_bytes(), &mut seal);
        signed.unwrap();
        let digest = digest(&SHA512, text.as_bytes());
        signature(&SealSample {
            signer: Signer {
                participant: ParticipantCode::parse("40012").unwrap(),
                certificate: CertificateNumber::parse(CERTIFICATE_NUMBER).unwrap(),
            },
            digest: SealedDigest(digest.as_ref().try_into().unwrap()),
            seal,
        })
    }

    /// The modulus of the sandbox's key: a `SubjectPublicKeyInfo` of 2,048 bits ends with it and the
    /// exponent, `02 03 01 00 01`.
    fn modulus() -> Natural {
        let der = public_key_der();
        from_bytes(&der[der.len() - 5 - SEAL_BYTES..der.len() - 5])
    }

    #[test]
    fn a_seal_encodes_the_padded_sha_512_of_its_text_alone() {
        let sealed_by = |encoding| sealed("||1|20112026|…||", encoding);
        let verifies = |seal: &Signature| SEALS.verifies(&modulus(), seal);
        assert!(verifies(&sealed_by(&RSA_PKCS1_SHA512)));
        assert!(!verifies(&sealed_by(&RSA_PKCS1_SHA256)));
        let text = sealed("||1|a||", &RSA_PKCS1_SHA512).text;
        let of_another = sealed("||1|b||", &RSA_PKCS1_SHA512);
        assert!(!verifies(&Signature { text, ..of_another }));
    }
}
