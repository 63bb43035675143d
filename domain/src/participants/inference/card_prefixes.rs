//! Infers the issuer of a card from its prefix.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::NaiveDate;

use super::{Evidence, Inferred};
use crate::account::Card;
use crate::participants::{Catalogue, ParticipantCode};

/// Issuers by card prefix; `None` if the issuer is unknown or doesn't take part in SPEI.
type Issuers = HashMap<String, Option<ParticipantCode>>;

static EMBEDDED: LazyLock<Issuers> = LazyLock::new(|| {
    from_csv(include_str!("../../../data/mx-bins.csv")).expect("the embedded list is tested")
});

/// Parses rows of `bin,issuer_name,participant,…` after a header row; `None` if a row is malformed.
fn from_csv(csv: &str) -> Option<Issuers> {
    csv::Reader::from_reader(csv.as_bytes())
        .records()
        .map(|row| {
            let row = row.ok()?;
            let participant = match row.get(2)? {
                "" => None,
                code => Some(ParticipantCode::parse(code)?),
            };
            Some((row.get(0)?.to_owned(), participant))
        })
        .collect()
}

/// The issuer of a card by the longest listed prefix; `None` if it isn't a participant on `date`.
pub(super) fn issuer_of(card: &Card, date: NaiveDate, catalogue: &Catalogue) -> Option<Inferred> {
    participant_among(&EMBEDDED, card, date, catalogue)
}

fn participant_among(
    issuers: &Issuers,
    card: &Card,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<Inferred> {
    let (prefix, code) = longest_match(issuers, card)?;
    catalogue.on(date).find(|issuer| issuer.code == code)?;
    Some(Inferred {
        code,
        evidence: Evidence::CardPrefix(prefix.to_owned()),
    })
}

/// The longest listed prefix decides, even if it has no participant, because a shorter one belongs to
/// another bank.
fn longest_match<'a>(issuers: &Issuers, card: &'a Card) -> Option<(&'a str, ParticipantCode)> {
    let digits = card.as_str();
    (1..=digits.len())
        .rev()
        .map(|length| &digits[..length])
        .find_map(|prefix| issuers.get(prefix).map(|issuer| (prefix, *issuer)))
        .and_then(|(prefix, issuer)| Some((prefix, issuer?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::fixture::{code, day};
    use proptest::prelude::*;

    fn card(digits: &str) -> Card {
        match Account::parse(digits).unwrap() {
            Account::Card(card) => card,
            other => panic!("{digits} is {other:?}"),
        }
    }

    fn inferred(digits: &str) -> Option<Inferred> {
        issuer_of(&card(digits), day("2026-11-20"), Catalogue::embedded())
    }

    #[test]
    fn a_card_names_its_issuer_unless_it_is_not_listed_or_takes_no_part() {
        for (digits, issuer) in [("4037070000000000", "40002"), ("4152310000000000", "40012")] {
            let inferred = inferred(digits).unwrap();
            let evidence = Evidence::CardPrefix(digits[..6].to_owned());
            assert_eq!((inferred.code, inferred.evidence), (code(issuer), evidence));
        }
        // No participant, a liquidated one, and none.
        for digits in ["3766600000000000", "4008200000000000", "9999990000000000"] {
            assert_eq!(inferred(digits), None, "{digits}");
        }
    }

    #[test]
    fn the_longest_prefix_decides() {
        let rows = "bin,issuer_name,participant\n400000,A,40002\n4000001,B,40012\n4000003,C,\n";
        let issuers = from_csv(rows).unwrap();
        for (digits, expected) in [
            ("4000001200000000", Some(("4000001", "40012"))),
            ("4000002200000000", Some(("400000", "40002"))),
            ("4000003200000000", None),
        ] {
            let expected = expected.map(|(prefix, issuer)| (prefix, code(issuer)));
            assert_eq!(longest_match(&issuers, &card(digits)), expected);
        }
    }

    #[test]
    fn an_issuer_takes_part_on_the_date() {
        let issuers = from_csv("bin,issuer_name,participant\n400000,Nu,90638\n").unwrap();
        let card = card("4000000000000000");
        for (date, takes_part) in [("2026-08-04", true), ("2026-08-05", false)] {
            let inferred = participant_among(&issuers, &card, day(date), Catalogue::embedded());
            assert_eq!(inferred.is_some(), takes_part, "{date}");
        }
    }

    #[test]
    fn every_row_is_read() {
        assert_eq!(EMBEDDED.len(), 209);
        let is_known = |code: &&ParticipantCode| Catalogue::embedded().find(**code).is_some();
        let known = EMBEDDED.values().flatten().filter(is_known);
        assert!(known.count() > 100);
        let malformed = from_csv("bin,issuer_name,participant\n400000,A,4002\n");
        assert_eq!(malformed, None);
    }

    proptest! {
        #[test]
        fn an_inferred_institution_takes_part_on_the_date(
            bin in prop::sample::select(EMBEDDED.keys().cloned().collect::<Vec<_>>()),
            rest in "[0-9]{10}",
            days in 0_u64..9_000,
        ) {
            let date = day("2004-08-13") + chrono::Days::new(days);
            let catalogue = Catalogue::embedded();
            if let Some(inferred) = issuer_of(&card(&format!("{bin}{rest}")), date, catalogue) {
                prop_assert!(catalogue.find(inferred.code).unwrap().is_valid_on(date));
                prop_assert_eq!(inferred.evidence, Evidence::CardPrefix(bin));
            }
        }
    }
}
