//! Lookups by reference number.

use std::io::{Cursor, Write as _};

use bytes::Bytes;
use domain::criterion::{Criterion, ReferenceNumber};
use domain::own_accounts::GivenAccount;
use domain::proofs::file::RequestedFiles;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;
use domain::transfer::Transfer;
use ports::outbound::BankFiles;
use testkit::fakes::plain_pdf;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::own_accounts::{BANKS, start_with};
use super::*;

/// The number on plain PDFs.
const REFERENCE: &str = "4900001";

fn by_reference(number: &str) -> LookupRequest {
    let request = lookup("10.00");
    LookupRequest {
        query: ProofQuery {
            criterion: ReferenceNumber::parse(number).unwrap().into(),
            issuer: domain::participants::ParticipantCode::parse("40012"),
            ..request.query
        },
        ..request
    }
}

/// The files of one of the transfers.
fn files(transfer: &Transfer, key: &str) -> BankFiles {
    let key = TrackingKey::parse(key).unwrap();
    let files = unsealed_proof(&transfer.clone().with_tracking_key(key));
    BankFiles {
        pdf: files.xml.as_deref().map(plain_pdf),
        ..files
    }
}

fn zipped(pdfs: &[Bytes]) -> Bytes {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, pdf) in pdfs.iter().enumerate() {
        let name = format!("CEP-20261118-{number}.pdf");
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(pdf).unwrap();
    }
    zip.finish().unwrap().into_inner().into()
}

fn several(transfer: &Transfer, keys: &[&str]) -> Script {
    let pdfs = keys.iter().map(|key| files(transfer, key).pdf.unwrap());
    Script::Several(zipped(&pdfs.collect::<Vec<_>>()))
}

/// The answer of a bank to a transfer.
type Rule = fn(&Transfer) -> Script;

/// A lookup by this number, tried once at a bank with this rule.
async fn tried(
    number: &str,
    rule: impl Fn(&Transfer) -> Script + Send + Sync + 'static,
) -> (World, Process, Holder, LookupView) {
    let (world, process, holder) = start().await;
    world.bank.answer_by(rule);
    let id = process.create(&holder, by_reference(number)).await.id;
    let found = process.tried(&holder, id).await;
    (world, process, holder, found)
}

#[tokio::test]
async fn one_transfer_is_a_proof_like_any_other_and_kept_by_its_key() {
    let one = |transfer: &Transfer| Script::Issue(files(transfer, TRACKING_KEY));
    let (world, process, holder, found) = tried(REFERENCE, one).await;
    assert_eq!(found.state, Delivered);
    let delivery = found.delivery.as_ref().unwrap();
    assert_eq!(delivery.proof.tracking_key(), TRACKING_KEY);
    assert!(delivery.stem.with_extension("xml").contains(TRACKING_KEY));
    assert_eq!(found.question.criterion.to_string(), REFERENCE);
    assert_eq!(world.bank.asked()[0].wanted, RequestedFiles::Both);
    // The same number is asked for again, since there may be more transfers by now.
    let again = process.create(&holder, by_reference(REFERENCE)).await.id;
    assert_eq!(process.tried(&holder, again).await.state, Delivered);
    assert_eq!(world.bank.times_asked(), 2);
    assert_eq!(world.charges(&holder).await, (2, 0));
}

#[tokio::test]
async fn several_transfers_end_it_with_a_choice_that_a_second_lookup_makes() {
    let keys = ["MBAN01002611180000000002", TRACKING_KEY];
    let (world, process, holder, found) =
        tried(REFERENCE, move |transfer| match transfer.criterion() {
            Criterion::Reference(_) => several(transfer, &keys),
            Criterion::TrackingKey(_) => Script::Issue(unsealed_proof(transfer)),
        })
        .await;
    assert_eq!(found.state, Ambiguous);
    assert_eq!(found.reason(), Some(Outcome::Ambiguous));
    assert!(found.delivery.is_none() && found.hints.is_empty() && found.payment.is_none());
    let listed = process.lookups.list(access(&holder), all()).await.unwrap();
    let listed = listed.found.items[0].1.candidates.clone();
    for candidates in [&found.candidates, &listed] {
        let told = candidates.iter().map(|it| it.tracking_key.to_string());
        assert!(told.eq([TRACKING_KEY, keys[0]]));
        let first = &candidates[0];
        assert_eq!(first.credited_at.to_string(), "2026-11-18 10:53:36");
        assert_eq!(first.payer.as_deref(), Some("PAGADOR"));
        assert_eq!(first.centavos, 1_000);
    }
    // Charged: the bank answered.
    assert_eq!(world.charges(&holder).await, (1, 0));
    let chosen = LookupRequest {
        query: with_key(keys[0], found.question.clone()).into(),
        ..lookup("10.00")
    };
    let chosen = process.create(&holder, chosen).await.id;
    assert_eq!(process.tried(&holder, chosen).await.state, Delivered);
}

