//! SQLite's shared lock, which keeps other programs from removing the log: the serving process
//! holds it at every moment, by the kernel's account (`/proc`).

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use testkit::sqlite::holds_shared_lock;

use super::effects::Effects;
use super::programs::installed;
use super::round::in_rounds;
use crate::gateway::Gateway;

/// Pause between two checks.
const PAUSE: Duration = Duration::from_millis(5);

/// Checks the lock repeatedly on a thread of its own.
struct LockWatch {
    stop: Sender<()>,
    thread: JoinHandle<Looks>,
}

#[derive(Debug, Default)]
struct Looks {
    all: usize,
    without_lock: usize,
}

impl LockWatch {
    fn start(process: u32, database: PathBuf) -> Self {
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let mut looks = Looks::default();
            while stopped.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                looks.all += 1;
                looks.without_lock += usize::from(!holds_shared_lock(process, &database));
            }
            looks
        });
        Self { stop, thread }
    }

    fn stopped(self) -> Looks {
        drop(self.stop);
        self.thread.join().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_serving_process_holds_the_shared_lock_at_every_moment() {
    if !installed(&["sqlite3"]) {
        return;
    }
    let idle = Gateway::start();
    let idle_holds = holds_shared_lock(idle.id(), &idle.folder().join("data/cep.db"));
    drop(idle);
    in_rounds("the lock is looked at", async |round, row| {
        round.check(idle_holds, "an idle gateway holds the lock");
        let watch = LockWatch::start(round.gateway.id(), round.data().join("cep.db"));
        let mut effects = Effects::default();
        for _ in 0..3 {
            effects.measure(&round.gateway).await;
        }
        for _ in 0..3 {
            let read = round.sqlite().run(&["SELECT count(*) FROM api_keys"]);
            round.check(read.is_ok(), format!("a reader reads: {read:?}"));
        }
        round.goes_on(400).await;
        let looks = watch.stopped();
        round.check(
            looks.all > 10 && looks.without_lock == 0,
            format!("the lock is held at every look: {looks:?}"),
        );
        row.note(format!(
            "looks {}, without the lock {}",
            looks.all, looks.without_lock
        ));
        effects.check(round);
    })
    .await;
}
