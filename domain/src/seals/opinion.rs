//! Second opinions on seals: the verdicts of the central bank's own validator.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::hex;
use crate::variants::named_enum;

/// Banking days that the central bank's validator looks back.
pub const VALIDATED_DAYS: usize = 45;

named_enum! {
    /// Verdict of the central bank's validator on a seal.
    pub enum SealOpinion {
        /// The seal is the receiving institution's signature of the original chain.
        Valid,
        /// The validator rejects the file.
        Invalid,
    }
}

named_enum! {
    /// Reason why there is no second opinion.
    pub enum NoOpinion {
        /// The gateway knows who made the seal: its own verdict holds.
        NotNeeded,
        /// The certificate number or the seal can't be read.
        UnreadableSeal,
        /// The operator has not configured a validator: files don't leave the gateway.
        NotConfigured,
        /// The validator reads XML files only.
        NotXml,
        /// The ZIP has proofs with several seals, and a request asks about one.
        SeveralSeals,
        /// The proof is [`VALIDATED_DAYS`] banking days old or older, or dated in the future.
        OutOfRange,
        /// The file has text that could change the validator's page.
        UnsafeText,
        /// The budget of questions is used up, or the validator refuses more of them.
        Busy,
        /// The validator didn't answer in time.
        Timeout,
        /// The validator can't be reached, or reports an error.
        Unavailable,
        /// The validator's answer isn't the known page of results about this file and this seal.
        UnknownAnswer,
    }
}

named_enum! {
    /// State of a second opinion by its name in the APIs.
    pub enum OpinionVerdict {
        /// See [`SealOpinion::Valid`].
        Valid,
        /// See [`SealOpinion::Invalid`].
        Invalid,
        /// There is none, for a [`NoOpinion`].
        NotAvailable,
    }
}

/// The validator's verdict, or the reason why there is none.
pub type SecondOpinion = Result<SealOpinion, NoOpinion>;

impl OpinionVerdict {
    /// The state of a second opinion.
    pub fn of(opinion: SecondOpinion) -> Self {
        match opinion {
            Ok(SealOpinion::Valid) => Self::Valid,
            Ok(SealOpinion::Invalid) => Self::Invalid,
            Err(_) => Self::NotAvailable,
        }
    }
}

impl NoOpinion {
    /// Returns `true` if there may be an opinion when the same file is sent again.
    pub fn is_passing(self) -> bool {
        matches!(
            self,
            Self::Busy | Self::Timeout | Self::Unavailable | Self::UnknownAnswer
        )
    }
}

/// SHA-256 of a whole file. An opinion is about all of it: that on an edited copy says nothing about the
/// original.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileFingerprint([u8; 32]);

impl FileFingerprint {
    /// The fingerprint of a file.
    pub fn of(file: &[u8]) -> Self {
        Self(Sha256::digest(file).into())
    }

    /// 64 hexadecimal digits. No file can contain those of its own fingerprint.
    pub fn to_hex(self) -> String {
        hex::encode(&self.0)
    }
}

impl fmt::Debug for FileFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileFingerprint")
    }
}
