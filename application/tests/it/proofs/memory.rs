//! Files that are remembered: formats and pairs that are asked for later.

use domain::file::RequestedFiles;
use ports::inbound::{FetchError, Files};
use testkit::fakes::{Script, unsealed_proof};

use super::{fixture, fixture_caching, transfer};

#[tokio::test]
async fn a_second_format_and_a_repeat_ask_for_what_is_missing_alone() {
    let fixture = fixture();
    for wanted in [
        RequestedFiles::Xml,
        RequestedFiles::Xml,
        RequestedFiles::Pdf,
        RequestedFiles::Pdf,
        RequestedFiles::Xml,
    ] {
        fixture.fetch("10.00", wanted).await.result.unwrap();
    }
    assert_eq!(fixture.asked(), [RequestedFiles::Xml, RequestedFiles::Pdf]);
}

#[tokio::test]
async fn a_pair_is_of_one_session_whatever_was_fetched_before() {
    for before in [
        &[][..],
        &[RequestedFiles::Xml],
        &[RequestedFiles::Xml, RequestedFiles::Pdf],
    ] {
        let fixture = fixture();
        for wanted in before {
            fixture.fetch("10.00", *wanted).await.result.unwrap();
        }
        // The pair, once it is there, serves every format.
        for wanted in [
            RequestedFiles::Both,
            RequestedFiles::Both,
            RequestedFiles::Pdf,
            RequestedFiles::Xml,
        ] {
            fixture.fetch("10.00", wanted).await.result.unwrap();
        }
        assert_eq!(fixture.asked(), [before, &[RequestedFiles::Both]].concat());
    }
}

#[tokio::test]
async fn a_pair_that_was_fetched_for_its_pdf_is_a_pair() {
    let fixture = fixture();
    fixture
        .fetch("10.00", RequestedFiles::Pdf)
        .await
        .result
        .unwrap();
    fixture
        .fetch("10.00", RequestedFiles::Both)
        .await
        .result
        .unwrap();
    assert_eq!(fixture.asked(), [RequestedFiles::Both]);
}

#[tokio::test]
async fn an_xml_that_comes_again_with_other_bytes_is_not_understood() {
    let fixture = fixture();
    let first = unsealed_proof(&transfer(1_000));
    fixture
        .test
        .script(transfer(1_000), Script::Issue(first.clone()));
    fixture
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap();
    let mut changed = first.clone();
    changed.xml = changed.xml.map(|xml| [&xml[..], b"\n"].concat().into());
    fixture.test.script(transfer(1_000), Script::Issue(changed));
    let error = fixture
        .fetch("10.00", RequestedFiles::Both)
        .await
        .result
        .unwrap_err();
    assert!(
        matches!(error, FetchError::BankProtocol { .. }),
        "{error:?}"
    );
    let Files::Xml(xml) = fixture
        .fetch("10.00", RequestedFiles::Xml)
        .await
        .result
        .unwrap()
        .files
    else {
        panic!("the XML alone was wanted");
    };
    assert_eq!(Some(xml), first.xml, "the changed one was remembered");
}

#[tokio::test]
async fn a_pdf_comes_with_the_xml_that_it_is_checked_by() {
    let fixture = fixture();
    let report = fixture.fetch("10.00", RequestedFiles::Pdf).await;
    assert!(matches!(report.result.unwrap().files, Files::Pdf(_)));
    assert_eq!(fixture.asked(), [RequestedFiles::Both]);
}

#[tokio::test]
async fn without_a_cache_every_lookup_asks_the_bank() {
    let fixture = fixture_caching(0);
    for _ in 0..3 {
        fixture
            .fetch("10.00", RequestedFiles::Both)
            .await
            .result
            .unwrap();
    }
    assert_eq!(fixture.test.times_asked(), 3);
}