#[tokio::test]
async fn the_question_tells_the_own_account_of_several_transfers() {
    let (world, process, holder, own) = start_with(&BANKS[..2], None).await;
    let credited = own[1].account.clone();
    let keys = ["MBAN01002611180000000002", TRACKING_KEY];
    world.bank.answer_by(move |transfer| {
        if *transfer.account() == credited {
            several(transfer, &keys)
        } else {
            Script::KnowNothing
        }
    });
    let request = by_reference(REFERENCE);
    let request = LookupRequest {
        query: ProofQuery {
            account: GivenAccount::Missing,
            ..request.query
        },
        ..request
    };
    let id = process.create(&holder, request).await.id;
    let found = process.tried(&holder, id).await;
    assert_eq!((found.state, found.candidates.len()), (Ambiguous, 2));
    assert_eq!(found.question.account, own[1].account);
}

/// None of them is given, since one may be the transfer that was meant.
#[tokio::test]
async fn an_answer_that_is_not_of_the_number_alone_is_not_understood() {
    let of_other_amount = |transfer: &Transfer| {
        let other = Transfer::new(
            transfer.date(),
            TrackingKey::parse(TRACKING_KEY).unwrap(),
            transfer.account().clone(),
            domain::amount::Amount::from_centavos(1_001).unwrap(),
            transfer.issuer(),
            transfer.receiver(),
        );
        files(&other.unwrap(), TRACKING_KEY)
    };
    let rules: [(&str, Rule); 7] = [
        (REFERENCE, |_| {
            Script::Several(Bytes::from_static(b"PK\x03\x04"))
        }),
        (REFERENCE, |_| Script::Several(zipped(&[]))),
        (REFERENCE, |transfer| {
            let pdf = files(transfer, TRACKING_KEY).pdf.unwrap();
            Script::Several(zipped(&[pdf, Bytes::from_static(b"%PDF-1.4\nx")]))
        }),
        ("49", |transfer| several(transfer, &[TRACKING_KEY, "B2"])),
        ("49", |transfer| {
            Script::Issue(files(transfer, TRACKING_KEY))
        }),
        (REFERENCE, |transfer| {
            Script::Issue(unsealed_proof(transfer))
        }),
        (REFERENCE, |transfer| {
            let (one, other) = (files(transfer, "A1"), files(transfer, "B2"));
            Script::Issue(BankFiles {
                xml: one.xml,
                pdf: other.pdf,
            })
        }),
    ];
    for (place, (number, rule)) in rules.into_iter().enumerate() {
        let (_, _, _, found) = tried(number, rule).await;
        let seen = (found.state, found.reason(), found.candidates.len());
        let expected = (Waiting, Some(Outcome::BankProtocolError), 0);
        assert_eq!(seen, expected, "{place}");
    }
    let (_, _, _, found) = tried(REFERENCE, move |transfer| {
        Script::Several(zipped(&[of_other_amount(transfer).pdf.unwrap()]))
    })
    .await;
    assert_eq!(found.reason(), Some(Outcome::BankProtocolError));
}

#[tokio::test]
async fn a_number_names_no_bank() {
    let (world, process, holder) = start().await;
    let request = by_reference(REFERENCE);
    let request = LookupRequest {
        query: ProofQuery {
            issuer: None,
            ..request.query
        },
        ..request
    };
    let answer = process.ask(&holder, request).await;
    let Reply::Answer(Err(FetchError::InferenceFailed { issuer, .. })) = answer.reply else {
        panic!("{:?}", answer.reply);
    };
    let reason = domain::participants::inference::InferenceFailure::ReferenceNumber;
    assert_eq!(issuer, Some(reason));
    assert_eq!(world.bank.times_asked(), 0);
}
