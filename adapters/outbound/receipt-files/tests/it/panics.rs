//! Panics of the threads that read files, which are told as damage.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

static COUNTED: AtomicUsize = AtomicUsize::new(0);
static HOOK: LazyLock<()> = LazyLock::new(|| {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        // Those of tests are failures already.
        if thread::current()
            .name()
            .is_some_and(|name| name.starts_with("tokio"))
        {
            COUNTED.fetch_add(1, Ordering::Relaxed);
        }
        usual(panicked);
    }));
});

/// Number of panics since the first call.
pub(crate) fn count() -> usize {
    LazyLock::force(&HOOK);
    COUNTED.load(Ordering::Relaxed)
}
