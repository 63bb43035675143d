//! Shares of each account: what one sends, imports, reads or signs in with costs the others nothing.

use std::io::{Cursor, Write as _};
use std::net::IpAddr;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::batches::{post, table};
use crate::gateway::{CountingBank, Gateway, Key, json_of, request};
use crate::person::{Demo, Person};

/// Longest time that an answer takes which nothing delays.
const SOON: Duration = Duration::from_secs(20);

/// Two people, each with a `live` key of its own account.
async fn two_accounts(gateway: &Gateway) -> (Key, Key) {
    let mut keys = Vec::new();
    for who in [Demo::Member, Demo::Admin] {
        let person = Person::signed_in(gateway, who).await;
        keys.push(person.create_key("contabilidad", "live").await);
    }
    let other = keys.pop().unwrap();
    (keys.pop().unwrap(), other)
}

/// A dry run of another account's table, which must be answered at once.
async fn assert_is_served(gateway: &Gateway, key: &Key) {
    let checking = post(gateway, key, "?dry_run=true", table(1, 3));
    let checked = timeout(SOON, checking).await.expect("nothing delays it");
    assert_eq!(checked.status(), StatusCode::OK);
}

/// On one processor a download would otherwise delay each request by the time that a part takes.
#[tokio::test]
async fn downloads_tables_and_files_are_made_by_threads_of_lower_priority() {
    let (gateway, key) = Gateway::with_key();
    let created = json_of(post(&gateway, &key, "", table(1, 3)).await, 202).await;
    let path = format!(
        "/v1/cep/batches/{}/results",
        created["id"].as_str().unwrap()
    );
    assert_eq!(gateway.read(&path, &key).await.status(), StatusCode::OK);
    let mut niceness = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{}/task", gateway.id())).unwrap() {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat"));
        // The name, in parentheses, and 17 fields after it the niceness (proc(5)).
        let Ok((name, fields)) = stat.as_deref().map(|stat| stat.rsplit_once(')').unwrap()) else {
            continue;
        };
        let nice: i32 = fields.split_whitespace().nth(16).unwrap().parse().unwrap();
        niceness.push((name.contains("(low-priority"), nice));
    }
    assert!(niceness.contains(&(true, 10)), "{niceness:?}");
    assert!(
        niceness
            .iter()
            .all(|(is_low, nice)| (*nice == 10) == *is_low),
        "{niceness:?}"
    );
}

/// Many rows and files of one tracking key and amount, none of which belong together: each pair may have to be
/// compared.
#[tokio::test]
async fn an_import_of_many_rows_and_files_of_one_key_takes_no_time_of_others() {
    const ROWS: u32 = 2_000;
    const FILES: u32 = 500;
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let (key, other) = two_accounts(&gateway).await;
    let sandboxs = gateway.roomy_key();
    let proof = gateway.post("xml", &sandboxs, &request(1, "10.00")).await;
    let proof = proof.text().await.unwrap();
    bank.hang();
    let row = |number| {
        let card = format!("41111111{number:08}");
        format!("2026-11-18,MBAN01002611180000000001,{card},10.00,40012,40002\n")
    };
    let header = "fecha,clave_rastreo,cuenta,monto,emisor,receptor\n".to_owned();
    let rows = header + &(0..ROWS).map(row).collect::<String>();
    let created = json_of(post(&gateway, &key, "", rows).await, 202).await;
    assert_eq!(created["counts"]["duplicates"], 0, "{created}");
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..FILES {
        let name = format!("{number}.xml");
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        let account = format!("0020100777{number:08}");
        let file = proof.replace("002010077777777771", &account);
        zip.write_all(file.as_bytes()).unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    let path = format!("/v1/cep/batches/{}/import", created["id"].as_str().unwrap());
    let importing = gateway.keyed(Method::POST, &path, &key);
    let importing = importing
        .header("content-type", "application/zip")
        .body(zip);
    let importing = async {
        let report = json_of(importing.send().await.unwrap(), 200).await;
        let unused = report["unused"].as_array().unwrap();
        assert_eq!(unused.len(), FILES as usize);
        assert!(
            unused.iter().all(|file| file["reason"] == "differs"),
            "{report}"
        );
    };
    let others = async {
        for _ in 0..5 {
            assert_is_served(&gateway, &other).await;
        }
    };
    let both = futures::future::join(importing, others);
    timeout(SOON, both)
        .await
        .expect("a million pairs of rows and files are compared in a second");
    bank.answer();
}

/// A sender who stops just before the end of its body.
async fn stalled(gateway: &Gateway, key: &Key, path: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nx-api-key: {}\r\ncontent-type: application/zip\r\n\
         content-length: {bytes}\r\nexpect: 100-continue\r\n\r\n",
        key.full
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 25];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(&vec![b'x'; bytes - 1]).await.unwrap();
    stream
}

#[tokio::test]
async fn stalled_imports_take_no_room_of_another_accounts_tables_and_end() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let (key, other) = two_accounts(&gateway).await;
    bank.hang();
    let created = json_of(post(&gateway, &key, "", table(1, 2)).await, 202).await;
    let path = format!("/v1/cep/batches/{}/import", created["id"].as_str().unwrap());
    let mut stalled = stalled(&gateway, &key, &path, 63 << 20).await;
    for _ in 0..3 {
        assert_is_served(&gateway, &other).await;
    }
    let mut answer = Vec::new();
    let ended = timeout(SOON, stalled.read_to_end(&mut answer)).await;
    ended.expect("it is ended").unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    bank.answer();
}

/// A client of another address of this machine.
fn client_at(address: [u8; 4]) -> Client {
    let client = Client::builder()
        .redirect(Policy::none())
        .timeout(Duration::from_mins(1))
        .local_address(IpAddr::from(address));
    client.build().unwrap()
}

/// The parameter of a redirect, and the cookie that came with it.
fn begun(answer: &Response) -> (String, String) {
    let location = answer.headers()["location"].to_str().unwrap();
    let state = location.split("state=").nth(1).unwrap().split('&').next();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    (state.unwrap().to_owned(), cookie.to_owned())
}

#[tokio::test]
async fn made_up_codes_keep_nobody_of_another_address_from_signing_in() {
    let gateway = Gateway::start();
    let attacker = client_at([127, 0, 0, 2]);
    let attack = async {
        let mut busy = 0;
        for _ in 0..400 {
            let begin = attacker.get(gateway.url("/login")).send().await.unwrap();
            let (state, cookie) = begun(&begin);
            let url = gateway.url(&format!("/auth/callback?code=made-up&state={state}"));
            let answer = attacker.get(url).header("cookie", cookie).send().await;
            busy += usize::from(answer.unwrap().status() == StatusCode::SERVICE_UNAVAILABLE);
        }
        busy
    };
    let people = async {
        for _ in 0..25 {
            Person::signed_in(&gateway, Demo::Member).await;
        }
    };
    let began = Instant::now();
    let (busy, ()) = futures::future::join(attack, people).await;
    // A burst of thirty, and two each second.
    let allowed = 30 + 2 * usize::try_from(began.elapsed().as_secs() + 1).unwrap();
    assert!(
        busy >= 400 - allowed,
        "{busy} refused in {:?}",
        began.elapsed()
    );
    let failed = gateway.log().matches("a sign-in failed").count();
    assert!(failed <= 20 + allowed, "{failed} lines");
}
