//! Declared types, and bodies in pieces.

use super::*;
use rstest::rstest;

#[rstest]
#[case("application/json", true)]
#[case("Application/JSON; charset=UTF-8", true)]
#[case("application/json;charset=\"utf-8\"", true)]
#[case("application/json;", true)]
#[case("application/json ; ; charset=utf-8;", true)]
#[case(";application/json", false)]
#[case("application/json; charset=latin1", false)]
#[case("application/json; version=1", false)]
#[case("application/json; charset=utf-8; x=y", false)]
#[case("application/json,text/plain", false)]
#[case("application/jsonx", false)]
#[case("application/problem+json", false)]
#[case("text/plain", false)]
#[case("application/x-www-form-urlencoded", false)]
#[case("", false)]
fn only_json_in_utf_8_is_taken(#[case] value: &str, #[case] taken: bool) {
    assert_eq!(is_type(value, "application/json"), taken);
}

#[rstest]
#[case(&[("content-type", "application/xml")], Some(FileType::Any))]
#[case(&[("content-type", "Text/XML; charset=UTF-8")], Some(FileType::Any))]
#[case(&[("content-type", "application/pdf")], Some(FileType::Pdf))]
#[case(&[("content-type", "application/pdf"), ("content-encoding", "identity")], Some(FileType::Pdf))]
#[case(&[("content-type", "application/pdf"), ("content-encoding", "gzip")], None)]
#[case(&[("content-type", "application/xml; charset=latin1")], None)]
#[case(&[("content-type", "application/pdf"), ("content-type", "application/xml")], None)]
#[case(&[("content-type", "application/octet-stream")], Some(FileType::Any))]
#[case(&[("content-type", "application/x-www-form-urlencoded")], None)]
#[case(&[], None)]
fn a_file_has_the_type_that_is_declared_once(
    #[case] lines: &[(&'static str, &'static str)],
    #[case] expected: Option<FileType>,
) {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(*name, HeaderValue::from_static(value));
    }
    assert_eq!(file_type(&headers), expected);
}

#[tokio::test]
async fn a_body_in_pieces_is_put_together_up_to_the_limit() {
    let pieces = |count: usize| {
        let pieces = (0..count).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(b"0123")));
        Body::from_stream(futures::stream::iter(pieces))
    };
    let read = read_up_to(&mut pieces(4), 16).await;
    assert_eq!(read.unwrap(), "0123012301230123");
    assert_eq!(
        read_up_to(&mut pieces(5), 19).await,
        Err(Problem::PayloadTooLarge { max_bytes: 19 })
    );
}
