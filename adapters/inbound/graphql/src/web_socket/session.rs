//! The session of a connection, which is rechecked while the connection is open.

use std::sync::Arc;
use std::time::Duration;

use application::Person;
use axum::extract::ws::{CloseFrame, Utf8Bytes, close_code};
use tokio::time::{sleep, timeout};
use web::problem::GraphqlProblem;
use web::{Problem, RequestContext, SessionGuard};

use super::places::ConnectionPlace;

/// Time between two checks.
const INTERVAL: Duration = Duration::from_millis(2_500);
/// Deadline of a check.
const DEADLINE: Duration = Duration::from_secs(2);
/// Failed checks in a row that close the connection. With the times above, the end of a session is noticed
/// within 9 s.
const MAX_FAILURES: u32 = 2;

/// Close code of `graphql-transport-ws`: "Unauthorized".
const UNAUTHORIZED: u16 = 4401;

/// Data needed to recheck the session of a connection.
pub(super) struct Session {
    pub(super) guard: Arc<SessionGuard>,
    pub(super) token: String,
    /// Context of the upgrade request.
    pub(super) context: RequestContext,
    pub(super) place: ConnectionPlace,
}

impl Session {
    /// Checks the session, and counts the check as one of its requests.
    pub(super) async fn check(&self) -> Result<Person, GraphqlProblem> {
        let checked = self.guard.check(&self.token, &self.context.request_id);
        match timeout(DEADLINE, checked).await {
            Ok(Ok(person)) => Ok(person),
            Ok(Err(Problem::Unauthenticated)) => Err(GraphqlProblem::SessionEnded),
            Ok(Err(Problem::TooManyRequests { retry_after, .. })) => {
                Err(GraphqlProblem::SessionBusy { retry_after })
            }
            Ok(Err(_)) | Err(_) => Err(GraphqlProblem::SessionUnchecked),
        }
    }

    /// Waits until the session has ended or can't be checked. Returns the close frame to send.
    pub(super) async fn ended(&self) -> CloseFrame {
        let mut failures = 0;
        loop {
            sleep(INTERVAL).await;
            match self.check().await {
                Ok(_) => failures = 0,
                Err(GraphqlProblem::SessionEnded) => {
                    return CloseFrame {
                        code: UNAUTHORIZED,
                        reason: Utf8Bytes::from_static("Unauthorized"),
                    };
                }
                Err(_) => failures += 1,
            }
            if failures == MAX_FAILURES {
                return CloseFrame {
                    code: close_code::AGAIN,
                    reason: Utf8Bytes::from_static("the session can't be checked"),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use domain::people::customer::Role;
    use ports::outbound::TokenError;
    use testkit::people::PeopleServices;
    use tokio::time::Instant;
    use web::{Origin, Site};

    use super::*;
    use crate::web_socket::places::Places;

    const TOKEN: &str = "member";
    const MOST: Duration = Duration::from_secs(9);

    fn services() -> PeopleServices {
        let services = PeopleServices::at("2026-11-21T06:23:27Z".parse().unwrap());
        services.sign_in(TOKEN, "member", Role::Member);
        services
    }

    fn session(services: &PeopleServices) -> Session {
        let public = Origin::parse("http://127.0.0.1:8080").unwrap();
        let (clock, random) = (&*services.clock, &*services.random);
        Session {
            guard: Arc::new(SessionGuard {
                sessions: services.sessions.clone(),
                site: Arc::new(Site::new(public, Vec::new(), None).unwrap()),
            }),
            token: TOKEN.to_owned(),
            context: RequestContext::new(&HeaderMap::new(), clock, random),
            place: Places::default().connect(TOKEN).unwrap(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_goes_on_is_checked_and_not_ended() {
        let services = services();
        let session = session(&services);
        let checked = timeout(Duration::from_secs(59), session.ended()).await;
        assert!(checked.is_err(), "{checked:?}");
        assert_eq!(services.identity.times_verified(), 23);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_is_signed_out_ends() {
        let services = services();
        let session = session(&services);
        services.sessions.end(TOKEN).await.unwrap();
        let began = Instant::now();
        assert_eq!(session.ended().await.code, UNAUTHORIZED);
        assert!(began.elapsed() <= MOST);
        let ended = session.check().await;
        assert!(matches!(ended, Err(GraphqlProblem::SessionEnded)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_cannot_be_checked_ends_in_the_same_time() {
        let services = services();
        let session = session(&services);
        let down = TokenError::Unavailable(Arc::new(std::fmt::Error));
        services.identity.fail_verifying_with(Some(down));
        let began = Instant::now();
        assert_eq!(session.ended().await.code, close_code::AGAIN);
        assert!(began.elapsed() <= MOST, "{:?}", began.elapsed());
    }
}
