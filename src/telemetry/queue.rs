//! Queue of log lines, and the thread that writes them.
//!
//! Requests must not wait for the log to be written, so lines beyond a limit are dropped and
//! counted. Anybody can fill that queue with requests; lines about changes of keys wait in a queue
//! of their own, which is written first.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use anyhow::{Context as _, Result};
use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

/// Targets of the reserved queue: changes of keys and plans, and the report of dropped lines.
const RESERVED: [&str; 2] = ["cep::keys", super::DROPS];
/// Capacity of the ordinary queue, in lines.
const ORDINARY_WAITING: usize = 32_768;
/// Capacity of the reserved queue, in lines: some 30 MiB. Changes are made by signed-in people and
/// are also in the audit log, so it fills only if standard error blocks for hours.
const RESERVED_WAITING: usize = 65_536;
/// Maximum number of lines taken out at once: few, so that a line about a change doesn't wait
/// behind them.
const BATCH: usize = 64;
/// Pause of the writer once it has written all lines: under load each round writes many lines, and
/// adding a line wakes no thread.
const PAUSE: Duration = Duration::from_millis(10);
/// Time limit for writing the remaining lines at shutdown.
const FLUSH_DEADLINE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Ordinary,
    Reserved,
}

/// Numbers of lines that were dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DropCounts {
    /// Lines about requests and everything else.
    pub(crate) ordinary: u64,
    /// Lines about changes of keys.
    pub(crate) reserved: u64,
}

/// Queue of lines. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    ordinary_dropped: AtomicU64,
    reserved_dropped: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    ordinary: VecDeque<Box<[u8]>>,
    reserved: VecDeque<Box<[u8]>>,
    /// True while the writer waits for lines.
    is_idle: bool,
    is_closed: bool,
}

impl Waiting {
    /// Takes the next lines to write: all reserved ones, otherwise a batch of ordinary ones.
    fn next(&mut self) -> Vec<Box<[u8]>> {
        let count = self.ordinary.len().min(BATCH);
        match self.reserved.len() {
            0 => self.ordinary.drain(..count).collect(),
            _ => self.reserved.drain(..).collect(),
        }
    }
}

impl Queue {
    pub(super) fn dropped(&self) -> DropCounts {
        DropCounts {
            ordinary: self.0.ordinary_dropped.load(Ordering::Relaxed),
            reserved: self.0.reserved_dropped.load(Ordering::Relaxed),
        }
    }

    /// Returns whether lines of the reserved queue wait.
    pub(super) fn has_reserved(&self) -> bool {
        !self.waiting().reserved.is_empty()
    }

    fn push(&self, class: Class, line: &[u8]) {
        let mut waiting = self.waiting();
        let (lines, most, dropped) = match class {
            Class::Ordinary => (
                &mut waiting.ordinary,
                ORDINARY_WAITING,
                &self.0.ordinary_dropped,
            ),
            Class::Reserved => (
                &mut waiting.reserved,
                RESERVED_WAITING,
                &self.0.reserved_dropped,
            ),
        };
        if lines.len() >= most {
            dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        lines.push_back(line.into());
        let is_idle = std::mem::take(&mut waiting.is_idle);
        drop(waiting);
        if is_idle {
            self.0.changed.notify_one();
        }
    }

    /// Writes lines until the queue is closed and empty. Lines that can't be written are lost:
    /// there is no other place to report the error.
    fn write_to(&self, mut output: impl Write) {
        loop {
            let mut waiting = self.waiting();
            let mut lines = waiting.next();
            if lines.is_empty() {
                drop(waiting);
                let _ = output.flush();
                waiting = self.pause();
                lines = waiting.next();
            }
            if lines.is_empty() {
                if waiting.is_closed {
                    return;
                }
                waiting.is_idle = true;
                let woken = self.0.changed.wait(waiting);
                drop(woken.unwrap_or_else(PoisonError::into_inner));
                continue;
            }
            drop(waiting);
            for line in lines {
                let _ = output.write_all(&line);
            }
        }
    }

    /// Waits for [`PAUSE`], or until the queue is closed.
    fn pause(&self) -> MutexGuard<'_, Waiting> {
        let is_open = |waiting: &mut Waiting| !waiting.is_closed;
        let paused = self
            .0
            .changed
            .wait_timeout_while(self.waiting(), PAUSE, is_open);
        paused.unwrap_or_else(PoisonError::into_inner).0
    }

    fn writer_of(&self, class: Class) -> LineWriter {
        let queue = self.clone();
        LineWriter { queue, class }
    }

