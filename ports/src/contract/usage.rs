//! Contract of statistics: written by a journal, read by a usage reader.

use std::future::Future;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::ApiKey;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;

use super::fixture::{record, record_of};
use super::journal::JournalUnderTest;
use crate::outbound::{RefusalEntry, RequestEntry};

mod busiest;
mod over_time;
mod overviews;
mod requests;

/// Runs the whole suite; `make` returns a fresh journal each time.
pub async fn usage<F: Future<Output = JournalUnderTest>>(make: impl Fn() -> F) {
    over_time::a_slot_without_requests_has_no_row(make().await).await;
    over_time::a_request_is_counted_in_its_hour_with_its_latency(make().await).await;
    over_time::hours_and_days_are_those_of_utc(make().await).await;
    over_time::months_are_returned_day_by_day(make().await).await;
    over_time::latencies_of_many_requests_add_up(make().await).await;
    over_time::a_request_refused_by_a_limit_is_counted_without_a_latency(make().await).await;
    over_time::apart::keys_are_told_apart(make().await).await;
    busiest::of_many_keys_the_busiest_have_rows_of_their_own(make().await).await;
    over_time::apart::endpoints_are_told_apart(make().await).await;
    over_time::apart::every_endpoint_and_outcome_is_counted_by_itself(make().await).await;
    over_time::use_of_one_customer_excludes_others(make().await).await;
    over_time::use_is_narrowed_to_a_key_an_endpoint_and_an_outcome(make().await).await;
    over_time::a_period_begins_and_ends_at_its_bounds(make().await).await;
    over_time::later_requests_are_added(make().await).await;

    requests::without_requests_the_page_is_empty(make().await).await;
    requests::pages_of_any_size_give_each_request_once_newest_first(make().await).await;
    requests::a_page_begins_after_the_previous_one_despite_additions(make().await).await;
    requests::a_cursor_of_another_list_is_refused(make().await).await;
    requests::another_customers_requests_do_not_exist(make().await).await;
    requests::requests_are_found_by_endpoint_and_outcome(make().await).await;
    requests::requests_are_found_by_their_request_id(make().await).await;
    requests::requests_are_found_by_time_of_admission(make().await).await;
    requests::each_condition_narrows_the_list(make().await).await;
    requests::a_request_refused_by_a_limit_is_not_listed(make().await).await;

    overviews::a_key_is_shown_with_its_use_of_the_month(make().await).await;
    overviews::a_customer_is_shown_with_the_use_of_its_keys(make().await).await;
    overviews::a_successor_continues_the_month_and_was_not_used_itself(make().await).await;
}

/// Two keys of the first customer and one of the second.
struct Keys {
    one: ApiKey,
    two: ApiKey,
    neighbours: ApiKey,
}

impl JournalUnderTest {
    async fn three_keys(&self) -> Keys {
        let stores = &self.stores;
        let (first, second) = (stores.enrolled(1).await, stores.enrolled(2).await);
        Keys {
            one: stores.insert(record_of(&first, 1), 1).await,
            two: stores.insert(record_of(&first, 2), 2).await,
            neighbours: stores.insert(record_of(&second, 3), 3).await,
        }
    }

    /// Records these requests.
    async fn concluded(&self, entries: impl IntoIterator<Item = RequestEntry>) {
        for entry in entries {
            self.journal.conclude(entry);
        }
        self.written().await;
    }

    /// Records these refusals.
    async fn refused(&self, entries: impl IntoIterator<Item = RefusalEntry>) {
        for entry in entries {
            self.journal.refuse(entry);
        }
        self.written().await;
    }

    async fn written(&self) {
        self.journal.flush().await.expect("the journal is written");
    }
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("an instant of the suite")
}

/// The `number`th request: an XML, delivered within 100 ms.
fn request(number: u16, key: &ApiKey, at: DateTime<Utc>) -> RequestEntry {
    RequestEntry {
        id: record(number).key.id.0,
        request_id: RequestId::parse(&format!("request-{number}")).expect("an id of the suite"),
        key: key.id,
        customer: key.customer,
        endpoint: Endpoint::Xml,
        outcome: Outcome::Delivered,
        banks: None,
        at,
        duration: Duration::from_millis(100),
        bank_time: None,
        refund: None,
        delivered: Vec::new(),
        seal: None,
    }
}

fn refusal(key: &ApiKey, at: DateTime<Utc>) -> RefusalEntry {
    RefusalEntry {
        key: key.id,
        customer: key.customer,
        endpoint: Endpoint::Xml,
        outcome: Outcome::RateLimited,
        at,
    }
}

fn noon() -> DateTime<Utc> {
    at("2026-11-21T12:00:00Z")
}
