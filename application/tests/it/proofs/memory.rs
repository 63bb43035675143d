//! Files that are remembered: formats and pairs that are asked for later.

use rstest::rstest;

use super::*;

#[rstest]
#[case::a_second_format(&[XML, XML, PDF, PDF, XML], &[XML, PDF])]
// A pair is of one session, whatever was fetched before; once it is there, it serves every format.
#[case::a_pair(&[BOTH, BOTH, PDF, XML], &[BOTH])]
#[case::a_pair_after_the_xml(&[XML, BOTH, BOTH, PDF, XML], &[XML, BOTH])]
#[case::a_pair_after_both(&[XML, PDF, BOTH, BOTH, PDF, XML], &[XML, PDF, BOTH])]
// A PDF comes with the XML that it is checked by.
#[case::a_pair_that_was_fetched_for_its_pdf(&[PDF, BOTH], &[BOTH])]
#[tokio::test]
async fn the_bank_is_asked_for_what_is_missing_alone(
    #[case] wanted: &[RequestedFiles],
    #[case] asked: &[RequestedFiles],
) {
    let fixture = fixture();
    for wanted in wanted {
        let files = fixture.delivery("10.00", *wanted).await.files;
        let delivered = match files {
            Files::Xml(_) => XML,
            Files::Pdf(_) => PDF,
            Files::Both { .. } => BOTH,
        };
        assert_eq!(delivered, *wanted);
    }
    assert_eq!(fixture.asked(), asked);
}

#[tokio::test]
async fn an_xml_that_comes_again_with_other_bytes_is_not_understood() {
    let fixture = fixture();
    let first = unsealed_proof(&transfer(1_000));
    let script = |files| fixture.test.script(transfer(1_000), Script::Issue(files));
    script(first.clone());
    fixture.delivery("10.00", XML).await;
    let mut changed = first.clone();
    changed.xml = changed.xml.map(|xml| [&xml[..], b"\n"].concat().into());
    script(changed);
    let error = fixture.error("10.00", BOTH).await;
    let is_wrong = matches!(error, FetchError::Bank(BankError::Protocol { .. }));
    assert!(is_wrong, "{error:?}");
    let Files::Xml(xml) = fixture.delivery("10.00", XML).await.files else {
        panic!("the XML alone was wanted");
    };
    assert_eq!(Some(xml), first.xml, "the changed one was remembered");
}

#[tokio::test]
async fn without_a_cache_every_lookup_asks_the_bank_and_checks_the_seal() {
    let fixture = fixture_caching(0);
    for _ in 0..3 {
        fixture.delivery("10.00", BOTH).await;
    }
    assert_eq!(fixture.test.times_asked(), 3);
    assert_eq!(fixture.seals.checked().len(), 3);
}
