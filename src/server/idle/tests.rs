//! Connections that say nothing, and protocols.

use super::*;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

/// A client, the server's end of its connection, and what is under way on it.
fn connected() -> (DuplexStream, Watched<DuplexStream, ()>, Arc<Activity>) {
    let (client, server) = duplex(512);
    let activity = Activity::new();
    (
        client,
        Watched::new(server, Arc::clone(&activity), ()),
        activity,
    )
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_request_ends_in_time_even_while_bytes_dribble() {
    let (mut client, mut watched, _) = connected();
    let dribble = tokio::spawn(async move {
        while client.write_all(b"P").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
    let started = Instant::now();
    let mut bytes = Vec::new();
    let error = watched.read_to_end(&mut bytes).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(started.elapsed() < FIRST_REQUEST + Duration::from_secs(1));
    dribble.abort();
}

#[tokio::test(start_paused = true)]
async fn a_request_in_flight_keeps_the_connection_and_an_answer_gives_it_time() {
    let (_client, mut watched, activity) = connected();
    let request = activity.begin();
    let mut byte = [0];
    let busy = tokio::time::timeout(Duration::from_mins(10), watched.read(&mut byte)).await;
    assert!(busy.is_err(), "it was closed with a request in flight");
    drop(request);
    let answered = Instant::now();
    assert!(watched.read(&mut byte).await.is_err());
    assert!(answered.elapsed() >= NEXT_REQUEST);
}

#[tokio::test(start_paused = true)]
async fn an_upgraded_connection_may_be_silent_and_its_bytes_are_no_head() {
    let (mut client, mut watched, activity) = connected();
    activity.upgraded();
    let mut byte = [0];
    client.write_all(b"G").await.unwrap();
    watched.read_exact(&mut byte).await.unwrap();
    let silence = tokio::time::timeout(Duration::from_mins(10), watched.read(&mut byte)).await;
    assert!(silence.is_err(), "an upgraded connection was closed");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_is_let_go_and_a_slow_one_is_not() {
    let (mut client, mut watched, _) = connected();
    let reading = tokio::spawn(async move {
        let mut byte = [0];
        for _ in 0..10 {
            tokio::time::sleep(STALLED.mul_f32(0.9)).await;
            client.read_exact(&mut byte).await.unwrap();
        }
        (client, Instant::now())
    });
    let error = watched.write_all(&[0; 1_000]).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    let (_client, last) = reading.await.unwrap();
    assert!((STALLED..STALLED + Duration::from_secs(1)).contains(&last.elapsed()));
}

#[tokio::test(start_paused = true)]
async fn a_later_head_has_as_much_time_as_the_first_and_waiting_for_it_more() {
    let (mut client, mut watched, activity) = connected();
    let mut byte = [0];
    client.write_all(b"G").await.unwrap();
    assert_eq!(watched.protocol().await.unwrap(), Protocol::Http1);
    watched.read_exact(&mut byte).await.unwrap();
    drop(activity.begin());
    tokio::time::advance(Duration::from_mins(1)).await;
    client.write_all(b"G").await.unwrap();
    watched.read_exact(&mut byte).await.unwrap();
    let began = Instant::now();
    assert!(watched.read(&mut byte).await.is_err());
    assert!(began.elapsed() >= HEAD && began.elapsed() < HEAD + Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_in_the_middle_of_a_preface_is_closed_in_time() {
    let (mut client, mut watched, _) = connected();
    let started = Instant::now();
    client.write_all(b"PRI * HTTP/2.0").await.unwrap();
    let error = watched.protocol().await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(started.elapsed() < FIRST_REQUEST + Duration::from_secs(1));
}

/// Bytes of a new connection: a head, a preface, or something between them.
fn beginnings() -> impl Strategy<Value = Vec<u8>> {
    let rest = prop::collection::vec(any::<u8>(), 0..200);
    (0..=H2_PREFACE.len(), rest).prop_map(|(count, rest)| [&H2_PREFACE[..count], &rest].concat())
}

proptest! {
    #[test]
    fn a_preface_alone_tells_of_http_2_and_no_byte_is_lost(
        sent in beginnings(), cut in any::<prop::sample::Index>(), size in 1_usize..300,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let received = runtime.block_on(async {
            let (mut client, mut watched, _) = connected();
            let (first, second) = sent.split_at(cut.index(sent.len() + 1));
            let sending = async {
                client.write_all(first).await.unwrap();
                tokio::task::yield_now().await;
                client.write_all(second).await.unwrap();
                drop(client);
            };
            let (protocol, ()) = tokio::join!(watched.protocol(), sending);
            let expected = if sent.starts_with(H2_PREFACE) { Protocol::Http2 } else { Protocol::Http1 };
            assert_eq!(protocol.unwrap(), expected);
            let mut buffer = vec![0; size];
            let count = watched.read(&mut buffer).await.unwrap();
            // The rest has arrived: it is read with what told the protocol, however large that was.
            assert_eq!(count, size.min(sent.len()));
            let mut received = buffer[..count].to_vec();
            watched.read_to_end(&mut received).await.unwrap();
            received
        });
        prop_assert_eq!(received, sent);
    }
}
