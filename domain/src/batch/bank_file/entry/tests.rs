use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case("[2026-11-20]MBAN01.xml", Format::Xml)]
#[case("[2026-11-20]MBAN01.pdf", Format::Pdf)]
#[case("[2026-11-20]MBAN01.XML", Format::Xml)]
fn a_name_says_date_key_and_format(#[case] name: &str, #[case] expected: Format) {
    let EntryName::Proof {
        date,
        tracking_key,
        format,
    } = EntryName::parse(name.as_bytes()).unwrap()
    else {
        panic!("{name}");
    };
    assert_eq!(date.to_string(), "2026-11-20");
    assert_eq!((tracking_key.as_str(), format), ("MBAN01", expected));
}

#[test]
fn the_summary_has_its_own_name() {
    assert_eq!(EntryName::parse(b"resumen.txt"), Ok(EntryName::Summary));
    assert_eq!(EntryName::parse(b"Resumen.TXT"), Ok(EntryName::Summary));
}

#[test]
fn a_tracking_key_may_hold_points_and_brackets() {
    let name = EntryName::parse(b"[2026-11-20]A.B]..C.xml").unwrap();
    assert!(
        matches!(name, EntryName::Proof { tracking_key, .. } if tracking_key.as_str() == "A.B]..C")
    );
}

#[rstest]
#[case::parent(b"../resumen.txt", EntryNameError::Path)]
#[case::parent_alone(b"..", EntryNameError::Path)]
#[case::root(b"/resumen.txt", EntryNameError::Path)]
#[case::folder(b"x/", EntryNameError::Path)]
#[case::in_a_folder(b"x/[2026-11-20]KEY.xml", EntryNameError::Path)]
#[case::within(b"[2026-11-20]../../KEY.xml", EntryNameError::Path)]
#[case::backslash(b"..\\resumen.txt", EntryNameError::Path)]
#[case::share(b"\\\\server\\resumen.txt", EntryNameError::Path)]
#[case::drive(b"C:resumen.txt", EntryNameError::Path)]
#[case::nul(b"resumen.txt\0.xml", EntryNameError::Character)]
#[case::line_end(b"resumen\n.txt", EntryNameError::Character)]
#[case::not_utf8(b"resumen\xff.txt", EntryNameError::Character)]
#[case::long(&[b'x'; 101], EntryNameError::TooLong)]
fn a_hostile_name_is_refused(#[case] name: &[u8], #[case] expected: EntryNameError) {
    assert_eq!(EntryName::parse(name), Err(expected));
    assert!(expected.is_hostile());
}

#[rstest]
#[case("")]
#[case("leeme.txt")]
#[case("[2026-02-30]KEY.xml")]
#[case("[20-11-2026]KEY.xml")]
#[case("2026-11-20KEY.xml")]
#[case("[2026-11-20].xml")]
#[case("[2026-11-20]KEY")]
#[case("[2026-11-20]KEY.zip")]
#[case("[2026-11-20]KEÝ.xml")]
#[case("[2026-11-20]0123456789012345678901234567890.xml")]
fn another_name_is_unknown(#[case] name: &str) {
    let error = EntryName::parse(name.as_bytes()).unwrap_err();
    assert_eq!(error, EntryNameError::Unknown);
    assert!(!error.is_hostile());
}

proptest! {
    #[test]
    fn any_name_is_read_or_refused_without_panic(name in prop::collection::vec(any::<u8>(), 0..120)) {
        let _ = EntryName::parse(&name);
    }

    #[test]
    fn a_name_of_any_key_is_read_back(key in "[!-~]{1,30}", days in 0_u64..3_000) {
        let first = NaiveDate::from_ymd_opt(2018, 1, 1).unwrap();
        let date = first + chrono::Days::new(days);
        let Ok(tracking_key) = TrackingKey::parse(&key) else { return Ok(()) };
        if !key.contains('/') {
            let name = format!("[{date}]{key}.pdf");
            let format = Format::Pdf;
            let expected = EntryName::Proof { date, tracking_key, format };
            prop_assert_eq!(EntryName::parse(name.as_bytes()), Ok(expected));
        }
    }
}
