//! Metrics of the process, from the operating system.

use metrics::gauge;

use super::number::number;

/// Name of the counter of processor time.
pub(super) const CPU_SECONDS: &str = "process_cpu_seconds_total";

/// Samples the usual metrics of a process. A metric that can't be read keeps its value.
pub(super) fn read() {
    if let Ok((soft, _)) = rlimit::Resource::NOFILE.get() {
        gauge!("process_max_fds").set(number(soft));
    }
    if let Err(error) = read_proc() {
        tracing::debug!(%error, "/proc could not be read");
    }
}

fn read_proc() -> procfs::ProcResult<()> {
    let process = procfs::process::Process::myself()?;
    let stat = process.stat()?;
    let ticks = number(procfs::ticks_per_second());
    gauge!(CPU_SECONDS).set(number(stat.utime + stat.stime) / ticks);
    gauge!("process_resident_memory_bytes").set(number(stat.rss * procfs::page_size()));
    gauge!("process_virtual_memory_bytes").set(number(stat.vsize));
    gauge!("process_threads").set(number(stat.num_threads.unsigned_abs()));
    let started = number(procfs::boot_time_secs()?) + number(stat.starttime) / ticks;
    gauge!("process_start_time_seconds").set(started);
    gauge!("process_open_fds").set(number(process.fd_count()? as u64));
    Ok(())
}
