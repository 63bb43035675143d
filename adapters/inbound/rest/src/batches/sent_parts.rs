//! Streamed bodies of downloads, generated as fast as the client reads.

use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendTimeoutError;
use tracing::Instrument as _;
use web::RequestContext;

use super::cut_off;

/// Maximum bytes of a chunk.
const PIECE: usize = 64 * 1024;
/// Time in which the client must read a chunk, about 2 kB/s: a pending download holds memory, and counts
/// towards its account's limit.
const PATIENCE: Duration = Duration::from_secs(30);

enum Piece {
    Bytes(Bytes),
    /// The body is complete.
    End,
}

/// The body ended before it was complete.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the rest was not sent")]
struct Unsent;

/// Reason why a body was aborted.
enum Cut<E> {
    Unmade(E),
    Stalled,
    /// The client disconnected.
    Gone,
}

/// A body of these parts, which a task of `runtime` generates one after another. The task ends, and drops
/// the stream, after the last part, after an error, once the body is dropped, or when the client reads too
/// slowly. An incomplete body ends with an error, so that clients don't take it for a complete one.
pub(super) fn body<E: Error + Send + 'static>(
    parts: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    context: RequestContext,
    runtime: &Handle,
) -> Body {
    let (sender, receiver) = mpsc::channel(1);
    let sending = async move {
        match send_all(parts, &sender).await {
            Ok(()) | Err(Cut::Gone) => {}
            Err(Cut::Unmade(error)) => cut_off(&context, &error),
            Err(Cut::Stalled) => {
                let request_id = &context.request_id;
                tracing::info!(%request_id, "a download ended, since its reader took nothing any more");
            }
        }
    };
    runtime.spawn(sending.in_current_span());
    Body::from_stream(stream::try_unfold(receiver, |mut receiver| async move {
        match receiver.recv().await {
            Some(Piece::Bytes(bytes)) => Ok(Some((bytes, receiver))),
            Some(Piece::End) => Ok(None),
            None => Err(Unsent),
        }
    }))
}

async fn send_all<E>(
    parts: impl Stream<Item = Result<Bytes, E>>,
    sender: &mpsc::Sender<Piece>,
) -> Result<(), Cut<E>> {
    let mut parts = pin!(parts);
    while let Some(part) = parts.next().await {
        let mut part = part.map_err(Cut::Unmade)?;
        while !part.is_empty() {
            let piece = part.split_to(PIECE.min(part.len()));
            send(sender, Piece::Bytes(piece)).await?;
        }
    }
    send(sender, Piece::End).await
}

async fn send<E>(sender: &mpsc::Sender<Piece>, piece: Piece) -> Result<(), Cut<E>> {
    let sent = sender.send_timeout(piece, PATIENCE).await;
    sent.map_err(|error| match error {
        SendTimeoutError::Timeout(_) => Cut::Stalled,
        SendTimeoutError::Closed(_) => Cut::Gone,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::BodyDataStream;
    use domain::request::RequestId;
    use futures::TryStreamExt as _;
    use web::Language;

    use super::*;

    fn started(
        parts: impl Stream<Item = Result<Bytes, Unsent>> + Send + 'static,
    ) -> BodyDataStream {
        let context = RequestContext {
            request_id: RequestId::parse("test-1").unwrap(),
            language: Language::Spanish,
            started: Duration::ZERO,
        };
        body(parts, context, &Handle::current()).into_data_stream()
    }

    async fn rest(body: BodyDataStream) -> Result<Vec<Bytes>, axum::Error> {
        body.try_collect().await
    }

    /// So many parts of a megabyte, and the number of those that were made.
    fn parts(
        count: usize,
    ) -> (
        impl Stream<Item = Result<Bytes, Unsent>> + Send,
        Arc<AtomicUsize>,
    ) {
        let made = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&made);
        let parts = stream::iter(0..count).map(move |number| {
            counted.fetch_add(1, Ordering::Relaxed);
            let byte = u8::try_from(number % 256).unwrap_or_default();
            Ok(Bytes::from(vec![byte; 1 << 20]))
        });
        (parts, made)
    }

    #[tokio::test]
    async fn all_parts_arrive_and_none_is_made_before_it_is_needed() {
        let (parts, made) = parts(5);
        let mut body = started(parts);
        let first = body.next().await.unwrap().unwrap();
        assert_eq!(first.len(), PIECE);
        assert_eq!(made.load(Ordering::Relaxed), 1);
        let rest: Vec<_> = body.try_collect().await.unwrap();
        let rest = rest.concat();
        assert_eq!(first.len() + rest.len(), 5 << 20);
        assert!(rest.ends_with(&vec![4; 1 << 20]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_who_takes_nothing_any_more_gets_no_end() {
        let (parts, made) = parts(5);
        let mut body = started(parts);
        for _ in 0..20 {
            body.next().await.unwrap().unwrap();
            tokio::time::sleep(PATIENCE * 99 / 100).await;
        }
        tokio::time::sleep(PATIENCE).await;
        assert!(rest(body).await.is_err());
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    /// Over HTTP/2 nothing else ends it.
    #[tokio::test(start_paused = true)]
    async fn whatever_is_left_of_a_body_its_parts_are_dropped_once_it_stalls() {
        for taken in 0..3 {
            let (held, dropped) = tokio::sync::oneshot::channel::<()>();
            let parts = stream::iter([1, 2]).map(move |byte| {
                let _until_dropped = &held;
                Ok(Bytes::from(vec![byte; PIECE]))
            });
            let mut body = started(parts);
            for _ in 0..taken {
                body.next().await.unwrap().unwrap();
            }
            let limit = tokio::time::timeout(PATIENCE * 2, dropped).await;
            assert!(limit.is_ok(), "{taken} pieces were taken");
        }
    }

    #[tokio::test]
    async fn an_error_takes_the_place_of_the_end() {
        let (parts, _) = parts(1);
        let parts = parts.chain(stream::iter([Err(Unsent)]));
        assert!(rest(started(parts)).await.is_err());
    }
}
