//! Log lines captured on a thread.

use std::io;
use std::sync::{Arc, Mutex, Once};

use serde_json::Value;
use tracing::Subscriber;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// Captured log: lines of JSON. Clones share the lines.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<u8>>>);

/// Captures everything that is logged on this thread while the guard lives; a test's server runs on
/// its thread, too.
pub fn listen() -> (Lines, DefaultGuard) {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(lines.clone())
        .finish();
    (lines, listen_with(subscriber))
}

/// Gives this thread's log to a subscriber while the guard lives.
pub fn listen_with(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    static OF_ALL_THREADS: Once = Once::new();
    // The level that is logged at all is one for the process. Without a subscriber that wants everything, a
    // thread misses lines while subscribers of others come and go.
    OF_ALL_THREADS.call_once(|| {
        let everything = tracing_subscriber::registry();
        tracing::subscriber::set_global_default(everything).unwrap();
    });
    tracing::subscriber::set_default(subscriber)
}

impl Lines {
    /// The whole log.
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines of a target, each an object with its `level` and its `fields`.
    pub fn of(&self, target: &str) -> Vec<Value> {
        self.text()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["target"] == target)
            .collect()
    }

    /// The fields of the lines of a target.
    pub fn fields_of(&self, target: &str) -> Vec<Value> {
        let lines = self.of(target).into_iter();
        lines.map(|mut line| line["fields"].take()).collect()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
