//! Notifications of lookups from other processes, by PostgreSQL's `LISTEN`.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use domain::lookups::LookupId;
use ports::outbound::{LookupNotification, LookupNotifications, StoreError};
use sea_orm::sqlx::postgres::PgListener;
use sea_orm::sqlx::{Error, query};
use tokio::time::timeout;

use crate::connection::{FirstConnection, Place, StoreOptions};
use crate::error::{AnswerTimeout, failed};
use crate::notifier::{ADDED, CHANNEL};
use crate::store::Store;

/// Number of connection timeouts without a notification after which a connection is tested.
const TEST_AFTER: u32 = 3;

/// Receives the notifications of other processes that use the same PostgreSQL database.
pub struct NotificationChannel {
    place: Place,
    options: StoreOptions,
    /// Name of this process, whose own notifications are ignored.
    writer: Arc<OnceLock<String>>,
}

impl Store {
    /// Notifications of other processes; `None` on SQLite, which only one process serves.
    pub fn notifications(&self) -> Option<NotificationChannel> {
        match self.place {
            Place::Sqlite(_) => None,
            Place::Postgres(_) => Some(NotificationChannel {
                place: self.place.clone(),
                options: self.options,
                writer: Arc::clone(&self.writer),
            }),
        }
    }
}

#[async_trait]
impl LookupNotifications for NotificationChannel {
    async fn listen(&self, notify: &(dyn Fn(LookupNotification) + Send + Sync)) -> StoreError {
        match self.pass_on(notify).await {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }
}

impl NotificationChannel {
    async fn pass_on(
        &self,
        notify: &(dyn Fn(LookupNotification) + Send + Sync),
    ) -> Result<Infallible, StoreError> {
        let mut listener = self.connect().await?;
        notify(LookupNotification::Listening);
        let quiet = TEST_AFTER * self.options.connect_timeout;
        loop {
            let received = timeout(quiet, listener.try_recv());
            match received.await {
                Ok(received) => {
                    let notification = received.map_err(failed)?.ok_or_else(connection_lost)?;
                    self.read(notification.payload()).map(notify);
                }
                Err(_) => self.test(&mut listener).await?,
            }
        }
    }

    /// Listens over a separate connection, which isn't part of the pool.
    async fn connect(&self) -> Result<PgListener, StoreError> {
        let connection = self
            .place
            .connect(1, FirstConnection::Later, self.options)
            .await
            .map_err(failed)?;
        let pool = connection.get_postgres_connection_pool();
        let patience = self.options.connect_timeout + self.options.statement_timeout;
        let listening = timeout(patience, async {
            let mut listener = PgListener::connect_with(pool).await?;
            listener.eager_reconnect(false);
            listener.listen(CHANNEL).await?;
            Ok::<_, Error>(listener)
        });
        let listening = listening.await;
        let listening = listening.map_err(|_| failed(AnswerTimeout(patience)))?;
        listening.map_err(failed)
    }

    /// Checks that the server still answers. One that disappeared without closing its connections
    /// sends nothing more.
    async fn test(&self, listener: &mut PgListener) -> Result<(), StoreError> {
        let patience = self.options.connect_timeout;
        let answered = timeout(patience, query("SELECT 1").execute(listener)).await;
        let answered = answered.map_err(|_| failed(AnswerTimeout(patience)))?;
        answered.map(drop).map_err(failed)
    }

    /// Reads a notification; `None` for our own, and for an unknown one of a newer version.
    fn read(&self, payload: &str) -> Option<LookupNotification> {
        let (writer, content) = payload.split_once(' ')?;
        if self.writer.get().is_some_and(|own| own == writer) {
            return None;
        }
        match content {
            ADDED => Some(LookupNotification::Added),
            id => {
                let id = id.parse().ok()?;
                Some(LookupNotification::Changed(LookupId(id)))
            }
        }
    }
}

fn connection_lost() -> StoreError {
    failed(io::Error::from(io::ErrorKind::ConnectionReset))
}
