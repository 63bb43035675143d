//! Subscriptions over a WebSocket with the sub-protocol `graphql-transport-ws`.
//!
//! The handshake passes the session guard like every request, so pages of other sites are refused.
//! async-graphql implements the sub-protocol. `connection` handles timeouts and closing, `session` rechecks
//! the session, `places` limits connections and subscriptions, and `operations` executes subscriptions.

mod connection;
mod operations;
mod places;
mod session;

use std::sync::Arc;

use async_graphql_axum::GraphQLProtocol;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Extension, FromRequestParts as _, Request, State};
use axum::http::HeaderValue;
use axum::http::header::SEC_WEBSOCKET_PROTOCOL;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use tokio_util::sync::CancellationToken;
use web::{Problem, RequestContext, SessionGuard};

use crate::endpoint::Endpoint;
use crate::request::MAX_BODY_BYTES;
use places::{MAX_CONNECTIONS, Places};
use session::Session;

/// The supported sub-protocol. async-graphql also implements its unmaintained predecessor.
const PROTOCOL: &str = "graphql-transport-ws";

pub(crate) struct WebSockets {
    endpoint: Arc<Endpoint>,
    guard: Arc<SessionGuard>,
    places: Places,
    /// Canceled when the server shuts down.
    stopping: CancellationToken,
}

impl WebSockets {
    pub(crate) fn new(
        endpoint: Arc<Endpoint>,
        guard: Arc<SessionGuard>,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            endpoint,
            guard,
            places: Places::default(),
            stopping,
        }
    }
}

/// Handles a WebSocket handshake.
pub(crate) async fn upgrade(
    State(sockets): State<Arc<WebSockets>>,
    Extension(context): Extension<RequestContext>,
    request: Request,
) -> Response {
    let (mut parts, _) = request.into_parts();
    let Some((upgrade, protocol)) = handshake(&mut parts).await else {
        return Problem::WebSocketRequired { protocol: PROTOCOL }.into_response();
    };
    let token = sockets.guard.site.session_cookie().read(&parts.headers);
    let Some(token) = token.map(str::to_owned) else {
        return Problem::Unauthenticated.into_response();
    };
    let Some(place) = sockets.places.connect(&token) else {
        let most = MAX_CONNECTIONS;
        return Problem::TooManyWebSockets { most }.into_response();
    };
    let session = Session {
        guard: Arc::clone(&sockets.guard),
        token,
        context,
        place,
    };
    let endpoint = Arc::clone(&sockets.endpoint);
    let tasks = endpoint.request_layer.tasks.clone();
    let stopping = sockets.stopping.clone();
    upgrade
        .max_message_size(MAX_BODY_BYTES)
        .max_frame_size(MAX_BODY_BYTES)
        .on_upgrade(move |socket| {
            let connection = connection::serve(socket, protocol, (endpoint, session), stopping);
            tasks.track_future(connection)
        })
}

/// The extractors of a valid handshake; `None` for any other request.
async fn handshake(parts: &mut Parts) -> Option<(WebSocketUpgrade, GraphQLProtocol)> {
    let upgrade = WebSocketUpgrade::from_request_parts(parts, &()).await;
    let upgrade = upgrade.ok()?.protocols([PROTOCOL]);
    upgrade.selected_protocol()?;
    // async-graphql would select the client's first sub-protocol that it knows, even the predecessor.
    let selected = HeaderValue::from_static(PROTOCOL);
    parts.headers.insert(SEC_WEBSOCKET_PROTOCOL, selected);
    let protocol = GraphQLProtocol::from_request_parts(parts, &()).await;
    Some((upgrade, protocol.ok()?))
}
