//! Names, help texts and buckets of all metrics.

pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) help: &'static str,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Only rises.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Values are counted in buckets with these upper bounds.
    Histogram { buckets: &'static [f64] },
}

// As few buckets as the quantiles of alerts and panels need (deploy/monitoring): each adds a line
// to each series. Thresholds of alerts are bucket bounds.

/// Buckets (s) of requests, 5 ms to 30 s: a proof in memory takes 1 ms, a query to the bank 25 s
/// and more at its deadline.
const OF_REQUESTS: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0];
/// Buckets (s) of the limiter's calls, 250 µs to 150 ms: Redis on the same network takes 100 to 500
/// µs and times out after 150 ms; all calls within the process are in the first bucket. An alert
/// uses 50 ms.
const OF_THE_LIMITER: &[f64] = &[0.000_25, 0.000_5, 0.001, 0.005, 0.02, 0.05, 0.15];
/// Buckets (s) of the wait for a slot at the bank.
const OF_TURNS: &[f64] = &[0.01, 0.5, 2.0, 5.0, 10.0, 22.0, 60.0, 600.0];
/// Buckets (s) of commits, 1 ms to 5 s: a flush to disk takes milliseconds; no request waits longer
/// than 5 s. An alert uses half a second.
const OF_COMMITS: &[f64] = &[0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 5.0];
/// Buckets of entries per commit: from one caller at a time to thousands. The panel uses only the
/// mean.
const OF_ENTRIES: &[f64] = &[1.0, 10.0, 100.0, 1_000.0];

/// Buckets (s) of webhook attempts, which time out after 15 s.
const OF_WEBHOOKS: &[f64] = &[0.05, 0.25, 1.0, 5.0, 15.0];

const fn counter(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Counter;
    Metric { name, kind, help }
}

const fn gauge(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Gauge;
    Metric { name, kind, help }
}

const fn histogram(name: &'static str, buckets: &'static [f64], help: &'static str) -> Metric {
    let kind = Kind::Histogram { buckets };
    Metric { name, kind, help }
}

