//! A portal whose every answer is damaged at random, below HTTP.

use bytes::Bytes;
use domain::file::RequestedFiles;
use futures::{StreamExt as _, stream};
use ports::outbound::{Bank as _, BankAnswer};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{CAPTCHA, NOT_FOUND, PDF, READY, TOO_MANY, XML, adapter, config, lookup};

/// How many lookups meet the damaged portal.
const LOOKUPS: usize = 300;

/// A whole answer with this body.
fn answer(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nSet-Cookie: JSESSIONID=a; path=/\r\nContent-Disposition: attachment; \
         filename=CEP-20250616-KEY01.pdf\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Damage to an answer.
#[derive(Clone, Debug)]
enum Damage {
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

impl Damage {
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

/// Damaged answers with one of these bodies each.
fn damaged(bodies: &[&'static [u8]], random: &mut TestRunner) -> Vec<Vec<u8>> {
    let one = (prop::sample::select(bodies.to_vec()), Damage::any())
        .prop_map(|(body, damage)| damage.apply(answer(body)));
    let many = prop::collection::vec(one, LOOKUPS);
    many.new_tree(random).unwrap().current()
}

/// Serves these answers to `valida.do` and to `descarga.do`, one a connection, again and again.
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
            let answers = if request[..read].starts_with(b"POST") {
                &mut pages
            } else {
                &mut files
            };
            let _ = stream.write_all(answers.next().unwrap()).await;
            let _ = stream.shutdown().await;
        }
    });
    url
}

fn may_be_kept(file: Option<&Bytes>, beginnings: &[&[u8]]) -> bool {
    file.is_none_or(|file| {
        beginnings
            .iter()
            .any(|beginning| file.starts_with(beginning))
    })
}

#[tokio::test]
async fn a_damaged_portal_never_makes_us_keep_what_is_no_file() {
    let mut random = TestRunner::deterministic();
    let pages = [READY, READY, READY, NOT_FOUND, CAPTCHA, TOO_MANY].map(str::as_bytes);
    let pages = damaged(&pages, &mut random);
    let files = damaged(&[XML, XML, PDF, TOO_MANY.as_bytes()], &mut random);
    let adapter = adapter(config(&serve(pages, files).await));
    let (mut issued, mut not_found, mut failed) = (0, 0, 0);
    let fetches = (0..LOOKUPS).map(async |number| {
        let wanted = [
            RequestedFiles::Xml,
            RequestedFiles::Pdf,
            RequestedFiles::Both,
        ][number % 3];
        adapter.fetch(&lookup("KEY01", wanted)).await
    });
    // Side by side, because each second attempt waits a little.
    let mut answers = stream::iter(fetches).buffer_unordered(16);
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(BankAnswer::Issued(files)) => {
                assert!(may_be_kept(
                    files.xml.as_ref(),
                    &[b"<?xml", b"\xEF\xBB\xBF", b"<SPEI"]
                ));
                assert!(may_be_kept(files.pdf.as_ref(), &[b"%PDF-"]));
                issued += 1;
            }
            Ok(BankAnswer::NotFound) => not_found += 1,
            Ok(BankAnswer::NotIssued(payment)) => panic!("nobody said so: {payment:?}"),
            Err(_) => failed += 1,
        }
    }
    // Or nothing was tested.
    assert!(
        issued > 5 && not_found > 5 && failed > 5,
        "{issued} {not_found} {failed}"
    );
}
