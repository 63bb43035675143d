use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::account::Account;
use crate::amount::Amount;
use crate::fixture::{code, day};
use crate::tracking_key::TrackingKey;

fn query(key: &str) -> ProofQuery {
    ProofQuery {
        date: day("2026-02-03"),
        criterion: TrackingKey::parse(key).unwrap().into(),
        account: Account::parse("002010077777777771").unwrap(),
        others: Vec::new(),
        completion: None,
        amount: Amount::from_centavos(123_450).unwrap(),
        issuer: Some(code("40012")),
        receiver: Some(code("40002")),
    }
}

fn lines(count: usize) -> Vec<BankLine> {
    let line = |number| BankLine::of_query(&query(&format!("K{number}"))).unwrap();
    (0..count).map(line).collect()
}

#[test]
fn a_payment_is_a_line() {
    let line = BankLine::of_query(&query("MBAN 01")).unwrap();
    let text = "2026-02-03,MBAN 01,40012,40002,002010077777777771,1234.50";
    assert_eq!(line.as_str(), text);
    assert_eq!(format!("{line:?}"), "BankLine(redacted)");
}

#[test]
fn a_payment_that_a_line_cannot_carry_is_refused() {
    let refused = |change: fn(&mut ProofQuery)| {
        let mut query = query("KEY");
        change(&mut query);
        BankLine::of_query(&query).unwrap_err()
    };
    assert_eq!(refused(|it| it.issuer = None), BankLineError::NoIssuer);
    assert_eq!(refused(|it| it.receiver = None), BankLineError::NoReceiver);
    let same = refused(|it| it.issuer = it.receiver);
    assert_eq!(same, BankLineError::SameInstitution);
    let comma = refused(|it| it.criterion = TrackingKey::parse("A,B").unwrap().into());
    assert_eq!(comma, BankLineError::Comma);
}

#[test]
fn the_bank_takes_no_file_of_one_line() {
    for count in [0, 1] {
        let error = BankFiles::new(&lines(count)).err();
        assert_eq!(error, Some(TooFewLines { lines: count }));
    }
}

#[rstest]
#[case(2, &[2])]
#[case(500, &[500])]
#[case(501, &[250, 251])]
#[case(1_000, &[500, 500])]
#[case(1_001, &[333, 334, 334])]
fn lines_are_split_evenly(#[case] count: usize, #[case] expected: &[usize]) {
    let lines = lines(count);
    let files = BankFiles::new(&lines).unwrap();
    assert_eq!(files.len(), expected.len());
    let lengths: Vec<_> = files.map(|file| file.lines().count()).collect();
    assert_eq!(lengths, expected);
}

proptest! {
    #[test]
    fn every_line_stands_once_and_in_order_in_files_that_the_bank_takes(count in 2_usize..2_600) {
        let lines = lines(count);
        let files: Vec<_> = BankFiles::new(&lines).unwrap().collect();
        for file in &files {
            prop_assert!((MIN_LINES..=MAX_LINES).contains(&file.lines().count()));
            prop_assert!(file.ends_with("\r\n"));
        }
        let text = files.concat();
        prop_assert!(text.lines().eq(lines.iter().map(BankLine::as_str)));
    }
}
