//! Format of an archived proof: version, session of the PDF, length of the XML, XML, PDF.

use bytes::{Buf as _, BufMut as _, Bytes};

use crate::proofs::memory::{CachedProof, Pdf, Session};

const VERSION: u8 = 1;
/// Number of bytes before the XML.
const HEAD: usize = 6;
/// Maximum size of an entry. An XML has about 4 KiB, a PDF about 60 KiB.
pub(super) const MAX_BYTES: usize = 2 << 20;

/// Decrypted files of an archived proof.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) xml: Bytes,
    pub(super) pdf: Option<Pdf>,
}

/// The content doesn't have the format of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the entry's content is damaged, or of another version")]
pub(super) struct Damaged;

impl Content {
    pub(super) fn of(proof: &CachedProof) -> Self {
        Self {
            xml: proof.xml.clone(),
            pdf: proof.pdf.clone(),
        }
    }

    /// Size of the encoded content in bytes.
    pub(super) fn len(&self) -> usize {
        let pdf = self.pdf.as_ref().map_or(0, |pdf| pdf.bytes.len());
        HEAD + self.xml.len() + pdf
    }

    /// The encoded content; `None` if it exceeds [`MAX_BYTES`].
    pub(super) fn encode(&self) -> Option<Vec<u8>> {
        if self.len() > MAX_BYTES {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.len());
        bytes.put_u8(VERSION);
        bytes.put_u8(match &self.pdf {
            None => 0,
            Some(pdf) => match pdf.session {
                Session::OfBoth => 1,
                Session::OfThePdf => 2,
            },
        });
        bytes.put_u32(u32::try_from(self.xml.len()).ok()?);
        bytes.put_slice(&self.xml);
        if let Some(pdf) = &self.pdf {
            bytes.put_slice(&pdf.bytes);
        }
        Some(bytes)
    }

    /// Decodes the format strictly: missing or additional bytes are an error.
    pub(super) fn decode(mut bytes: Bytes) -> Result<Self, Damaged> {
        if bytes.len() < HEAD || bytes.len() > MAX_BYTES || bytes.get_u8() != VERSION {
            return Err(Damaged);
        }
        let session = match bytes.get_u8() {
            0 => None,
            1 => Some(Session::OfBoth),
            2 => Some(Session::OfThePdf),
            _ => return Err(Damaged),
        };
        let length = usize::try_from(bytes.get_u32()).map_err(|_| Damaged)?;
        if length == 0 || length > bytes.len() {
            return Err(Damaged);
        }
        let xml = bytes.split_to(length);
        if session.is_none() != bytes.is_empty() {
            return Err(Damaged);
        }
        let pdf = session.map(|session| Pdf { bytes, session });
        Ok(Self { xml, pdf })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content(xml: Vec<u8>, pdf: Option<(Vec<u8>, bool)>) -> Content {
        let pdf = pdf.map(|(bytes, of_both)| Pdf {
            bytes: bytes.into(),
            session: if of_both {
                Session::OfBoth
            } else {
                Session::OfThePdf
            },
        });
        Content {
            xml: xml.into(),
            pdf,
        }
    }

    fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(any::<u8>(), 1..200)
    }

    #[test]
    fn content_that_is_too_large_is_not_encoded() {
        assert!(content(vec![0; MAX_BYTES - HEAD], None).encode().is_some());
        assert!(
            content(vec![0; MAX_BYTES - HEAD + 1], None)
                .encode()
                .is_none()
        );
    }

    #[test]
    fn damaged_content_is_refused() {
        for damaged in [
            &b""[..],
            b"\x01\x00\x00\x00\x00",
            b"\x01\x00\x00\x00\x00\x00",
            b"\x02\x00\x00\x00\x00\x01x",
            b"\x01\x03\x00\x00\x00\x01xp",
            b"\x01\x00\x00\x00\x00\x02x",
            b"\x01\x00\x00\x00\x00\x01xp",
            b"\x01\x01\x00\x00\x00\x01x",
            b"\x01\x00\xff\xff\xff\xffx",
        ] {
            let bytes = Bytes::copy_from_slice(damaged);
            assert_eq!(Content::decode(bytes), Err(Damaged), "{damaged:?}");
        }
    }

    proptest! {
        #[test]
        fn content_comes_back(
            xml in some_bytes(),
            pdf in proptest::option::of((some_bytes(), any::<bool>())),
        ) {
            let content = content(xml, pdf);
            let encoded = content.encode().unwrap();
            prop_assert_eq!(encoded.len(), content.len());
            prop_assert_eq!(Content::decode(encoded.into()), Ok(content));
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes: Vec<u8>) {
            if let Ok(content) = Content::decode(bytes.clone().into()) {
                prop_assert_eq!(content.encode(), Some(bytes));
            }
        }
    }
}
