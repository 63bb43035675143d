//! Reads of batches: lists, and rows in their order.

use domain::batches::RowNumber;
use domain::batches::sheet::{Column, OwnColumn};
use domain::keys::KeyId;
use rstest::rstest;
use uuid::Uuid;

use super::*;

#[tokio::test]
async fn the_batches_of_a_key_are_those_of_all_that_share_its_counters() {
    let (world, process, old) = start().await;
    let other = world.base.holder(ample()).await;
    let before = process.create(&old, ready(1)).await;
    process.create(&other, ready(1)).await;
    world.pass(seconds(1)).await;
    let new = world.base.rotate(&old, 1).await;
    let after = process.create(&new, ready(1)).await;
    let operator = BatchAccess::Person(operator());
    for key in [old.id, new.id] {
        let query = BatchQuery {
            key: Some(key),
            ..all()
        };
        assert_eq!(listed(&process, &operator, &query).await, [after, before]);
    }
    let query = BatchQuery {
        key: Some(KeyId(Uuid::from_u128(9))),
        ..all()
    };
    let refused = process.batches.list(&operator, &query).await;
    assert!(matches!(refused, Err(BatchError::NoSuchKey)));
}

#[tokio::test]
async fn rows_come_in_their_order_from_any_one_on() {
    let (world, process, holder, id) = start_batch(ready(250)).await;
    world.until(&process, id, Finished).await;
    for first in [0, 1, 99, 100, 101, 199, 249] {
        let rows = process.rows(&holder, id, first).await;
        let numbers: Vec<_> = rows.iter().map(|row| row.row.0).collect();
        assert_eq!(numbers, (first..250).collect::<Vec<_>>());
        for row in rows {
            let number = row.row.0;
            assert_eq!(row.line, number + 2);
            assert_eq!(row.caller_id, Some(format!("factura-{}", number + 2)));
            assert_eq!(row.query, Some(payment(number.into())));
        }
    }
    for beyond in [250, 300, 1_000, u32::MAX] {
        assert!(process.rows(&holder, id, beyond).await.is_empty());
    }
}

#[tokio::test]
async fn rows_are_read_while_the_batch_runs() {
    let (world, process, holder) = start().await;
    let mut all_rows = vec![faulty(2)];
    let (unknown, waiting) = (query(UNKNOWN_PAYMENT), query(NOT_ISSUED));
    all_rows.extend(rows([payment(0), unknown, waiting, payment(0)]));
    let id = process.create(&holder, all_rows).await;
    let unbegun = [
        "faulty: monto",
        "not begun",
        "not begun",
        "not begun",
        "duplicate of 1 in 2",
    ];
    assert_eq!(process.outcomes(&holder, id).await, unbegun);
    process.feed().await;
    let queued = unbegun.map(|outcome| outcome.replace("not begun", "queued"));
    assert_eq!(process.outcomes(&holder, id).await, queued);
    process.work().await;
    let tried = [
        "faulty: monto",
        "delivered",
        "not_found",
        "waiting",
        "duplicate of 1 in 2",
    ];
    assert_eq!(process.outcomes(&holder, id).await, tried);
    world.charged(&holder, 3).await;
}

#[tokio::test]
async fn rows_come_back_as_they_came_and_faulty_ones_with_their_values() {
    let (_, process, holder) = start().await;
    let mut all_rows = rows([payment(0)]);
    all_rows.push(faulty(3));
    let sent: Vec<_> = all_rows.iter().map(|row| row.cells.clone()).collect();
    let id = process.create(&holder, all_rows).await;
    let read = process
        .batches
        .rows(&access(&holder), id, RowNumber(0))
        .await;
    let mut read = read.unwrap().found;
    assert_eq!(read.columns(), OwnColumn::of_api());
    let views = read.next().await.unwrap().unwrap();
    let cells: Vec<_> = views.iter().map(|view| view.cells.clone()).collect();
    assert_eq!(cells, sent);
    assert_eq!(views[0].written, []);
    let written = [
        (Column::Date, "20/11/2026"),
        (Column::Account, "123"),
        (Column::Amount, "diez"),
        (Column::Id, "F-1"),
    ];
    assert_eq!(
        views[1].written,
        written.map(|(column, text)| (column, text.to_owned()))
    );
}

