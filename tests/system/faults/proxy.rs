//! A TCP proxy between gateways and Redis, with faults on demand.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

/// Fault of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkFault {
    /// None.
    None,
    /// Connections are closed, and new ones too.
    Cut,
    /// Answers arrive so much later.
    Slow(Duration),
    /// Each answer ends in a reset after so many bytes.
    Reset { after: usize },
    /// Requests arrive, answers never do.
    BlackHole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Route {
    port: u16,
    fault: NetworkFault,
}

/// The proxy. It has a thread of its own, so that load in the test doesn't slow it down.
pub(crate) struct Proxy {
    port: u16,
    route: watch::Sender<Route>,
    _alive: oneshot::Sender<()>,
}

impl Proxy {
    /// A proxy to this port, without faults.
    pub(crate) fn to(port: u16) -> Self {
        let (route, seen) = watch::channel(Route {
            port,
            fault: NetworkFault::None,
        });
        let (alive, ended) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap().port()).unwrap();
                tokio::select! {
                    () = serve(listener, seen) => {}
                    _ = ended => {}
                }
            });
        });
        Self {
            port: told.recv().unwrap(),
            route,
            _alive: alive,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Changes the fault, for open connections too.
    pub(crate) fn set(&self, fault: NetworkFault) {
        self.route.send_modify(|route| route.fault = fault);
    }

    /// Forwards to another port from now on, and closes the connections to the one before.
    pub(crate) fn lead_to(&self, port: u16) {
        self.route.send_modify(|route| route.port = port);
    }
}

async fn serve(listener: TcpListener, route: watch::Receiver<Route>) {
    loop {
        let Ok((client, _)) = listener.accept().await else {
            continue;
        };
        let route = route.clone();
        tokio::spawn(async move {
            let begun = *route.borrow();
            if begun.fault != NetworkFault::Cut
                && let Ok(server) = TcpStream::connect(("127.0.0.1", begun.port)).await
            {
                // When one side closes, the other one sees it.
                let _ = carry(client, server, begun.port, route).await;
            }
        });
    }
}

/// Forwards bytes both ways until one side or the route is closed.
async fn carry(
    mut client: TcpStream,
    mut server: TcpStream,
    port: u16,
    mut route: watch::Receiver<Route>,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let mut asked = vec![0; 16 << 10];
    let mut answered = vec![0; 16 << 10];
    let mut on_their_way: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
    loop {
        let Route { port: now, fault } = *route.borrow_and_update();
        if now != port || fault == NetworkFault::Cut {
            return Ok(());
        }
        let due = on_their_way.front().map(|(due, _)| *due);
        tokio::select! {
            changed = route.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
            }
            read = client.read(&mut asked) => match read? {
                0 => return Ok(()),
                length => server.write_all(&asked[..length]).await?,
            },
            read = server.read(&mut answered) => {
                let answer = match read? {
                    0 => return Ok(()),
                    length => &answered[..length],
                };
                let delay = match fault {
                    NetworkFault::None | NetworkFault::Cut => Duration::ZERO,
                    NetworkFault::Slow(delay) => delay,
                    NetworkFault::Reset { after } => {
                        let beginning = &answer[..after.min(answer.len())];
                        client.write_all(beginning).await?;
                        client.set_zero_linger()?;
                        return Ok(());
                    }
                    NetworkFault::BlackHole => continue,
                };
                on_their_way.push_back((Instant::now() + delay, answer.to_vec()));
            }
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                if let Some((_, answer)) = on_their_way.pop_front() {
                    client.write_all(&answer).await?;
                }
            }
        }
    }
}
