//! Questions of callers: request bodies that are read on demand.

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};

/// Computes a canonical form of the request from its body, or from the error of reading it.
type Content<'a, E> = dyn Fn(Result<&[u8], &E>) -> Option<Vec<u8>> + Send + 'a;
/// Parses a body.
type Parse<'a, Q, E> = dyn FnOnce(Bytes) -> Result<Q, E> + Send + 'a;

/// A caller's question, whose body is read only after admission. `Q` is the parsed question, `E` the error of
/// an invalid one.
pub struct Question<'a, Q, E> {
    /// Future that reads the body.
    pub body: BoxFuture<'a, Result<Bytes, E>>,
    /// Computes method, path and body in a canonical form, from the body; `None` after an error that the same
    /// request may not have again.
    pub content: Box<Content<'a, E>>,
    /// Parses the body.
    pub parse: Box<Parse<'a, Q, E>>,
}

impl<Q, E: Send + 'static> Question<'_, Q, E> {
    /// Reads and parses the body.
    pub(super) async fn read(self) -> Result<Q, E> {
        (self.parse)(self.body.await?)
    }

    /// Reads the body, and returns the canonical form of the request, if it has one. If the body can't be read,
    /// [`Self::read`] returns the error.
    pub(super) async fn content(&mut self) -> Option<Vec<u8>> {
        let body = (&mut self.body).await;
        let content = (self.content)(body.as_deref());
        self.body = ready(body).boxed();
        content
    }
}