/// All metrics.
pub(super) const ALL: &[Metric] = &[
    histogram(
        "cep_request_duration_seconds",
        OF_REQUESTS,
        "Proof requests, from their head to their answer, by endpoint and outcome",
    ),
    counter(
        "cep_http_responses_total",
        "Answers of every route, by the route's pattern and the status",
    ),
    histogram(
        "cep_bank_lookup_duration_seconds",
        OF_REQUESTS,
        "Lookups at the bank, waiting for their turn included, by side and outcome",
    ),
    gauge(
        "cep_bank_budget_per_minute",
        "Lookups a minute that the bank is asked at most",
    ),
    gauge(
        "cep_bank_budget_remaining",
        "Lookups that the bank could be asked now, before others have to wait",
    ),
    gauge(
        "cep_bank_paused_seconds",
        "Time for which the bank is still left alone, because it wanted fewer questions; 0 when it isn't",
    ),
    gauge(
        "cep_bank_waiting_lookups",
        "Lookups of all replicas that wait for their turns at the bank, by class",
    ),
    counter(
        "cep_bank_turns_total",
        "Turns at the bank that this process asked for, by class and result",
    ),
    histogram(
        "cep_bank_turn_wait_seconds",
        OF_TURNS,
        "Time that lookups waited for the turns that they got, by class",
    ),
    counter(
        "cep_seals_total",
        "Seals of proofs that the bank delivered, by side and verdict",
    ),
    counter(
        "cep_proof_archive_reads_total",
        "Readings of the archive of issued proofs: hit, miss, failed",
    ),
    counter(
        "cep_proof_archive_writes_total",
        "Proofs that were written to the archive: ok, failed",
    ),
    counter(
        "cep_proof_archive_dropped_total",
        "Proofs that were not archived, because too many waited to be written or the database kept failing",
    ),
    counter(
        "cep_proof_archive_written_bytes_total",
        "Encrypted bytes that were written to the archive",
    ),
    counter(
        "cep_lookups_created_total",
        "Stored lookups that were created",
    ),
    counter(
        "cep_lookup_attempts_total",
        "Attempts of stored lookups, by outcome",
    ),
    counter(
        "cep_lookups_ended_total",
        "Stored lookups that ended, by final state",
    ),
    counter(
        "cep_lookup_leases_lost_total",
        "Attempts whose result was dropped, because the lookup was canceled or another process had claimed it",
    ),
    gauge(
        "cep_lookup_queue",
        "Stored lookups of all processes, by class: due, or waiting for a later attempt or for one that is being made",
    ),
    gauge(
        "cep_lookup_queue_age_seconds",
        "Time since the oldest due lookup of a class became due",
    ),
    counter("cep_batches_created_total", "Batches that were created"),
    counter(
        "cep_batches_ended_total",
        "Batches that ended, by final state",
    ),
    histogram(
        "cep_webhook_attempt_duration_seconds",
        OF_WEBHOOKS,
        "Attempts to send webhooks, by result",
    ),
    gauge(
        "cep_webhook_queue",
        "Webhooks of all processes: due, or waiting for a later attempt or for one that is being made",
    ),
    gauge(
        "cep_webhook_queue_age_seconds",
        "Time since the oldest due webhook became due",
    ),
    gauge(
        "cep_bank_circuit_open",
        "1 while lookups at the central bank fail at once, because the last ones hung",
    ),
    gauge(
        "cep_bank_pacing_degraded",
        "1 while each replica keeps its share of the bank's budget, because the shared one can't be reached",
    ),
    gauge(
        "cep_limiter_degraded",
        "1 while this process keeps limits on its own, because the shared limiter fails",
    ),
    gauge(
        "cep_replicas",
        "Replicas among which this process shares limits while the shared limiter fails",
    ),
    histogram(
        "cep_limiter_duration_seconds",
        OF_THE_LIMITER,
        "Calls of the limiter (Redis, or this process), by operation and result",
    ),
    gauge("cep_journal_waiting", "Entries that wait to become durable"),
    histogram(
        "cep_journal_commit_duration_seconds",
        OF_COMMITS,
        "Commits of the journal that succeeded",
    ),
    histogram(
        "cep_journal_commit_entries",
        OF_ENTRIES,
        "Entries that shared a commit",
    ),
    counter(
        "cep_journal_failures_total",
        "Commits of the journal that failed; what they held is tried again",
    ),
    gauge(
        "cep_database_connections",
        "Open connections to the database, by pool and state",
    ),
    gauge(
        "cep_database_connections_max",
        "Connections to the database that a pool may open",
    ),
    gauge(
        "cep_database_log_bytes",
        "Size of SQLite's write-ahead log; it grows while another program keeps a transaction open",
    ),
    gauge("cep_connections", "Open HTTP connections"),
    counter(
        "cep_connections_refused_total",
        "HTTP connections that were closed at once: their address had as many as it may have, or too many waited",
    ),
    counter(
        "cep_trace_spans_total",
        "Spans of traces: sent to the collector, failed because it didn't take them, dropped because too many waited",
    ),
    counter(
        "cep_log_lines_dropped_total",
        "Lines of the log that were dropped because it wasn't read as fast as they came: ordinary ones, and those about changes of keys",
    ),
    gauge(
        "cep_build_info",
        "Always 1; its labels tell the version, and this process among its replicas",
    ),
    // A counter by its nature, but our counters are integers.
    gauge(
        "process_cpu_seconds_total",
        "Time on processors, of the user and of the system",
    ),
    gauge("process_resident_memory_bytes", "Memory that is in use"),
    gauge("process_virtual_memory_bytes", "Memory that is mapped"),
    gauge("process_open_fds", "Open file descriptors"),
    gauge("process_max_fds", "File descriptors that may be open"),
    gauge("process_threads", "Threads"),
    gauge(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970",
    ),
];
