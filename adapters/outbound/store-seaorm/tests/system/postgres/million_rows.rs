//! Test data: a million requests, with their keys, customers and statistics.

use sea_orm::{ConnectOptions, ConnectionTrait, Database};

use crate::postgres::server::TestDatabase;

/// Requests of 100,000 keys of 10,000 customers, in 35 days; every third is the first key's. Ids
/// grow with time, as those of version 7 do.
const FILL: [&str; 20] = [
    "INSERT INTO customers SELECT md5(n::text)::uuid::text, 'https://issuer.example', 'person ' || n, \
     'startup', 1795262400000 - n FROM generate_series(1, 10000) n",
    // Computed once for each key: for each request it would take longer than all other work of its insert.
    "CREATE TEMP TABLE numbered AS SELECT n, md5('key' || n)::uuid::text AS key_id, \
     md5((1 + n % 10000)::text)::uuid::text AS customer_id FROM generate_series(1, 100000) n",
    "INSERT INTO api_keys (id, customer_id, name, prefix, environment, hash, hash_generation, \
     per_minute, monthly_quota, created_at, retires_at, revoked_at, version) \
     SELECT key_id, customer_id, 'caja ' || n, 'cep_live_' || lpad(n::text, 8, '0'), 'live', \
     repeat('ab', 32), 1, 60, 1000, 1795262400000 - n::bigint * 20000, \
     CASE WHEN n % 1000 = 1 THEN 1795262400000 END, NULL, 1 FROM numbered",
    "INSERT INTO requests (id, request_id, customer_id, key_id, endpoint, outcome, issuer, receiver, \
     at, duration_ms, bank_ms) \
     SELECT '00000000-0000-0000-0000-' || lpad(to_hex(r), 12, '0'), 'request-' || r, customer_id, \
     key_id, 'xml', CASE WHEN r % 50 = 0 THEN 'bank_timeout' ELSE 'delivered' END, NULL, NULL, \
     1792262400000 + r::bigint * 3000, 7, NULL FROM generate_series(1, 1000000) r \
     JOIN numbered ON n = CASE WHEN r % 3 = 0 THEN 1 ELSE 1 + r % 100000 END ORDER BY r",
    // Each request of another key than the first has an hour of its own, so that there is nothing to sum.
    "INSERT INTO usage_hours SELECT key_id, at - at % 3600000, endpoint, outcome, COUNT(*), \
     0, 0, 0, COUNT(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM requests \
     WHERE key_id = md5('key1')::uuid::text GROUP BY key_id, at - at % 3600000, endpoint, outcome \
     UNION ALL SELECT key_id, at - at % 3600000, endpoint, outcome, 1, \
     0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM requests WHERE key_id <> md5('key1')::uuid::text",
    "INSERT INTO customer_usage_days SELECT customer_id, at - at % 86400000, endpoint, outcome, COUNT(*), \
     0, 0, 0, COUNT(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM requests \
     GROUP BY customer_id, at - at % 86400000, endpoint, outcome",
    "INSERT INTO monthly_use SELECT key_id, 202611, COUNT(*), 0, MAX(at) FROM requests GROUP BY key_id",
    "INSERT INTO audit_log SELECT lpad(to_hex(n), 32, '0')::uuid::text, 1795262400000 - n::bigint * 60000, \
     'i', 's', 'key_renamed', md5((1 + n % 10000)::text)::uuid::text, \
     md5('key' || (1 + n % 100000))::uuid::text, '[]', 'request-' || n FROM generate_series(1, 100000) n",
    "INSERT INTO key_changes SELECT n, md5('key' || (1 + n % 100000))::uuid::text \
     FROM generate_series(1, 200000) n",
    "UPDATE newest_key_change SET number = 200000",
    "INSERT INTO denied SELECT md5(n::text), 1795262400000 + n FROM generate_series(1, 100000) n",
    "INSERT INTO proof_archive SELECT md5(n::text) || md5(n::text), decode(repeat(md5(n::text), 8), 'hex'), \
     128, 1795262400000 - n::bigint * 60000 FROM generate_series(1, 100000) n",
    // The second customer has 10,000 that are due, a hundred others have ten each, the rest has ended.
    "INSERT INTO lookups SELECT lpad(to_hex(n), 32, '0')::uuid::text, md5((1 + k % 10000)::text)::uuid::text, \
     md5('key' || k)::uuid::text, md5('key' || k)::uuid::text, 'live', 'background', \
     CASE WHEN n % 10 = 0 AND n > 10000 THEN 'interactive' ELSE 'background' END, 'request-' || n, 202611, \
     CASE WHEN n <= 11000 THEN 'queued' ELSE 'delivered' END, at, at, at, \
     CASE WHEN n <= 11000 THEN at END, NULL, 1, at, 'delivered', CASE WHEN n > 11000 THEN at END, 1, \
     decode(repeat(md5(n::text), 8), 'hex'), NULL, \
     CASE WHEN n BETWEEN 20001 AND 30000 THEN lpad('1', 32, '0')::uuid::text \
     WHEN n > 50000 THEN lpad(to_hex(2 + (n - 50001) / 10), 32, '0')::uuid::text END, \
     CASE WHEN n BETWEEN 20001 AND 30000 THEN n - 20001 WHEN n > 50000 THEN (n - 50001) % 10 END \
     FROM (SELECT n, 1795262400000 - n::bigint * 20000 AS at, \
     CASE WHEN n <= 10000 THEN 1 WHEN n <= 11000 THEN n % 100 ELSE n END AS k \
     FROM generate_series(1, 100000) n) AS numbered",
    // The first is the second customer's, and has 10,000 rows; thousands of the others have ten.
    "INSERT INTO batches SELECT lpad(to_hex(n), 32, '0')::uuid::text, md5((1 + n % 10000)::text)::uuid::text, \
     md5('key' || n)::uuid::text, md5('key' || n)::uuid::text, 'live', 'request-' || n, 10, 0, 0, 10, \
     CASE WHEN n <= 20 THEN 'running' ELSE 'finished' END, at, at, \
     CASE WHEN n <= 20 THEN 1795262300000 + n END, NULL, CASE WHEN n > 20 THEN at END, 1, \
     decode(md5(n::text), 'hex') FROM (SELECT n, 1795262400000 - n::bigint * 100000 AS at \
     FROM generate_series(1, 20000) n) AS numbered",
    "INSERT INTO batch_chunks SELECT id, 0, content FROM batches",
    "INSERT INTO lookup_attempts SELECT id, 1, created_at, 'delivered' FROM lookups",
    "INSERT INTO idempotency_keys SELECT md5(n::text) || md5(n::text), md5(n::text) || md5(n::text), 'token', \
     1795262400000, 1795262400000 + n::bigint * 1000, NULL, 'delivered', NULL, NULL \
     FROM generate_series(1, 100000) n",
    "INSERT INTO webhook_endpoints SELECT md5('webhook' || n)::uuid::text, md5(n::text)::uuid::text, 'live', \
     'https://hooks.example/', ',lookup.delivered,', NULL, NULL, NULL, 0, 1795262400000 - n, 1795262400000, 1, \
     decode(repeat(md5(n::text), 4), 'hex'), NULL, NULL, NULL FROM generate_series(1, 10000) n",
    // A hundred endpoints have ten that are due each, the rest has ended.
    "INSERT INTO webhook_deliveries SELECT lpad(to_hex(n), 32, '0')::uuid::text, \
     md5('webhook' || k)::uuid::text, md5(k::text)::uuid::text, 'lookup.delivered', \
     lpad(to_hex(n), 32, '0')::uuid::text, '{}', at, CASE WHEN n <= 1000 THEN 'pending' ELSE 'delivered' END, \
     CASE WHEN n <= 1000 THEN at END, NULL, 1, 1, at, 7, 200, NULL, 'ok', CASE WHEN n > 1000 THEN at END \
     FROM (SELECT n, 1795262400000 - n::bigint * 20000 AS at, \
     CASE WHEN n <= 1000 THEN 1 + n % 100 ELSE 1 + n % 10000 END AS k \
     FROM generate_series(1, 100000) n) AS numbered",
    "INSERT INTO lookup_turns SELECT id, row_number() OVER (ORDER BY id) FROM customers",
];

