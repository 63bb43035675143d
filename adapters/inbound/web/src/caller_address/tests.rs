use axum::http::HeaderMap;
use proptest::prelude::*;
use rstest::rstest;

use super::*;

const PROXY: &str = "10.0.0.1";

/// Trusts 10.0.0.0/8, a network of IPv6, and one address.
fn proxies() -> TrustedProxies {
    let networks = ["10.0.0.0/8", "fd00::/8", "192.0.2.7"];
    TrustedProxies::new(networks.map(|network| network.parse().unwrap()).to_vec())
}

/// The caller of a request from `peer` with these fields.
fn caller(peer: &str, fields: &[(HeaderName, &[u8])]) -> String {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    let CallerAddress(address) = proxies().caller(peer.parse().unwrap(), &headers);
    address.to_string()
}

fn x_forwarded_for(text: &str) -> (HeaderName, &[u8]) {
    (X_FORWARDED_FOR, text.as_bytes())
}

fn forwarded(text: &str) -> (HeaderName, &[u8]) {
    (FORWARDED, text.as_bytes())
}

#[rstest]
#[case("203.0.113.9", "203.0.113.9")]
#[case("198.51.100.1, 203.0.113.9", "203.0.113.9")]
#[case("203.0.113.9, 10.1.1.1,192.0.2.7", "203.0.113.9")]
#[case("203.0.113.9:4711", "203.0.113.9")]
#[case("2001:db8::1", "2001:db8::1")]
#[case("[2001:db8::1]", "2001:db8::1")]
#[case("[2001:db8::1]:4711", "2001:db8::1")]
#[case("203.0.113.9, fd00::5", "203.0.113.9")]
#[case("::ffff:203.0.113.9, ::ffff:10.1.1.1", "203.0.113.9")]
#[case("\t203.0.113.9 ", "203.0.113.9")]
fn the_last_address_that_is_not_trusted_is_the_callers(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(caller(PROXY, &[x_forwarded_for(text)]), expected);
}

#[rstest]
#[case("")]
#[case(",")]
#[case("unknown")]
#[case("_hidden")]
#[case("203.0.113.9, unknown")]
#[case("203.0.113.9,")]
#[case("203.0.113.9, unix:")]
#[case("203.0.113.9 198.51.100.1")]
#[case("203.0.113.999")]
#[case("[203.0.113.9]")]
#[case("[2001:db8::1")]
#[case("2001:db8::1%eth0")]
#[case("\"203.0.113.9\"")]
#[case("10.1.1.1, 10.2.2.2")]
#[case("203.0.113.9, _hidden, 10.1.1.1")]
fn without_such_an_address_the_connections_counts(#[case] text: &str) {
    assert_eq!(caller(PROXY, &[x_forwarded_for(text)]), PROXY);
}

#[test]
fn without_a_field_the_connections_address_counts() {
    assert_eq!(caller(PROXY, &[]), PROXY);
    assert_eq!(caller("::ffff:10.0.0.1", &[]), PROXY);
}

#[test]
fn a_caller_without_a_proxy_names_nobody() {
    for field in [x_forwarded_for("203.0.113.9"), forwarded("for=203.0.113.9")] {
        assert_eq!(caller("198.51.100.1", &[field]), "198.51.100.1");
    }
}

#[test]
fn several_fields_are_one_list() {
    let fields = ["203.0.113.9", "198.51.100.1, 10.1.1.1", "10.2.2.2"];
    assert_eq!(caller(PROXY, &fields.map(x_forwarded_for)), "198.51.100.1");
    let fields = ["for=203.0.113.9", "for=198.51.100.1, for=10.1.1.1"];
    assert_eq!(caller(PROXY, &fields.map(forwarded)), "198.51.100.1");
}

#[rstest]
#[case("for=203.0.113.9", "203.0.113.9")]
#[case("For=203.0.113.9;proto=https;by=10.0.0.1", "203.0.113.9")]
#[case("proto=https ; host=\"a, b;for=c\" ; for=203.0.113.9", "203.0.113.9")]
#[case("for=198.51.100.1, for=203.0.113.9", "203.0.113.9")]
#[case("for=203.0.113.9,for=10.1.1.1;proto=http", "203.0.113.9")]
#[case("for=\"[2001:db8::1]:4711\"", "2001:db8::1")]
#[case("for=\"[2001:db8::1]\", for=\"[fd00::1]\"", "2001:db8::1")]
#[case("for=203.0.113.9:4711", "203.0.113.9")]
#[case("for=\"203.0.\\113.9\"", "203.0.113.9")]
fn the_standards_field_is_read_too(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(caller(PROXY, &[forwarded(text)]), expected);
}

