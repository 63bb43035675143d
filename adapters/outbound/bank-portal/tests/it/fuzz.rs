//! Fuzzing: a portal whose responses are corrupted at random, below HTTP.

use bytes::Bytes;
use domain::proofs::file::RequestedFiles;
use futures::{StreamExt as _, stream};
use ports::outbound::{Bank as _, BankAnswer};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{CAPTCHA, NOT_FOUND, PDF, READY, TOO_MANY, XML, adapter, config, lookup};

/// Number of lookups.
const LOOKUPS: usize = 300;

/// A complete response with this body.
fn response(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nSet-Cookie: JSESSIONID=a; path=/\r\nContent-Disposition: attachment; \
         filename=CEP-20250616-KEY01.pdf\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A mutation of a response.
#[derive(Clone, Debug)]
enum Mutation {
    None,
    Byte {
        at: prop::sample::Index,
        byte: u8,
    },
    Cut {
        at: prop::sample::Index,
    },
    Insert {
        at: prop::sample::Index,
        bytes: Vec<u8>,
    },
}

impl Mutation {
    fn any() -> impl Strategy<Value = Self> {
        let index = any::<prop::sample::Index>;
        prop_oneof![
            3 => Just(Self::None),
            2 => (index(), any::<u8>()).prop_map(|(at, byte)| Self::Byte { at, byte }),
            1 => index().prop_map(|at| Self::Cut { at }),
            2 => (index(), prop::collection::vec(any::<u8>(), 1..40))
                .prop_map(|(at, bytes)| Self::Insert { at, bytes }),
        ]
    }

    fn apply(self, mut answer: Vec<u8>) -> Vec<u8> {
        match self {
            Self::None => {}
            Self::Byte { at, byte } => {
                let at = at.index(answer.len());
                answer[at] = byte;
            }
            Self::Cut { at } => answer.truncate(at.index(answer.len())),
            Self::Insert { at, bytes } => {
                let at = at.index(answer.len());
                answer.splice(at..at, bytes);
            }
        }
        answer
    }
}

/// Corrupted responses, each with one of these bodies.
fn corrupted(bodies: &[&'static [u8]], random: &mut TestRunner) -> Vec<Vec<u8>> {
    let one = (prop::sample::select(bodies.to_vec()), Mutation::any())
        .prop_map(|(body, mutation)| mutation.apply(response(body)));
    let many = prop::collection::vec(one, LOOKUPS);
    many.new_tree(random).unwrap().current()
}

/// Serves these responses to `valida.do` and to `descarga.do`, one per connection, in a cycle.
async fn serve(pages: Vec<Vec<u8>>, files: Vec<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/cep", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut pages, mut files) = (pages.iter().cycle(), files.iter().cycle());
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            // The form fits into one segment.
            let mut request = [0; 4096];
            let read = stream.read(&mut request).await.unwrap_or_default();
            let is_page = request[..read].starts_with(b"POST");
            let answers = if is_page { &mut pages } else { &mut files };
            let _ = stream.write_all(answers.next().unwrap()).await;
            let _ = stream.shutdown().await;
        }
    });
    url
}

fn is_file(file: Option<&Bytes>, beginnings: &[&[u8]]) -> bool {
    file.is_none_or(|file| beginnings.iter().any(|begin| file.starts_with(begin)))
}

#[tokio::test]
async fn a_corrupted_response_is_never_accepted_as_a_file() {
    let mut random = TestRunner::deterministic();
    let pages = [READY, READY, READY, NOT_FOUND, CAPTCHA, TOO_MANY].map(str::as_bytes);
    let pages = corrupted(&pages, &mut random);
    let files = corrupted(&[XML, XML, PDF, TOO_MANY.as_bytes()], &mut random);
    let adapter = adapter(config(&serve(pages, files).await));
    let (mut issued, mut not_found, mut failed) = (0, 0, 0);
    let fetches = (0..LOOKUPS).map(async |number| {
        let wanted = match number % 3 {
            0 => RequestedFiles::Xml,
            1 => RequestedFiles::Pdf,
            _ => RequestedFiles::Both,
        };
        adapter.fetch(&lookup("KEY01", wanted)).await
    });
    // Concurrently, because each retry is delayed.
    let mut answers = stream::iter(fetches).buffer_unordered(16);
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(BankAnswer::Issued(files)) => {
                let begin_of_xml: [&[u8]; 3] = [b"<?xml", b"\xEF\xBB\xBF", b"<SPEI"];
                assert!(is_file(files.xml.as_ref(), &begin_of_xml));
                assert!(is_file(files.pdf.as_ref(), &[b"%PDF-"]));
                issued += 1;
            }
            Ok(BankAnswer::NotFound) => not_found += 1,
            Ok(answer @ (BankAnswer::NotIssued(_) | BankAnswer::Several(_))) => {
                panic!("no page says so: {answer:?}")
            }
            Err(_) => failed += 1,
        }
    }
    // Guards against a test that exercises nothing.
    let counts = [issued, not_found, failed];
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}
