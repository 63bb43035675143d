//! Format of a lookup's encrypted data.

use bytes::Bytes;
use chrono::DateTime;
use domain::lookups::Metadata;
use domain::participants::ParticipantCode;
use domain::proofs::file::RequestedFiles;
use domain::proofs::notice::ProofOrigin;
use domain::proofs::seen::EarlierDeliveries;
use domain::query::ProofQuery;

use super::parts::{Damaged, decode, decode_query, encode, encode_query, text};

/// Number of encoded fields of a question before its metadata.
const QUESTION_PARTS: usize = 7;
/// Last field of an imported answer.
const IMPORTED: &[u8] = b"imported";

/// The decrypted query of a lookup, with files to keep and metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) query: ProofQuery,
    pub(crate) files: RequestedFiles,
    pub(crate) metadata: Metadata,
}

/// The decrypted result of a delivered lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) xml: Bytes,
    pub(crate) pdf: Option<Bytes>,
    pub(crate) issuer: ParticipantCode,
    pub(crate) seen: Option<EarlierDeliveries>,
    pub(crate) origin: ProofOrigin,
}

impl Question {
    /// The question with the account at this place as the first; `None` if it is.
    pub(super) fn moved(&self, place: usize) -> Option<Self> {
        if place == 0 {
            return None;
        }
        let mut destinations = self.query.destinations();
        let known = destinations.remove(place);
        Some(Self {
            query: self.query.with_destinations(known, destinations),
            ..self.clone()
        })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let Self {
            query,
            files,
            metadata,
        } = self;
        let files = if files.includes_pdf() { "pdf" } else { "" };
        let facts = encode_query(query).into_iter().chain([files.to_owned()]);
        let facts: Vec<_> = facts.collect();
        let pairs = metadata
            .pairs()
            .iter()
            .flat_map(|(name, value)| [name, value]);
        encode(facts.iter().chain(pairs).map(String::as_bytes))
    }

    pub(crate) fn decode(bytes: Bytes) -> Result<Self, Damaged> {
        let parts = decode(bytes)?;
        let (facts, pairs) = parts.split_at_checked(QUESTION_PARTS).ok_or(Damaged)?;
        let facts: Vec<_> = facts.iter().map(text).collect::<Result<_, _>>()?;
        let [
            date,
            tracking_key,
            account,
            centavos,
            issuer,
            receiver,
            files,
        ] = facts[..]
        else {
            return Err(Damaged);
        };
        let query = decode_query([date, tracking_key, account, centavos, issuer, receiver])?;
        let files = match files {
            "" => RequestedFiles::Xml,
            "pdf" => RequestedFiles::Both,
            _ => return Err(Damaged),
        };
        let (pairs, []) = pairs.as_chunks::<2>() else {
            return Err(Damaged);
        };
        let pair =
            |[name, value]: &[Bytes; 2]| Ok((text(name)?.to_owned(), text(value)?.to_owned()));
        let pairs = pairs.iter().map(pair).collect::<Result<_, _>>()?;
        Ok(Self {
            query,
            files,
            metadata: Metadata::new(pairs).map_err(|_| Damaged)?,
        })
    }
}

