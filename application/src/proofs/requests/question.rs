//! Questions of callers, before they are read.

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};

/// What tells a request with this body from others.
type Content<'a> = dyn Fn(&[u8]) -> Vec<u8> + Send + 'a;
/// The parser of a body.
type Parse<'a, Q, E> = dyn FnOnce(Bytes) -> Result<Q, E> + Send + 'a;

/// A caller's question: nothing of its body is read before it is needed. `Q` is the parsed question, `E` what is
/// wrong with it.
pub struct Question<'a, Q, E> {
    /// Reads the body.
    pub body: BoxFuture<'a, Result<Bytes, E>>,
    /// Method, path and body in a form that is the same for every spelling of one request.
    pub content: Box<Content<'a>>,
    /// Parses the body.
    pub parse: Box<Parse<'a, Q, E>>,
}

impl<Q, E: Send + 'static> Question<'_, Q, E> {
    /// Reads the body and parses it.
    pub(super) async fn read(self) -> Result<Q, E> {
        (self.parse)(self.body.await?)
    }

    /// Reads the body, and returns what tells the request from others; `None` if it can't be read, as
    /// [`Self::read`] will say.
    pub(super) async fn content(&mut self) -> Option<Vec<u8>> {
        let body = (&mut self.body).await;
        let content = body.as_deref().ok().map(&self.content);
        self.body = ready(body).boxed();
        content
    }
}