/// Takes indexes and unique constraints away during the inserts, and the log of the tables, which has no part
/// in plans. One worker makes the indexes with less processor time than several. What a foreign key refers to stays.
const PREPARE: [&str; 4] = [
    "SET work_mem = '256MB'; SET maintenance_work_mem = '256MB'; SET session_replication_role = replica; \
     SET max_parallel_maintenance_workers = 0",
    "CREATE TEMP TABLE taken_away AS \
     SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS without, \
     format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS again \
     FROM pg_constraint WHERE contype IN ('p', 'u') AND connamespace = current_schema()::regnamespace \
     AND conindid NOT IN (SELECT conindid FROM pg_constraint WHERE contype = 'f') \
     UNION ALL SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid) \
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid \
     WHERE relnamespace = current_schema()::regnamespace \
     AND indexrelid NOT IN (SELECT conindid FROM pg_constraint)",
    "DO $$ DECLARE statement text; BEGIN \
     FOR statement IN SELECT without FROM taken_away LOOP EXECUTE statement; END LOOP; END $$",
    "DO $$ DECLARE name text; BEGIN \
     FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() \
     ORDER BY tablename::regclass IN (SELECT confrelid FROM pg_constraint) LOOP \
     EXECUTE 'ALTER TABLE ' || name || ' SET UNLOGGED'; END LOOP; END $$",
];
const WITH_INDEXES: &str = "DO $$ DECLARE statement text; BEGIN \
    FOR statement IN SELECT again FROM taken_away LOOP EXECUTE statement; END LOOP; END $$";

/// Fills a database, and has the server analyse it.
pub(crate) async fn fill(database: &TestDatabase) {
    // Temporary tables belong to one connection.
    let mut one = ConnectOptions::new(database.url());
    one.max_connections(1);
    let connection = Database::connect(one).await.unwrap();
    let statements = [&PREPARE[..], &FILL, &[WITH_INDEXES, "VACUUM (ANALYZE)"]].concat();
    for statement in statements {
        let filled = connection.execute_unprepared(statement).await;
        filled.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    connection.close().await.unwrap();
}
