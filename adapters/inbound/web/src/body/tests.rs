//! Declared types, and bodies in pieces.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use rstest::rstest;

use super::media_type::is_type;
use super::*;

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
#[case("application/jsonp", false)]
#[case("application/problem+json", false)]
#[case("text/plain", false)]
#[case("application/x-www-form-urlencoded", false)]
#[case("", false)]
fn only_json_in_utf_8_is_taken(#[case] value: &str, #[case] taken: bool) {
    assert_eq!(is_type(value, "application/json"), taken);
}

#[rstest]
#[case(&[], true)]
#[case(&[("content-type", "text/plain; charset=latin1")], true)]
#[case(&[("content-type", "application/pdf"), ("content-type", "application/xml")], true)]
#[case(&[("content-encoding", "identity")], true)]
#[case(&[("content-type", "application/pdf"), ("content-encoding", "gzip")], false)]
#[tokio::test]
async fn a_file_may_be_declared_as_anything_but_not_be_compressed(
    #[case] lines: &[(&'static str, &'static str)],
    #[case] is_read: bool,
) {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(*name, HeaderValue::from_static(value));
    }
    let mut upload = Upload::new(&headers, Body::from("file"), BODY_DEADLINE);
    let read = upload
        .read_file(&headers, (4, &BodyMemory::new(1024 * 1024)))
        .await;
    assert_eq!(read.is_ok(), is_read);
}

fn declared(lines: &[&'static str]) -> HeaderMap {
    let lines = lines.iter().map(|value| HeaderValue::from_static(value));
    let mut headers = HeaderMap::new();
    for value in lines {
        headers.append(CONTENT_TYPE, value);
    }
    headers
}

#[rstest]
#[case("multipart/form-data; boundary=x", "x")]
#[case("Multipart/Form-Data;charset=utf-8; boundary=\"a b\"", "a b")]
#[case(
    "multipart/form-data; boundary=----WebKitFormBoundaryAbC",
    "----WebKitFormBoundaryAbC"
)]
fn a_form_has_the_boundary_of_its_type(#[case] value: &'static str, #[case] boundary: &str) {
    let boundary = boundary.to_owned();
    let form = TableBody::of(&declared(&[value]));
    assert_eq!(form, Ok(TableBody::Form { boundary }));
}

#[rstest]
#[case(&["multipart/form-data"], Problem::NoBoundary)]
#[case(&["multipart/form-data; boundary="], Problem::NoBoundary)]
#[case(&["multipart/form-data; boundary=\"\""], Problem::NoBoundary)]
#[case(
    &["multipart/form-data; boundary=12345678901234567890123456789012345678901234567890123456789012345678901"],
    Problem::NoBoundary
)]
#[case(&["multipart/mixed; boundary=x"], Problem::UnsupportedTableType)]
#[case(&["text/csv", "multipart/form-data; boundary=x"], Problem::UnsupportedTableType)]
#[case(&[], Problem::UnsupportedTableType)]
fn a_type_of_no_table_is_refused(#[case] values: &[&'static str], #[case] problem: Problem) {
    assert_eq!(TableBody::of(&declared(values)), Err(problem));
}

#[rstest]
#[case("pagos.csv", Some(TableType::Sheet))]
#[case("C:\\pagos.nov.XLSX ", Some(TableType::Sheet))]
#[case("pagos.txt", Some(TableType::Sheet))]
#[case("pagos.jsonl", Some(TableType::JsonLines))]
#[case("pagos.csv.pdf", None)]
#[case("csv", None)]
#[case("", None)]
fn the_ending_of_a_name_tells_the_format(#[case] name: &str, #[case] table: Option<TableType>) {
    assert_eq!(TableType::of_file_name(name), table);
}

#[tokio::test]
async fn a_body_in_pieces_is_put_together_up_to_the_limit() {
    let pieces = |count: usize| {
        let pieces = (0..count).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(b"0123")));
        Body::from_stream(futures::stream::iter(pieces))
    };
    let read = read_up_to(&mut pieces(4), 16, Pace::Any, |_| Ok(())).await;
    assert_eq!(read.unwrap(), "0123012301230123");
    assert_eq!(
        read_up_to(&mut pieces(5), 19, Pace::Any, |_| Ok(())).await,
        Err(Problem::PayloadTooLarge { max_bytes: 19 })
    );
}

#[tokio::test]
async fn a_large_body_is_refused_when_others_take_the_memory_and_read_once_they_are_done() {
    let bounds = LargeBody {
        max_bytes: 128 * 1024,
        deadline: BODY_DEADLINE,
        memory: BodyMemory::new(128 * 1024),
    };
    let read = async |bytes: usize| {
        let body = Body::from(vec![b'x'; bytes]);
        let mut upload = Upload::new(&HeaderMap::new(), body, BODY_DEADLINE);
        upload.read_large(&bounds).await
    };
    let first = read(100 * 1024).await.unwrap();
    assert_eq!(first.0.len(), 100 * 1024);
    let refused = read(1).await;
    assert!(matches!(refused, Err(Problem::Unavailable { .. })));
    drop(first);
    assert!(read(1).await.is_ok());
}

#[tokio::test]
async fn a_file_takes_memory_until_its_bytes_are_dropped() {
    let memory = BodyMemory::new(128 * 1024);
    let read = async |bytes: usize| {
        let body = Body::from(vec![b'x'; bytes]);
        let mut upload = Upload::new(&HeaderMap::new(), body, BODY_DEADLINE);
        upload
            .read_file(&HeaderMap::new(), (128 * 1024, &memory))
            .await
    };
    let first = read(100 * 1024).await.unwrap();
    let shared = first.clone();
    drop(first);
    assert!(matches!(read(1).await, Err(Problem::Unavailable { .. })));
    assert_eq!(shared.len(), 100 * 1024);
    drop(shared);
    assert!(read(1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_large_body_ends_once_too_little_of_it_arrives() {
    let pieces = |size: usize, period: Duration| {
        let pieces = futures::stream::unfold(0, move |number| async move {
            tokio::time::sleep(period).await;
            let piece = Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; size]));
            (number < 12).then_some((piece, number + 1))
        });
        Body::from_stream(pieces)
    };
    let read = async |size, period| {
        let began = Instant::now();
        let mut body = pieces(size, period);
        let read = read_up_to(&mut body, 12 * PROGRESS, Pace::of_large(), |_| Ok(())).await;
        (read.map(|read| read.len()), began.elapsed())
    };
    let in_time = read(PROGRESS, PROGRESS_PERIOD * 99 / 100).await;
    assert_eq!(in_time.0, Ok(12 * PROGRESS));
    let stalled = Problem::StalledBody {
        bytes: PROGRESS,
        period: PROGRESS_PERIOD,
    };
    for (size, pause) in [
        (PROGRESS, PROGRESS_PERIOD + Duration::from_millis(1)),
        (1_000, PROGRESS_PERIOD / 10),
    ] {
        assert_eq!(
            read(size, pause).await,
            (Err(stalled.clone()), PROGRESS_PERIOD)
        );
    }
}
