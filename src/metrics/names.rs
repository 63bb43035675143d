//! Names, help texts and buckets of all metrics.

use metrics::Unit;

pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) unit: Option<Unit>,
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

macro_rules! names {
    ($($name:ident = $text:literal, $kind:expr, $unit:expr, $help:literal;)*) => {
        $(pub(super) const $name: Metric = Metric {
            name: $text,
            kind: $kind,
            unit: $unit,
            help: $help,
        };)*
        /// All metrics.
        pub(super) const ALL: [Metric; [$($text),*].len()] = [$($name),*];
    };
}

names! {
    REQUEST_DURATION = "cep_request_duration_seconds",
        Kind::Histogram { buckets: OF_REQUESTS }, Some(Unit::Seconds),
        "Proof requests, from their head to their answer, by endpoint and outcome";
    HTTP_RESPONSES = "cep_http_responses_total",
        Kind::Counter, Some(Unit::Count),
        "Answers of every route, by the route's pattern and the status";
    BANK_LOOKUP_DURATION = "cep_bank_lookup_duration_seconds",
        Kind::Histogram { buckets: OF_REQUESTS }, Some(Unit::Seconds),
        "Lookups at the bank, waiting for their turn included, by side and outcome";
    BANK_BUDGET_PER_MINUTE = "cep_bank_budget_per_minute",
        Kind::Gauge, Some(Unit::Count),
        "Lookups a minute that the bank is asked at most";
    BANK_BUDGET_REMAINING = "cep_bank_budget_remaining",
        Kind::Gauge, Some(Unit::Count),
        "Lookups that the bank could be asked now, before others have to wait";
    BANK_PAUSED = "cep_bank_paused_seconds",
        Kind::Gauge, Some(Unit::Seconds),
        "Time for which the bank is still left alone, because it wanted fewer questions; 0 when it isn't";
    BANK_WAITING = "cep_bank_waiting_lookups",
        Kind::Gauge, Some(Unit::Count),
        "Lookups of all replicas that wait for their turns at the bank, by class";
    BANK_TURNS = "cep_bank_turns_total",
        Kind::Counter, Some(Unit::Count),
        "Turns at the bank that this process asked for, by class and result";
    BANK_TURN_WAIT = "cep_bank_turn_wait_seconds",
        Kind::Histogram { buckets: OF_TURNS }, Some(Unit::Seconds),
        "Time that lookups waited for the turns that they got, by class";
    SEALS = "cep_seals_total",
        Kind::Counter, Some(Unit::Count),
        "Seals of proofs that the bank delivered, by side and verdict";
    ARCHIVE_READS = "cep_proof_archive_reads_total",
        Kind::Counter, Some(Unit::Count),
        "Readings of the archive of issued proofs: hit, miss, failed";
    ARCHIVE_WRITES = "cep_proof_archive_writes_total",
        Kind::Counter, Some(Unit::Count),
        "Proofs that were written to the archive: ok, failed";
    ARCHIVE_DROPPED = "cep_proof_archive_dropped_total",
        Kind::Counter, Some(Unit::Count),
        "Proofs that were not archived, because too many waited to be written or the database kept failing";
    ARCHIVE_BYTES = "cep_proof_archive_written_bytes_total",
        Kind::Counter, Some(Unit::Bytes),
        "Encrypted bytes that were written to the archive";
    LOOKUPS_CREATED = "cep_lookups_created_total",
        Kind::Counter, Some(Unit::Count),
        "Stored lookups that were created";
    LOOKUP_ATTEMPTS = "cep_lookup_attempts_total",
        Kind::Counter, Some(Unit::Count),
        "Attempts of stored lookups, by outcome";
    LOOKUPS_ENDED = "cep_lookups_ended_total",
        Kind::Counter, Some(Unit::Count),
        "Stored lookups that ended, by final state";
    LOOKUP_LEASES_LOST = "cep_lookup_leases_lost_total",
        Kind::Counter, Some(Unit::Count),
        "Attempts whose result was dropped, because the lookup was canceled or another process had claimed it";
    LOOKUP_QUEUE = "cep_lookup_queue",
        Kind::Gauge, Some(Unit::Count),
        "Stored lookups of all processes, by class: due, or waiting for a later attempt or for one that is being made";
    LOOKUP_QUEUE_AGE = "cep_lookup_queue_age_seconds",
        Kind::Gauge, Some(Unit::Seconds),
        "Time since the oldest due lookup of a class became due";
    BATCHES_CREATED = "cep_batches_created_total",
        Kind::Counter, Some(Unit::Count),
        "Batches that were created";
    BATCHES_ENDED = "cep_batches_ended_total",
        Kind::Counter, Some(Unit::Count),
        "Batches that ended, by final state";
    WEBHOOK_ATTEMPT_DURATION = "cep_webhook_attempt_duration_seconds",
        Kind::Histogram { buckets: OF_WEBHOOKS }, Some(Unit::Seconds),
        "Attempts to send webhooks, by result";
    WEBHOOK_QUEUE = "cep_webhook_queue",
        Kind::Gauge, Some(Unit::Count),
        "Webhooks of all processes: due, or waiting for a later attempt or for one that is being made";
    WEBHOOK_QUEUE_AGE = "cep_webhook_queue_age_seconds",
        Kind::Gauge, Some(Unit::Seconds),
        "Time since the oldest due webhook became due";
    BANK_CIRCUIT_OPEN = "cep_bank_circuit_open",
        Kind::Gauge, None,
        "1 while lookups at the central bank fail at once, because the last ones hung";
    BANK_PACING_DEGRADED = "cep_bank_pacing_degraded",
        Kind::Gauge, None,
        "1 while each replica keeps its share of the bank's budget, because the shared one can't be reached";
    LIMITER_DEGRADED = "cep_limiter_degraded",
        Kind::Gauge, None,
        "1 while this process keeps limits on its own, because the shared limiter fails";
    REPLICAS = "cep_replicas",
        Kind::Gauge, Some(Unit::Count),
        "Replicas among which this process shares limits while the shared limiter fails";
    LIMITER_DURATION = "cep_limiter_duration_seconds",
        Kind::Histogram { buckets: OF_THE_LIMITER }, Some(Unit::Seconds),
        "Calls of the limiter (Redis, or this process), by operation and result";
    JOURNAL_WAITING = "cep_journal_waiting",
        Kind::Gauge, Some(Unit::Count),
        "Entries that wait to become durable";
    JOURNAL_COMMIT_DURATION = "cep_journal_commit_duration_seconds",
        Kind::Histogram { buckets: OF_COMMITS }, Some(Unit::Seconds),
        "Commits of the journal that succeeded";
    JOURNAL_COMMIT_ENTRIES = "cep_journal_commit_entries",
        Kind::Histogram { buckets: OF_ENTRIES }, Some(Unit::Count),
        "Entries that shared a commit";
    JOURNAL_FAILURES = "cep_journal_failures_total",
        Kind::Counter, Some(Unit::Count),
        "Commits of the journal that failed; what they held is tried again";
    DATABASE_CONNECTIONS = "cep_database_connections",
        Kind::Gauge, Some(Unit::Count),
        "Open connections to the database, by pool and state";
    DATABASE_CONNECTIONS_MAX = "cep_database_connections_max",
        Kind::Gauge, Some(Unit::Count),
        "Connections to the database that a pool may open";
    DATABASE_LOG = "cep_database_log_bytes",
        Kind::Gauge, Some(Unit::Bytes),
        "Size of SQLite's write-ahead log; it grows while another program keeps a transaction open";
    CONNECTIONS = "cep_connections",
        Kind::Gauge, Some(Unit::Count),
        "Open HTTP connections";
    CONNECTIONS_REFUSED = "cep_connections_refused_total",
        Kind::Counter, Some(Unit::Count),
        "HTTP connections that were closed at once: their address had as many as it may have, or too many waited";
    TRACE_SPANS = "cep_trace_spans_total",
        Kind::Counter, Some(Unit::Count),
        "Spans of traces: sent to the collector, failed because it didn't take them, dropped because too many waited";
    LOG_LINES_DROPPED = "cep_log_lines_dropped_total",
        Kind::Counter, Some(Unit::Count),
        "Lines of the log that were dropped because it wasn't read as fast as they came: ordinary ones, and those about changes of keys";
    BUILD_INFO = "cep_build_info",
        Kind::Gauge, None,
        "Always 1; its labels tell the version, and this process among its replicas";
    // A counter by its nature, but our counters are integers.
    PROCESS_CPU = "process_cpu_seconds_total",
        Kind::Gauge, Some(Unit::Seconds),
        "Time on processors, of the user and of the system";
    PROCESS_RESIDENT_MEMORY = "process_resident_memory_bytes",
        Kind::Gauge, Some(Unit::Bytes),
        "Memory that is in use";
    PROCESS_VIRTUAL_MEMORY = "process_virtual_memory_bytes",
        Kind::Gauge, Some(Unit::Bytes),
        "Memory that is mapped";
    PROCESS_OPEN_FDS = "process_open_fds",
        Kind::Gauge, Some(Unit::Count),
        "Open file descriptors";
    PROCESS_MAX_FDS = "process_max_fds",
        Kind::Gauge, Some(Unit::Count),
        "File descriptors that may be open";
    PROCESS_THREADS = "process_threads",
        Kind::Gauge, Some(Unit::Count),
        "Threads";
    PROCESS_START_TIME = "process_start_time_seconds",
        Kind::Gauge, Some(Unit::Seconds),
        "When the process started, in seconds since 1970";
}
