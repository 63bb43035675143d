//! Queues of log lines: requests don't wait for the log to be written, so lines beyond a limit are
//! dropped and counted.
//!
//! Anybody can fill a queue with requests, so lines about changes of keys have one of their own, with
//! a thread of its own.

use std::io::Write;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tracing::Metadata;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::fmt::MakeWriter;

/// Target of the line that tells how many lines were dropped.
pub(super) const DROPS: &str = "cep::log";
/// Targets of the reserved queue: changes of keys and plans, and the report of dropped lines.
const RESERVED: [&str; 2] = ["cep::keys", DROPS];
/// Capacity of the ordinary queue, in lines.
const ORDINARY_WAITING: usize = 32_768;
/// Capacity of the reserved queue, in lines: some 30 MiB. Changes are made by signed-in people and
/// are also in the audit log, so it fills only if standard error blocks for hours.
const RESERVED_WAITING: usize = 65_536;
/// Time limit for writing the remaining lines at shutdown.
const FLUSH_DEADLINE: Duration = Duration::from_secs(1);

/// Numbers of lines that were dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DropCounts {
    /// Lines about requests and everything else.
    pub(crate) ordinary: u64,
    /// Lines about changes of keys.
    pub(crate) reserved: u64,
}

/// The queues. Clones share them.
#[derive(Clone)]
pub(super) struct Queues {
    ordinary: NonBlocking,
    reserved: NonBlocking,
}

/// The threads that write the lines. Dropping them writes the waiting ones, for a second at most.
pub(super) struct Workers(Option<[WorkerGuard; 2]>);

impl Queues {
    /// Starts the threads; each writes to an output of its own.
    pub(super) fn start<W: Write + Send + 'static>(outputs: [W; 2]) -> (Self, Workers) {
        let [ordinary, reserved] = outputs;
        let start = |capacity, name, output| {
            NonBlockingBuilder::default()
                .buffered_lines_limit(capacity)
                .thread_name(name)
                .finish(output)
        };
        let (ordinary, worker) = start(ORDINARY_WAITING, "log", ordinary);
        let (reserved, worker_of_reserved) = start(RESERVED_WAITING, "log-of-changes", reserved);
        let workers = Workers(Some([worker, worker_of_reserved]));
        (Self { ordinary, reserved }, workers)
    }

    pub(super) fn dropped(&self) -> DropCounts {
        let [ordinary, reserved] = [&self.ordinary, &self.reserved]
            .map(|queue| u64::try_from(queue.error_counter().dropped_lines()).unwrap_or(u64::MAX));
        DropCounts { ordinary, reserved }
    }
}

impl<'a> MakeWriter<'a> for Queues {
    type Writer = NonBlocking;

    fn make_writer(&'a self) -> NonBlocking {
        self.ordinary.clone()
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> NonBlocking {
        if RESERVED.contains(&event.target()) {
            self.reserved.clone()
        } else {
            self.ordinary.clone()
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let guards = self.0.take();
        let (sender, ended) = mpsc::channel();
        // A blocked standard error must not keep the program from ending. The library prints when a queue is
        // full, which may block, too.
        let flushing = thread::Builder::new().spawn(move || {
            drop(guards);
            // The receiver is gone once the deadline has passed.
            let _ = sender.send(());
        });
        if flushing.is_ok() {
            let _ = ended.recv_timeout(FLUSH_DEADLINE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

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

    /// What a test has of the output of a queue: it lets lines be written, and reads them.
    struct Reader {
        permit: mpsc::Sender<()>,
        lines: mpsc::Receiver<String>,
    }

    fn slow_output() -> (SlowOutput, Reader) {
        let (permit, permits) = mpsc::channel();
        let (written, lines) = mpsc::channel();
        (SlowOutput { permits, written }, Reader { permit, lines })
    }

    /// Queues, their threads, and the readers of ordinary and reserved lines.
    fn queues() -> (Queues, Workers, [Reader; 2]) {
        let [(ordinary, reader), (reserved, reader_of_reserved)] = [slow_output(), slow_output()];
        let (queues, workers) = Queues::start([ordinary, reserved]);
        (queues, workers, [reader, reader_of_reserved])
    }

    fn request(queues: &Queues) {
        queues.make_writer().write_all(b"request").unwrap();
    }

    fn revocation(queues: &Queues) {
        queues.reserved.clone().write_all(b"revocation").unwrap();
    }

    fn drops(queues: &Queues) -> (u64, u64) {
        let DropCounts { ordinary, reserved } = queues.dropped();
        (ordinary, reserved)
    }

    #[test]
    fn a_full_queue_drops_and_counts_lines_and_keeps_those_about_changes() {
        let (queues, _workers, [ordinary, reserved]) = queues();
        // The thread has one more in its hands.
        for _ in 0..ORDINARY_WAITING + 4 {
            request(&queues);
        }
        let (dropped, _) = drops(&queues);
        assert!((3..=4).contains(&dropped), "{dropped}");
        revocation(&queues);
        assert_eq!(drops(&queues), (dropped, 0));
        reserved.permit.send(()).unwrap();
        assert_eq!(reserved.lines.recv().unwrap(), "revocation");
        for _ in 0..ORDINARY_WAITING {
            ordinary.permit.send(()).unwrap();
        }
        let written = ordinary.lines.iter().take(ORDINARY_WAITING);
        assert!(written.into_iter().all(|line| line == "request"));
    }

    #[test]
    fn changes_that_nobody_reads_are_counted_once_there_is_no_room() {
        let (queues, _workers, _readers) = queues();
        for _ in 0..RESERVED_WAITING + 4 {
            revocation(&queues);
        }
        let (_, dropped) = drops(&queues);
        assert!((3..=4).contains(&dropped), "{dropped}");
    }

    #[test]
    fn what_waits_is_written_before_the_end() {
        let (queues, workers, [ordinary, _reserved]) = queues();
        for _ in 0..100 {
            ordinary.permit.send(()).unwrap();
            request(&queues);
        }
        drop(workers);
        assert_eq!(ordinary.lines.try_iter().count(), 100);
    }

    #[test]
    fn an_output_that_is_stuck_does_not_hold_up_the_end() {
        let (queues, workers, _readers) = queues();
        for _ in 0..ORDINARY_WAITING + 4 {
            request(&queues);
        }
        drop(workers);
    }
}