impl Answer {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let issuer = self.issuer.to_string();
        let times = self.seen.map(|seen| seen.times.to_string());
        let first = self.seen.and_then(|seen| seen.first);
        let first = first.map(|first| first.timestamp_millis().to_string());
        let (times, first) = (times.unwrap_or_default(), first.unwrap_or_default());
        let pdf = self.pdf.as_deref().unwrap_or_default();
        let parts = [
            &self.xml[..],
            pdf,
            issuer.as_bytes(),
            times.as_bytes(),
            first.as_bytes(),
        ];
        // Written for imported answers only, so that earlier versions, which don't know this field, can read
        // the others.
        let imported = (self.origin == ProofOrigin::Imported).then_some(IMPORTED);
        encode(parts.into_iter().chain(imported))
    }

    pub(crate) fn decode(bytes: Bytes) -> Result<Self, Damaged> {
        let parts = decode(bytes)?;
        let ([xml, pdf, issuer, times, first], origin) =
            parts.split_first_chunk().ok_or(Damaged)?;
        let origin = match origin {
            [] => ProofOrigin::Fetched,
            [origin] if origin == IMPORTED => ProofOrigin::Imported,
            _ => return Err(Damaged),
        };
        let first = match text(first)? {
            "" => None,
            millis => Some(
                DateTime::from_timestamp_millis(millis.parse().map_err(|_| Damaged)?)
                    .ok_or(Damaged)?,
            ),
        };
        let seen = match text(times)? {
            "" => None,
            times => Some(EarlierDeliveries {
                times: times.parse().map_err(|_| Damaged)?,
                first,
            }),
        };
        Ok(Self {
            xml: xml.clone(),
            pdf: (!pdf.is_empty()).then(|| pdf.clone()),
            issuer: ParticipantCode::parse(text(issuer)?).ok_or(Damaged)?,
            seen,
            origin,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::account::Account;
    use domain::amount::Amount;
    use domain::calendar;
    use domain::criterion::ReferenceNumber;
    use domain::masked_account::MaskedAccount;
    use domain::own_accounts::{Completion, Destination};
    use domain::tracking_key::TrackingKey;
    use proptest::prelude::*;

    use super::*;

    fn query(issuer: Option<u32>, receiver: Option<u32>, centavos: u64) -> ProofQuery {
        let code = |number: u32| ParticipantCode::parse(&number.to_string()).unwrap();
        ProofQuery {
            date: calendar::parse_date("2026-11-20").unwrap(),
            criterion: TrackingKey::parse("MBAN01002611200001234567")
                .unwrap()
                .into(),
            account: Account::parse("002010077777777771").unwrap(),
            others: Vec::new(),
            completion: None,
            amount: Amount::from_centavos(centavos).unwrap(),
            issuer: issuer.map(code),
            receiver: receiver.map(code),
        }
    }

    fn codes() -> impl Strategy<Value = Option<u32>> {
        proptest::option::of(10_000..99_999_u32)
    }

    proptest! {
        #[test]
        fn a_question_comes_back(
            issuer in codes(),
            receiver in codes(),
            centavos in 1..u64::MAX,
            with_pdf: bool,
            others in proptest::collection::vec(codes(), 0..3),
            completion in proptest::option::of(("|[*]{2}[0-9]{3,8}|4152[*]{4}[0-9]{4}", codes(), 0..50_usize)),
            reference in proptest::option::of(1..=9_999_999_u32),
            metadata in proptest::collection::btree_map("\\PC{1,40}", "\\PC{0,200}", 0..10),
        ) {
            let other = |code: Option<u32>| Destination {
                account: Account::parse("4152313312347771").unwrap(),
                receiver: code.and_then(|code| ParticipantCode::parse(&code.to_string())),
            };
            let asked = query(issuer, receiver, centavos);
            let reference = reference.and_then(|it| ReferenceNumber::parse(&it.to_string()).ok());
            let question = Question {
                query: ProofQuery {
                    criterion: reference.map_or(asked.criterion.clone(), Into::into),
                    others: others.into_iter().map(other).collect(),
                    completion: completion.map(|(masked, code, unasked)| Completion {
                        masked: MaskedAccount::parse(&masked),
                        receiver: other(code).receiver,
                        unasked,
                    }),
                    ..asked
                },
                files: if with_pdf { RequestedFiles::Both } else { RequestedFiles::Xml },
                metadata: Metadata::new(metadata.into_iter().collect()).unwrap(),
            };
            prop_assert_eq!(Question::decode(question.encode().into()), Ok(question));
        }

        #[test]
        fn an_answer_comes_back(
            xml in proptest::collection::vec(any::<u8>(), 1..100),
            pdf in proptest::option::of(proptest::collection::vec(any::<u8>(), 1..100)),
            seen in proptest::option::of((any::<u64>(), proptest::option::of(0..i64::from(i32::MAX)))),
            imported: bool,
        ) {
            let answer = Answer {
                xml: xml.into(),
                pdf: pdf.map(Bytes::from),
                issuer: ParticipantCode::parse("40012").unwrap(),
                seen: seen.map(|(times, first)| EarlierDeliveries {
                    times,
                    first: first.and_then(DateTime::from_timestamp_millis),
                }),
                origin: if imported { ProofOrigin::Imported } else { ProofOrigin::Fetched },
            };
            prop_assert_eq!(Answer::decode(answer.encode().into()), Ok(answer));
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes: Vec<u8>) {
            let _ = Question::decode(bytes.clone().into());
            let _ = Answer::decode(bytes.into());
        }
    }

    #[test]
    fn another_version_and_a_part_that_is_cut_are_refused() {
        let whole = Question {
            query: query(None, None, 1),
            files: RequestedFiles::Xml,
            metadata: Metadata::default(),
        }
        .encode();
        assert!(Question::decode(whole.clone().into()).is_ok());
        let cut = whole[..whole.len() - 5].to_vec();
        assert_eq!(Question::decode(cut.into()), Err(Damaged));
        let mut other = whole;
        other[0] = 2;
        assert_eq!(Question::decode(other.into()), Err(Damaged));
    }
}
