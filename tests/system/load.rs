//! Load: many requests for one proof, over kept-alive connections, at little cost to the machine,
//! which the gateways run on too.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use crate::gateway::{Gateway, Key, eventually, request};

/// The longest that an answer may take by default.
const PATIENCE: Duration = Duration::from_secs(30);

/// One connection to a gateway.
pub(crate) struct Asker {
    address: SocketAddr,
    /// Its own address, of this machine's.
    from: IpAddr,
    stream: Option<TcpStream>,
    received: Vec<u8>,
    patience: Duration,
}

/// An answer, and the time of its arrival.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) sent: Instant,
    pub(crate) received: Instant,
    head: String,
}

impl Answer {
    /// The value of a header field.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.split("\r\n").skip(1);
        lines.find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The time from the request to it.
    pub(crate) fn took(&self) -> Duration {
        self.received - self.sent
    }

    /// The rest of the month's quota, and the seconds to its end.
    pub(crate) fn month(&self) -> Option<(u64, u64)> {
        let (_, month) = self.header("ratelimit")?.split_once("\"month\";r=")?;
        let (left, reset) = month.split_once(";t=")?;
        Some((left.parse().ok()?, reset.parse().ok()?))
    }
}

/// A request with this key, for a proof that the gateway has cached after the first one.
pub(crate) fn question(key: &Key) -> Vec<u8> {
    question_of(key, 1)
}

/// A request with this key; every number is another transfer.
pub(crate) fn question_of(key: &Key, number: u32) -> Vec<u8> {
    let body = request(number, "10.00").to_string();
    format!(
        "POST /v1/cep/xml HTTP/1.1\r\nhost: gateway\r\nx-api-key: {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        key.full,
        body.len()
    )
    .into_bytes()
}

impl Asker {
    /// An asker that connects with its first request.
    pub(crate) fn new(gateway: &Gateway) -> Self {
        Self {
            address: gateway.address,
            from: IpAddr::V4(Ipv4Addr::LOCALHOST),
            stream: None,
            received: Vec::new(),
            patience: PATIENCE,
        }
    }

    /// Sets its own address, of this machine's.
    pub(crate) fn from(mut self, address: [u8; 4]) -> Self {
        self.from = address.into();
        self
    }

    /// Sets the timeout of an answer.
    pub(crate) fn patient(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sends a request, and returns the answer. An answer whose head arrived was delivered, even if
    /// its body is cut off by the end of the gateway.
    ///
    /// # Errors
    /// Fails when there is no answer: the gateway is gone.
    pub(crate) async fn ask(&mut self, question: &[u8]) -> io::Result<Answer> {
        let asked = tokio::time::timeout(self.patience, self.exchange(question)).await;
        let answer = asked.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if answer.is_err() {
            self.stream = None;
        }
        answer
    }

    async fn exchange(&mut self, question: &[u8]) -> io::Result<Answer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connect(self.from, self.address).await?,
        };
        stream.set_nodelay(true)?;
        let sent = Instant::now();
        stream.write_all(question).await?;
        self.received.clear();
        let end = loop {
            if stream.read_buf(&mut self.received).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let mut windows = self.received.windows(4);
            if let Some(end) = windows.position(|four| four == b"\r\n\r\n") {
                break end;
            }
        };
        let head = String::from_utf8_lossy(&self.received[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let mut answer = Answer {
            status: status.unwrap_or_else(|| panic!("an answer without its status: {head}")),
            sent,
            received: sent,
            head,
        };
        let length = answer.header("content-length");
        let length = length.and_then(|length| length.parse::<usize>().ok());
        let whole = end + 4 + length.unwrap_or_else(|| panic!("without a length: {answer:?}"));
        while self.received.len() < whole
            && stream
                .read_buf(&mut self.received)
                .await
                .is_ok_and(|bytes| bytes > 0)
        {}
        answer.received = Instant::now();
        if self.received.len() >= whole && answer.header("connection") != Some("close") {
            self.stream = Some(stream);
        }
        Ok(answer)
    }
}

/// Askers that repeat their questions until they are stopped, each with a mark that tells its answers apart.
pub(crate) struct Load<M> {
    stop: Arc<AtomicBool>,
    answers: Arc<Mutex<Vec<(M, Answer)>>>,
    askers: Vec<JoinHandle<()>>,
}

impl<M: Copy + Send + 'static> Load<M> {
    /// Starts the askers, each of which pauses after an answer.
    pub(crate) fn start(
        askers: impl IntoIterator<Item = (M, Asker, Vec<u8>)>,
        pause: Duration,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answers = Arc::new(Mutex::new(Vec::new()));
        let askers = askers.into_iter().map(|(mark, mut asker, question)| {
            let (stop, answers) = (Arc::clone(&stop), Arc::clone(&answers));
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let answer = asker.ask(&question).await.unwrap();
                    answers.lock().unwrap().push((mark, answer));
                    tokio::time::sleep(pause).await;
                }
            })
        });
        Self {
            askers: askers.collect(),
            stop,
            answers,
        }
    }

    pub(crate) fn askers(&self) -> usize {
        self.askers.len()
    }

    /// Waits until there are so many more answers of this kind.
    pub(crate) async fn goes_on_by(
        &self,
        more: usize,
        is_one: impl Fn(&Answer) -> bool,
        patience: Duration,
    ) {
        let count = || {
            let answers = self.answers.lock().unwrap();
            answers.iter().filter(|(_, answer)| is_one(answer)).count()
        };
        let until = count() + more;
        let what = format!("{more} more answers");
        eventually(&what, patience, async || count() >= until).await;
    }

    /// Ends it, and returns the answers.
    pub(crate) async fn stopped(self) -> Vec<(M, Answer)> {
        self.stop.store(true, Ordering::Relaxed);
        for asker in self.askers {
            asker.await.unwrap();
        }
        std::mem::take(&mut self.answers.lock().unwrap())
    }
}

/// Connects from one of this machine's addresses.
pub(crate) async fn connect(from: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

/// The most of these instants that lie within any 60 seconds.
pub(crate) fn most_in_a_minute(instants: impl IntoIterator<Item = Instant>) -> usize {
    let mut instants: Vec<_> = instants.into_iter().collect();
    instants.sort_unstable();
    let mut from = 0;
    let mut most = 0;
    for (to, instant) in instants.iter().enumerate() {
        while *instant - instants[from] >= Duration::from_mins(1) {
            from += 1;
        }
        most = most.max(to + 1 - from);
    }
    most
}

/// Deterministic pseudo-random numbers (xorshift64*).
pub(crate) struct SeededRng(u64);

impl SeededRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap() % end
    }
}
