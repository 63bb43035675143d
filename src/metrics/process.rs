//! Metrics of the process, from the operating system.

use super::names::{
    Metric, PROCESS_CPU, PROCESS_MAX_FDS, PROCESS_OPEN_FDS, PROCESS_RESIDENT_MEMORY,
    PROCESS_START_TIME, PROCESS_THREADS, PROCESS_VIRTUAL_MEMORY,
};
use super::{Metrics, number};

/// Samples the usual metrics of a process. A metric that can't be read keeps its value.
pub(super) fn read(metrics: &Metrics) {
    if let Ok((soft, _)) = rlimit::Resource::NOFILE.get() {
        set(metrics, &PROCESS_MAX_FDS, number(soft));
    }
    if let Err(error) = read_proc(metrics) {
        tracing::debug!(%error, "/proc could not be read");
    }
}

fn read_proc(metrics: &Metrics) -> procfs::ProcResult<()> {
    let process = procfs::process::Process::myself()?;
    let stat = process.stat()?;
    let ticks = number(procfs::ticks_per_second());
    let on_processors = number(stat.utime + stat.stime) / ticks;
    set(metrics, &PROCESS_CPU, on_processors);
    let resident = number(stat.rss * procfs::page_size());
    set(metrics, &PROCESS_RESIDENT_MEMORY, resident);
    set(metrics, &PROCESS_VIRTUAL_MEMORY, number(stat.vsize));
    let threads = number(stat.num_threads.unsigned_abs());
    set(metrics, &PROCESS_THREADS, threads);
    let started = number(procfs::boot_time_secs()?) + number(stat.starttime) / ticks;
    set(metrics, &PROCESS_START_TIME, started);
    let open = number(process.fd_count()? as u64);
    set(metrics, &PROCESS_OPEN_FDS, open);
    Ok(())
}

fn set(metrics: &Metrics, name: &Metric, value: f64) {
    metrics.gauge(name, &[]).set(value);
}
