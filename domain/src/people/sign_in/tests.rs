//! Validity of sealed sign-ins.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn noon() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

fn seal() -> PendingSignInSeal {
    PendingSignInSeal::new(&[7; 32]).unwrap()
}

fn sign_in(return_to: &str) -> PendingSignIn {
    let mut next = 0_u8;
    let mut fill = |bytes: &mut [u8]| {
        next += 1;
        bytes.fill(next);
    };
    PendingSignIn::new(ReturnPath::parse_or_home(return_to), noon(), &mut fill)
}

#[rstest]
#[case(&["/dashboard", "/", "/dashboard?tab=keys&key=0198f3c2#limits", "/%C3%B1"])]
#[case(&["/dashboard?next=//evil.example"])]
fn a_local_path_is_returned_to(#[case] paths: &[&str]) {
    for path in paths {
        assert_eq!(ReturnPath::parse_or_home(path).as_str(), *path);
    }
}

#[rstest]
#[case(&["", "dashboard", "//evil.example", "/a//evil.example", "/.//evil.example", "/\\evil.example"])]
#[case(&["\\/evil.example", "/\t/evil.example", "/\n", "/a\r\nSet-Cookie: a=b", " /dashboard", "/a b"])]
#[case(&["/ñ", "https://evil.example/", "javascript:alert(1)"])]
fn any_other_path_is_replaced_by_the_dashboard(#[case] places: &[&str]) {
    for place in places {
        assert_eq!(ReturnPath::parse_or_home(place).as_str(), "/dashboard");
    }
}

#[test]
fn a_path_has_a_longest_length() {
    let path = |length: usize| format!("/{}", "a".repeat(length - 1));
    let (longest, longer) = (path(MAX_PATH_BYTES), path(MAX_PATH_BYTES + 1));
    assert_eq!(ReturnPath::parse_or_home(&longest).as_str(), longest);
    assert_eq!(ReturnPath::parse_or_home(&longer).as_str(), "/dashboard");
}

#[test]
fn each_secret_of_a_sign_in_is_its_own_and_long_enough() {
    let sign_in = sign_in("/");
    let secrets = [sign_in.state(), sign_in.nonce(), sign_in.verifier()];
    assert_eq!(secrets.map(str::len), [64; 3]);
    assert!(secrets[0] != secrets[1] && secrets[1] != secrets[2] && secrets[0] != secrets[2]);
    let unreserved = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
    assert!(secrets.into_iter().all(unreserved));
}

#[test]
fn a_sign_in_is_valid_for_ten_minutes() {
    let text = seal().seal(&sign_in("/"));
    let after = |millis| seal().open(&text, noon() + TimeDelta::milliseconds(millis));
    assert_eq!(after(0), Some(sign_in("/")));
    assert_eq!(after(599_999), Some(sign_in("/")));
    assert_eq!(after(600_000), None);
}

#[test]
fn a_seal_is_not_the_bare_mac_of_its_secret() {
    let text = seal().seal(&sign_in("/"));
    let (text, tag) = text.rsplit_once('.').unwrap();
    let bare = mac(&[7; 32], text.as_bytes()).finalize().into_bytes();
    let bare = crate::hex::encode(&bare);
    assert_ne!(bare, tag, "another use of the secret could forge it");
}

#[test]
fn a_sealed_sign_in_changed_anywhere_is_refused() {
    let text = seal().seal(&sign_in("/keys"));
    for place in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[place] = if changed[place] == b'0' { b'1' } else { b'0' };
        let changed = String::from_utf8(changed).unwrap();
        assert_eq!(seal().open(&changed, noon()), None, "{place}");
        assert_eq!(seal().open(&text[..place], noon()), None, "{place}");
    }
}

#[test]
fn an_answer_is_matched_by_its_state() {
    let sign_in = sign_in("/");
    assert!(sign_in.is_answered_by(sign_in.state()));
    for other in ["", sign_in.nonce(), &sign_in.state()[..63]] {
        assert!(!sign_in.is_answered_by(other));
    }
}

#[test]
fn a_short_or_another_secret_opens_nothing() {
    let refused = PendingSignInSeal::new(&[7; 31]).unwrap_err();
    assert_eq!(refused, SecretError::TooShort { length: 31 });
    let other = PendingSignInSeal::new(&[8; 32]).unwrap();
    let text = other.seal(&sign_in("/"));
    assert_eq!(seal().open(&text, noon()), None);
}

#[test]
fn debug_shows_no_secret() {
    let shown = format!("{:?} {:?}", sign_in("/"), seal());
    for secret in [sign_in("/").state(), sign_in("/").verifier()] {
        assert!(!shown.contains(secret));
    }
}

#[test]
fn a_fingerprint_is_sha_256_and_that_of_a_token_leaves_out_its_signature() {
    // FIPS 180-2, B.1.
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(fingerprint("abc"), expected);
    let of = token_fingerprint;
    assert_eq!(of("head.body.signature"), of("head.body.anothersignature"));
    assert_ne!(of("head.body.signature"), of("head.another.signature"));
    assert_eq!(of("opaque"), fingerprint("opaque"));
}

proptest! {
    #[test]
    fn a_sign_in_is_opened_as_it_was_sealed(path in "/[!-~]{0,511}") {
        let text = seal().seal(&sign_in(&path));
        prop_assert!(text.len() < 2_048);
        prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.'));
        prop_assert_eq!(seal().open(&text, noon()), Some(sign_in(&path)));
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(text in "\\PC*", path in "\\PC*") {
        prop_assert_eq!(seal().open(&text, noon()), None);
        prop_assert!(ReturnPath::parse_or_home(&path).as_str().starts_with('/'));
    }
}
