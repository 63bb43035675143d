//! Connections as clients see them.

use axum::body::Bytes;
use axum::routing::get;
use futures::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::time::{Instant, sleep};

use super::*;

/// A download of so many parts, one in twenty seconds.
fn download(parts: u32) -> Body {
    let parts = stream::unfold(parts, |left| async move {
        let left = left.checked_sub(1)?;
        sleep(Duration::from_secs(20)).await;
        Some((Ok::<_, Infallible>(Bytes::from_static(b"part.")), left))
    });
    Body::from_stream(parts)
}

#[tokio::test(start_paused = true)]
async fn a_download_may_take_longer_than_a_connection_may_be_idle() {
    let server = Server {
        http1: http1(),
        http2: http2(),
        router: Router::new().route("/", get(async || download(30))),
        proxies: Arc::default(),
        stopping: CancellationToken::new(),
    };
    let (mut client, stream) = duplex(1024);
    tokio::spawn(async move {
        let peer = IpAddr::from([127, 0, 0, 1]);
        server.serve_stream(stream, peer, ()).await;
    });
    let started = Instant::now();
    let request = b"GET / HTTP/1.1\r\nhost: gateway\r\n\r\n";
    client.write_all(request).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer.matches("part.").count(), 30);
    assert!(answer.ends_with("0\r\n\r\n"), "{answer}");
    // Afterwards it is idle, and is closed as any other.
    let took = started.elapsed().as_secs();
    assert!((600 + 75..600 + 80).contains(&took), "{took} s");
}
