//! Contract of statistics: written by a journal, read by a usage reader.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::keys::{ApiKey, KeyId, KeyOverview};
use domain::latency::Latencies;
use domain::limits::MonthlyUse;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::participants::ParticipantCode;
use domain::request::{RequestId, RequestQuery, RequestRecord};
use domain::transfer::Banks;
use domain::usage::{Breakdown, Granularity, MAX_SERIES, Period, RequestCriteria, UsageQuery};
use uuid::Uuid;

use super::fixture::{customer, page_after, page_of, record, record_of};
use super::journal::{JournalUnderTest, every, kept};
use super::key_store::{everything, rotated};
use super::ok;
use super::paging;
use crate::outbound::*;

mod apart;
mod over_time;
mod overviews;
mod requests;

cases! {
    $ usage(JournalUnderTest)
    over_time::hours_days_and_periods_are_those_of_utc,
    over_time::counts_and_latencies_of_later_requests_add_up,
    over_time::requests_are_counted_in_their_hour_with_their_latency,
    over_time::a_customer_sees_the_use_of_each_of_its_own_keys,
    over_time::use_is_narrowed_to_a_key_an_endpoint_and_an_outcome,
    apart::every_endpoint_and_outcome_is_counted_by_itself,
    apart::of_many_keys_the_busiest_have_rows_of_their_own,
    requests::requests_are_listed_newest_first_page_by_page,
    requests::another_customers_requests_do_not_exist,
    requests::requests_are_found_by_each_condition,
    overviews::a_key_is_shown_with_the_use_of_its_counters,
    overviews::a_customer_is_shown_with_the_use_of_its_keys,
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
        self.flush().await;
    }

    /// Records requests of these keys at noon, the first one with the first number.
    async fn used_by(&self, keys: &[&ApiKey]) {
        let requests = (1..).zip(keys);
        self.concluded(requests.map(|(number, key)| request(number, key, noon())))
            .await;
    }

    /// Records these refusals.
    async fn refused(&self, entries: impl IntoIterator<Item = RefusalEntry>) {
        for entry in entries {
            self.journal.refuse(entry);
        }
        self.flush().await;
    }
}

/// An instant of 2026.
fn at(text: &str) -> DateTime<Utc> {
    let instant = format!("2026-{text}Z").parse();
    instant.expect("an instant of the suite")
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
    at("11-21T12:00:00")
}
