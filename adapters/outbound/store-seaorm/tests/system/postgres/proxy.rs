//! A proxy between a program and its database, with faults on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Mode of the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Open,
    /// Answers are dropped while the connections stay open.
    Silent,
    /// The next query with these bytes in it gets through; its connection ends at once, and its
    /// answer is lost.
    LoseAnswer(&'static [u8]),
}

#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) port: u16,
    way: watch::Sender<Way>,
    lost: Arc<AtomicU32>,
}

impl Proxy {
    pub(crate) async fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            way: watch::Sender::new(Way::Open),
            lost: Arc::default(),
        };
        tokio::spawn({
            let proxy = proxy.clone();
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    if let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await {
                        tokio::spawn(proxy.clone().join(client, server));
                    }
                }
            }
        });
        proxy
    }

    pub(crate) fn set(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// Queries whose answers were lost.
    pub(crate) fn lost(&self) -> u32 {
        self.lost.load(Ordering::SeqCst)
    }

    async fn join(self, client: TcpStream, server: TcpStream) {
        let ((from_client, to_client), (from_server, to_server)) =
            (client.into_split(), server.into_split());
        tokio::select! {
            () = self.questions(from_client, to_server) => {}
            () = self.answers(from_server, to_client) => {}
        }
    }

    async fn questions(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut buffer = vec![0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let asked = &buffer[..length];
            if to.write_all(asked).await.is_err() {
                return;
            }
            let way = *self.way.borrow();
            if let Way::LoseAnswer(to) = way
                && asked.windows(to.len()).any(|bytes| bytes == to)
            {
                self.lost.fetch_add(1, Ordering::SeqCst);
                self.set(Way::Open);
                return;
            }
        }
    }

    async fn answers(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut buffer = vec![0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let silent = *self.way.borrow() == Way::Silent;
            if !silent && to.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    }
}