    fn close(&self) {
        self.waiting().is_closed = true;
        self.0.changed.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for Queue {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        self.writer_of(Class::Ordinary)
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> LineWriter {
        let is_reserved = RESERVED.contains(&event.target());
        self.writer_of(if is_reserved {
            Class::Reserved
        } else {
            Class::Ordinary
        })
    }
}

/// Writer of one event. The library passes each line in one call.
pub(super) struct LineWriter {
    queue: Queue,
    class: Class,
}

impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.queue.push(self.class, line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The writing thread. Dropping it writes the waiting lines, for a second at most.
pub(super) struct Worker {
    queue: Queue,
    ended: mpsc::Receiver<()>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread left.
    pub(super) fn start(queue: Queue, output: impl Write + Send + 'static) -> Result<Self> {
        let (sender, ended) = mpsc::channel();
        let written = queue.clone();
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || {
                written.write_to(output);
                // The receiver is gone once the deadline has passed.
                let _ = sender.send(());
            })
            .context("starting the thread of the log")?;
        Ok(Self { queue, ended })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.queue.close();
        // A blocked standard error must not keep the program from ending.
        let _ = self.ended.recv_timeout(FLUSH_DEADLINE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output whose reader takes a line when it is let.
    struct SlowOutput {
        permits: mpsc::Receiver<()>,
        written: mpsc::Sender<String>,
    }

    impl Write for SlowOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.permits.recv().map_err(io::Error::other)?;
            let line = String::from_utf8(bytes.to_vec()).unwrap();
            self.written.send(line).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow_output() -> (SlowOutput, mpsc::Sender<()>, mpsc::Receiver<String>) {
        let (permit, permits) = mpsc::channel();
        let (written, lines) = mpsc::channel();
        (SlowOutput { permits, written }, permit, lines)
    }

    fn drops(queue: &Queue) -> (u64, u64) {
        let DropCounts { ordinary, reserved } = queue.dropped();
        (ordinary, reserved)
    }

    #[test]
    fn a_full_queue_drops_and_counts_lines_and_keeps_those_about_changes() {
        let queue = Queue::default();
        let (output, permit, lines) = slow_output();
        for _ in 0..ORDINARY_WAITING {
            queue.push(Class::Ordinary, b"request");
        }
        queue.push(Class::Ordinary, b"dropped");
        queue.push(Class::Reserved, b"revocation");
        assert_eq!(drops(&queue), (1, 0));
        let _worker = Worker::start(queue, output).unwrap();
        for _ in 0..=ORDINARY_WAITING {
            permit.send(()).unwrap();
        }
        assert_eq!(lines.recv().unwrap(), "revocation");
        let rest: Vec<_> = lines.iter().take(ORDINARY_WAITING).collect();
        assert!(rest.iter().all(|line| line == "request"));
    }

    #[test]
    fn a_line_about_a_change_waits_for_few_others() {
        let queue = Queue::default();
        let (output, permit, lines) = slow_output();
        for _ in 0..10 * BATCH {
            queue.push(Class::Ordinary, b"request");
        }
        let _worker = Worker::start(queue.clone(), output).unwrap();
        permit.send(()).unwrap();
        assert_eq!(lines.recv().unwrap(), "request");
        queue.push(Class::Reserved, b"revocation");
        for _ in 0..10 * BATCH {
            permit.send(()).unwrap();
        }
        let before = lines.iter().take_while(|line| line == "request").count();
        assert!(before < BATCH, "{before}");
    }

    #[test]
    fn changes_that_nobody_reads_are_counted_once_there_is_no_room() {
        let queue = Queue::default();
        for _ in 0..RESERVED_WAITING + 3 {
            queue.push(Class::Reserved, b"revocation");
        }
        assert_eq!(drops(&queue), (0, 3));
    }

    #[test]
    fn what_waits_is_written_before_the_end() {
        let queue = Queue::default();
        let (output, permit, lines) = slow_output();
        let worker = Worker::start(queue.clone(), output).unwrap();
        for _ in 0..100 {
            permit.send(()).unwrap();
            queue.push(Class::Ordinary, b"request");
        }
        drop(worker);
        assert_eq!(lines.try_iter().count(), 100);
    }

    #[test]
    fn an_output_that_is_stuck_does_not_hold_up_the_end() {
        let queue = Queue::default();
        let (output, _permit, _lines) = slow_output();
        let worker = Worker::start(queue.clone(), output).unwrap();
        queue.push(Class::Ordinary, b"request");
        drop(worker);
    }
}
