//! A batch of the journal, and the statements that write it.

use std::collections::HashMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::key::KeyId;
use domain::month::Month;
use ports::outbound::{AdmissionEntry, RequestEntry};
use sea_orm::{DbBackend, Statement, Value};
use uuid::Uuid;

/// Rows of one statement. Few sizes, so that each is prepared once and then found again.
const CHUNKS: [usize; 3] = [64, 8, 1];

const MARK: &str = "INSERT INTO journal_marks (writer, batch, at) VALUES ($1, $2, $3) \
                    ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at";
const LAST_USED: &str = "UPDATE api_keys SET last_used_at = $2 \
                         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
const MONTHLY_USE: Insert = Insert {
    into: "monthly_use (key_id, month, charged, refunded)",
    columns: 4,
    conflict: "ON CONFLICT (key_id, month) DO UPDATE SET charged = monthly_use.charged + excluded.charged, \
               refunded = monthly_use.refunded + excluded.refunded",
};
const REQUESTS: Insert = Insert {
    into: "requests (id, request_id, key_id, endpoint, outcome, issuer, receiver, at, duration_us, bank_us)",
    columns: 10,
    conflict: "ON CONFLICT (id) DO NOTHING",
};

/// What gathers between two commits.
#[derive(Default)]
pub(crate) struct Batch {
    counts: HashMap<(KeyId, Month), Counts>,
    last_used: HashMap<KeyId, DateTime<Utc>>,
    requests: Vec<RequestEntry>,
    entries: usize,
}

#[derive(Default)]
struct Counts {
    charged: i64,
    refunded: i64,
}

/// The minute in which each key was last written to be used, so that it is written once a minute.
pub(crate) type WrittenMinutes = HashMap<KeyId, DateTime<Utc>>;

impl Batch {
    pub(crate) fn admit(&mut self, entry: AdmissionEntry) {
        self.entries += 1;
        self.counts
            .entry((entry.key, entry.month))
            .or_default()
            .charged += 1;
        let minute = entry
            .at
            .duration_trunc(TimeDelta::minutes(1))
            .unwrap_or(entry.at);
        let last = self.last_used.entry(entry.key).or_insert(minute);
        *last = minute.max(*last);
    }

    pub(crate) fn conclude(&mut self, entry: RequestEntry) {
        self.entries += 1;
        if let Some(month) = entry.refund {
            self.counts.entry((entry.key, month)).or_default().refunded += 1;
        }
        self.requests.push(entry);
    }

    /// Entries in it.
    pub(crate) fn len(&self) -> usize {
        self.entries
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// The statements that write it, with the writer's mark that says so.
    pub(crate) fn statements(
        &self,
        backend: DbBackend,
        writer: Uuid,
        number: i64,
        minutes: &WrittenMinutes,
    ) -> Vec<Statement> {
        let one =
            |sql: &str, values: Vec<Value>| Statement::from_sql_and_values(backend, sql, values);
        let at = self.newest().map_or(0, |at| at.timestamp_millis());
        let mut statements = vec![one(
            MARK,
            vec![writer.to_string().into(), number.into(), at.into()],
        )];
        let counts = self.counts.iter().map(|((key, month), counts)| {
            [
                key.to_string().into(),
                month.number().into(),
                counts.charged.into(),
                counts.refunded.into(),
            ]
        });
        MONTHLY_USE.push(&mut statements, backend, counts);
        REQUESTS.push(
            &mut statements,
            backend,
            self.requests.iter().map(request_row),
        );
        for (key, minute) in self.fresh_minutes(minutes) {
            statements.push(one(
                LAST_USED,
                vec![key.to_string().into(), minute.timestamp_millis().into()],
            ));
        }
        statements
    }

    /// The minutes of use that aren't written yet.
    pub(crate) fn fresh_minutes(
        &self,
        written: &WrittenMinutes,
    ) -> impl Iterator<Item = (KeyId, DateTime<Utc>)> {
        let fresh = |(key, minute): &(&KeyId, &DateTime<Utc>)| written.get(key) != Some(minute);
        self.last_used
            .iter()
            .filter(fresh)
            .map(|(key, minute)| (*key, *minute))
    }

    fn newest(&self) -> Option<DateTime<Utc>> {
        let requests = self.requests.iter().map(|request| request.at);
        requests.chain(self.last_used.values().copied()).max()
    }
}

fn request_row(entry: &RequestEntry) -> [Value; 10] {
    let micros =
        |duration: std::time::Duration| i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    [
        entry.id.to_string().into(),
        entry.request_id.as_str().into(),
        entry.key.to_string().into(),
        entry.endpoint.name().into(),
        entry.outcome.name().into(),
        entry.banks.map(|banks| banks.issuer.number()).into(),
        entry.banks.map(|banks| banks.receiver.number()).into(),
        entry.at.timestamp_millis().into(),
        micros(entry.duration).into(),
        entry.bank_time.map(micros).into(),
    ]
}

/// An insert of many rows.
struct Insert {
    into: &'static str,
    columns: usize,
    conflict: &'static str,
}

impl Insert {
    fn push<const N: usize>(
        &self,
        statements: &mut Vec<Statement>,
        backend: DbBackend,
        mut rows: impl ExactSizeIterator<Item = [Value; N]>,
    ) {
        for size in CHUNKS {
            if rows.len() < size {
                continue;
            }
            let sql = self.sql(size);
            while rows.len() >= size {
                let values: Vec<Value> = rows.by_ref().take(size).flatten().collect();
                statements.push(Statement::from_sql_and_values(backend, &sql, values));
            }
        }
    }

    fn sql(&self, rows: usize) -> String {
        let row = |row: usize| {
            let places: Vec<_> = (1..=self.columns)
                .map(|column| format!("${}", row * self.columns + column))
                .collect();
            format!("({})", places.join(", "))
        };
        let rows: Vec<_> = (0..rows).map(row).collect();
        format!(
            "INSERT INTO {} VALUES {} {}",
            self.into,
            rows.join(", "),
            self.conflict
        )
    }
}