#[tokio::test]
async fn rows_whose_lookups_were_erased_are_told_apart_from_those_not_begun() {
    let (world, process, holder) = start().await;
    let waiting = query(NOT_ISSUED);
    let running = rows([payment(0), waiting]);
    let draft = retried_for(3_600, running);
    let running = process.create_of(&access(&holder), draft).await.id;
    world.until(&process, running, BatchState::Running).await;
    process.work().await;
    let finished = rows([payment(1), query(UNKNOWN_PAYMENT), payment(2)]);
    let finished = process.create(&holder, finished).await;
    world.until(&process, finished, Finished).await;
    let erase = async |id, row: usize| {
        let lookup = process.lookups_of(id).await[row].facts.id;
        let key = fixture::access(&holder);
        process.lookups.remove(key, lookup).await.unwrap();
    };
    erase(running, 0).await;
    let outcomes = process.outcomes(&holder, running).await;
    assert_eq!(outcomes, ["erased", "waiting"]);
    for row in [1, 0] {
        erase(finished, row).await;
    }
    let outcomes = process.outcomes(&holder, finished).await;
    assert_eq!(outcomes, ["erased", "erased", "delivered"]);
    let view = process.view(&holder, finished).await;
    assert_eq!((view.not_begun, view.erased), (0, 2));
    assert!((view.progress() - 100.0).abs() < f64::EPSILON);
    // Nobody wants the bank's proof of what was erased.
    let lines = process.batches.bank_lines(&access(&holder), finished).await;
    assert_eq!(lines.unwrap().found, []);
}

#[tokio::test]
async fn a_store_that_fails_while_rows_are_read_ends_the_reading() {
    let (_world, process, holder, id) = start_batch(ready(150)).await;
    let access = access(&holder);
    let rows = process.batches.rows(&access, id, RowNumber(0)).await;
    let mut rows = rows.unwrap().found;
    assert_eq!(rows.next().await.unwrap().unwrap().len(), 100);
    process.faults().inject_into("batch_chunk", Fault::Fails);
    assert!(matches!(rows.next().await, Err(BatchError::Refused(_))));
    process.faults().clear();
    assert_eq!(rows.next().await.unwrap().unwrap().len(), 50);
    assert!(rows.next().await.unwrap().is_none());
}

#[rstest]
#[case::finished(Finished)]
#[case::canceled(BatchState::Canceled)]
#[tokio::test]
async fn a_final_batch_that_is_erased_while_its_rows_are_read_ends_the_reading(
    #[case] state: BatchState,
) {
    let (world, process, other, holder) = start_two().await;
    for method in ["batch_lookups", "batch_chunk"] {
        let id = process.create(&holder, ready(150)).await;
        match state {
            BatchState::Canceled => {
                process.feed_and_work().await;
                process.cancel(&holder, id).await.unwrap();
            }
            state => world.until(&process, id, state).await,
        }
        let access = access(&holder);
        let rows = process.batches.rows(&access, id, RowNumber(0)).await;
        let mut rows = rows.unwrap().found;
        assert_eq!(rows.next().await.unwrap().unwrap().len(), 100);
        // In the middle of the reading of the other rows.
        process.faults().inject_into(method, Fault::Hangs);
        let rest = tokio::spawn(async move { rows.next().await.map(drop) });
        settle().await;
        other.erase(&holder, id).await.unwrap();
        process.faults().clear();
        let rest = rest.await.unwrap();
        let is_unknown = matches!(rest, Err(BatchError::Unknown));
        assert!(is_unknown, "{method}: {rest:?}");
    }
}

#[tokio::test]
async fn a_key_reads_six_hundred_times_a_minute() {
    let (world, process, holder) = start().await;
    // Its creation is one of them.
    let id = process.create(&holder, ready(1)).await;
    for _ in 1..600 {
        process.view(&holder, id).await;
    }
    let refused = process.find(&holder, id).await;
    let Err(BatchError::TooManyReads { limit: 600, .. }) = refused else {
        panic!("{refused:?}");
    };
    world.pass(seconds(1)).await;
    process.view(&holder, id).await;
    world.charged(&holder, 0).await;
}