#[rstest]
#[case("")]
#[case("for")]
#[case("for=")]
#[case("for=unknown")]
#[case("for=_hidden")]
#[case("proto=https")]
#[case("for=203.0.113.9, for=\"_hidden\"")]
#[case("for=203.0.113.9;for=198.51.100.1")]
#[case("for=203.0.113.9,")]
#[case("for=203.0.113.9 for=198.51.100.1")]
#[case("for=\"203.0.113.9")]
#[case("for=\"203.0.113.9\\")]
#[case("203.0.113.9")]
// A caller's open quote, and what two kinds of proxies append.
#[case("for=203.0.113.9;x=\", for=198.51.100.1")]
#[case("for=203.0.113.9;x=\", for=\"[2001:db8::1]\"")]
#[case("for=203.0.113.9;x=\", for=198.51.100.1;host=\"cep.example\"")]
fn a_field_that_names_nobody_for_sure_names_nobody(#[case] text: &str) {
    assert_eq!(caller(PROXY, &[forwarded(text)]), PROXY);
}

#[test]
fn where_both_fields_are_there_they_must_agree() {
    let own = x_forwarded_for("203.0.113.9");
    let agreeing = forwarded("for=198.51.100.1, for=\"203.0.113.9:4711\"");
    assert_eq!(caller(PROXY, &[own.clone(), agreeing]), "203.0.113.9");
    for other in ["for=198.51.100.1", "for=unknown", "nonsense", ""] {
        assert_eq!(caller(PROXY, &[own.clone(), forwarded(other)]), PROXY);
    }
}

#[test]
fn bytes_that_are_no_text_name_nobody() {
    let bytes = b"203.0.113.9, \xff\xfe";
    assert_eq!(caller(PROXY, &[(X_FORWARDED_FOR, bytes)]), PROXY);
    assert_eq!(
        caller(PROXY, &[(FORWARDED, b"for=203.0.113.9;x=\"\xff\"")]),
        PROXY
    );
    let after = b"\xff\xfe, 203.0.113.9";
    assert_eq!(caller(PROXY, &[(X_FORWARDED_FOR, after)]), "203.0.113.9");
}

#[rstest]
#[case("10.0.0.1", "10.0.0.1/32")]
#[case("10.9.9.9/8", "10.0.0.0/8")]
#[case("::1", "::1/128")]
#[case("::ffff:10.0.0.1", "10.0.0.1/32")]
#[case("fd00::/8", "fd00::/8")]
fn an_address_or_a_network_is_a_network(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(text.parse::<ProxyNetwork>().unwrap().to_string(), expected);
}

#[rstest]
#[case("", ProxyNetworkError::Malformed)]
#[case("proxy.example", ProxyNetworkError::Malformed)]
#[case("10.0.0.0/33", ProxyNetworkError::Malformed)]
#[case("10.0.0.1:80", ProxyNetworkError::Malformed)]
#[case("0.0.0.0/0", ProxyNetworkError::Everybody)]
#[case("::/0", ProxyNetworkError::Everybody)]
fn anything_else_is_no_network(#[case] text: &str, #[case] expected: ProxyNetworkError) {
    assert_eq!(text.parse::<ProxyNetwork>(), Err(expected));
}

/// Bytes that a header field may hold.
fn field_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        prop::sample::select(b"for=;,\"\\ .:[]_0123456789".to_vec()),
        0x20..=0x7e_u8,
        0x80..=0xff_u8,
    ];
    prop::collection::vec(byte, 0..60)
}

proptest! {
    #[test]
    fn nobody_chooses_what_a_proxy_appends(written in field_bytes(), host in 1..=254_u8) {
        let own = format!("203.0.113.{host}");
        let appended = [&written[..], b", ", own.as_bytes()].concat();
        prop_assert_eq!(caller(PROXY, &[(X_FORWARDED_FOR, &appended)]), own);
    }

    #[test]
    fn nobody_chooses_what_a_proxy_appends_in_the_standards_way(
        written in field_bytes(),
        host in 1..=254_u8,
        ending in prop::sample::select(vec!["", ";proto=https", ";host=\"cep.example\";by=\"[::1]\""]),
    ) {
        let own = format!("203.0.113.{host}");
        let appended = format!(", for={own}{ending}");
        let appended = [&written[..], appended.as_bytes()].concat();
        let found = caller(PROXY, &[(FORWARDED, &appended)]);
        prop_assert!(found == own || found == PROXY, "{found}");
    }

    #[test]
    fn nobody_without_a_proxy_chooses_anything(one in field_bytes(), other in field_bytes()) {
        let fields: [(HeaderName, &[u8]); 2] = [(X_FORWARDED_FOR, &one), (FORWARDED, &other)];
        prop_assert_eq!(caller("198.51.100.1", &fields), "198.51.100.1");
    }
}
