//! Values that no hint reveals, and requests that get none.

use super::*;

proptest! {
    #[test]
    fn a_hint_never_says_what_is_already_so_and_never_names_the_future(
        days in 0_u64..9_000,
        later in 0_u64..400,
        key in "[A-Z0-9]{1,12}[0-9]{9,18}",
        account in "[0-9]{10}([0-9]{6}([0-9]{2})?)?",
        centavos in 1_u64..1_000_000_000,
        receiver in prop::sample::select(vec!["40072", "90638", "40638", "90646"]),
    ) {
        let date = day("2004-08-13") + Days::new(days);
        let today = date + Days::new(later);
        let catalogue = Catalogue::embedded();
        let transfer = Transfer::new(
            date,
            TrackingKey::parse(&key).unwrap(),
            Account::parse(&account).unwrap(),
            Amount::from_centavos(centavos).unwrap(),
            code("40012"),
            code(receiver),
        ).unwrap();
        let hints = hints(&transfer, &InferredBanks::default(), today, catalogue);
        for (place, hint) in hints.iter().enumerate() {
            prop_assert!(!hints[..place].contains(hint));
            match *hint {
                Hint::CheckDigit { given, expected } => {
                    prop_assert!(given != expected && given < 10 && expected < 10);
                }
                Hint::ReceiverDiffers { given, expected } => {
                    prop_assert_eq!(given, transfer.receiver());
                    prop_assert!(given != expected);
                    prop_assert!(catalogue.find(expected).unwrap().is_valid_on(date));
                }
                Hint::AccountPrefixUnknown { prefix, .. } => {
                    let prefix = format!("{prefix:03}");
                    prop_assert!(account.starts_with(&prefix));
                    prop_assert!(catalogue.by_clabe_prefix(&prefix, date).is_none());
                    prop_assert_ne!(transfer.receiver().clabe_prefix(), prefix);
                }
                Hint::IssuerDiffers { given, expected } => {
                    prop_assert_eq!(given, transfer.issuer());
                    prop_assert!(given != expected);
                    prop_assert!(catalogue.find(expected).unwrap().is_valid_on(date));
                }
                Hint::IssuerWasInferred { .. } => prop_assert!(false, "nothing was inferred"),
                Hint::MoreOwnAccounts { .. } => prop_assert!(false, "the account is whole"),
                Hint::LooksLikeReference | Hint::ParticipantUnknown { .. } => {
                    prop_assert!(false, "no key is that short, and every code is listed");
                }
                Hint::LikelyTrackingKey { ref expected } => {
                    prop_assert_ne!(expected.as_str(), key.as_str());
                }
                Hint::CodeNotValidOnDate { given, expected } => {
                    prop_assert!(!catalogue.find(given).unwrap().is_valid_on(date));
                    prop_assert!(expected.is_none_or(|code| catalogue.find(code).unwrap().is_valid_on(date)));
                }
                Hint::DayAndMonthSwapped { other } => {
                    prop_assert!(other != date && other <= today);
                    prop_assert_eq!((other.day(), other.month()), (date.month(), date.day()));
                }
                Hint::AmountLooksLikeCentavos => prop_assert_eq!(centavos % 100, 0),
                Hint::DateInTrackingKey { found } => prop_assert!(found != date && found <= today),
                Hint::NotABankingDay { operation_date } => {
                    prop_assert!(!calendar::is_banking_day(date));
                    prop_assert!(operation_date > date && calendar::is_banking_day(operation_date));
                }
                Hint::MaybeOperationDate { other } => {
                    let evening = other.and_hms_opt(18, 0, 0).unwrap();
                    prop_assert_eq!(calendar::operation_date(evening), date);
                }
            }
        }
    }
}
