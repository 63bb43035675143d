//! The catalogue of participants: renewed once a day by one process, and never made worse.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use application::{CatalogueRenewal, RenewalError, RenewalRound, SharedCatalogue};
use async_trait::async_trait;
use chrono::NaiveDate;
use domain::calendar;
use domain::participants::{Catalogue, DamagedList, ListedParticipant, ParticipantCode};
use futures::future::join_all;
use ports::outbound::{BankError, Clock as _, ParticipantSource};
use testkit::fakes::{ManualClock, MemoryStore};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// A bank with a list, or without one.
#[derive(Default)]
struct ListingBank {
    list: Mutex<Option<Vec<ListedParticipant>>>,
    asked: Mutex<Vec<NaiveDate>>,
}

#[async_trait]
impl ParticipantSource for ListingBank {
    async fn participants(
        &self,
        date: NaiveDate,
        _: Duration,
    ) -> Result<Vec<ListedParticipant>, BankError> {
        self.asked.lock().unwrap().push(date);
        // Others may ask meanwhile.
        tokio::task::yield_now().await;
        self.list.lock().unwrap().clone().ok_or(BankError::Timeout)
    }
}

struct Process {
    catalogue: Arc<SharedCatalogue>,
    renewal: CatalogueRenewal,
}

struct Fixture {
    clock: Arc<ManualClock>,
    bank: Arc<ListingBank>,
    processes: Vec<Process>,
}

/// The embedded list, and a newcomer.
fn list() -> Vec<ListedParticipant> {
    let participants = Catalogue::embedded().on(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
    let mut list: Vec<_> = participants
        .map(|one| ListedParticipant::parse(&one.code.to_string(), &one.name).unwrap())
        .collect();
    list.push(ListedParticipant::parse("90799", "NUEVA").unwrap());
    list
}

fn fixture(processes: usize) -> Fixture {
    let clock = Arc::new(ManualClock::at("2026-11-20T16:00:00Z".parse().unwrap()));
    let bank = Arc::new(ListingBank::default());
    let store = MemoryStore::default();
    let process = |_| {
        let store = Arc::new(store.elsewhere());
        let catalogue = Arc::new(SharedCatalogue::new(store.clone()));
        let renewal = CatalogueRenewal::new(
            store,
            bank.clone(),
            Arc::clone(&catalogue),
            clock.clone(),
            Duration::from_secs(25),
        );
        Process { catalogue, renewal }
    };
    Fixture {
        processes: (0..processes).map(process).collect(),
        clock,
        bank,
    }
}

impl Fixture {
    fn lists(&self, list: Option<Vec<ListedParticipant>>) {
        *self.bank.list.lock().unwrap() = list;
    }

    fn times_asked(&self) -> usize {
        self.bank.asked.lock().unwrap().len()
    }

    /// A round of every process, at the same time.
    async fn rounds(&self) -> Vec<Result<RenewalRound, RenewalError>> {
        join_all(self.processes.iter().map(|process| process.renewal.round())).await
    }

    /// Returns for each process if it knows the newcomer.
    async fn know_the_newcomer(&self) -> Vec<bool> {
        let code = ParticipantCode::parse("90799").unwrap();
        let known = self.processes.iter().map(async |process| {
            process.catalogue.follow().await.unwrap();
            process.catalogue.catalogue().find(code).is_some()
        });
        join_all(known).await
    }
}

#[tokio::test]
async fn one_of_all_processes_renews_once_a_day_and_all_see_it() {
    let fixture = fixture(3);
    fixture.lists(Some(list()));
    fixture.rounds().await;
    assert_eq!(fixture.times_asked(), 0, "asked right after the start");
    fixture.clock.advance(HOUR);
    let rounds = fixture.rounds().await;
    let is_renewed = |round: &&_| matches!(round, Ok(RenewalRound::Renewed(_)));
    let renewed = rounds.iter().filter(is_renewed).count();
    assert_eq!(renewed, 1, "{rounds:?}");
    assert_eq!(fixture.times_asked(), 1);
    assert_eq!(fixture.know_the_newcomer().await, [true; 3]);
    let almost = DAY.saturating_sub(Duration::from_secs(1));
    fixture.clock.advance(almost);
    fixture.rounds().await;
    assert_eq!(fixture.times_asked(), 1);
    fixture.clock.advance(Duration::from_secs(1));
    fixture.rounds().await;
    assert_eq!(fixture.times_asked(), 2);
}

#[tokio::test]
async fn the_list_of_today_in_mexico_city_is_asked_for() {
    let fixture = fixture(1);
    fixture.lists(Some(list()));
    let renewal = fixture.processes[0].renewal.renew().await.unwrap();
    let today = calendar::today(fixture.clock.now());
    assert_eq!(*fixture.bank.asked.lock().unwrap(), [today]);
    assert_eq!(renewal.catalogue.as_of(), today);
    assert_eq!(renewal.added.len(), 1);
}

#[tokio::test]
async fn a_failed_renewal_changes_nothing_and_is_tried_again_after_an_hour() {
    let fixture = fixture(2);
    fixture.rounds().await;
    fixture.clock.advance(HOUR);
    for asked in 1..=3 {
        fixture.rounds().await;
        fixture.rounds().await;
        assert_eq!(fixture.times_asked(), asked);
        assert_eq!(fixture.know_the_newcomer().await, [false; 2]);
        fixture.clock.advance(HOUR);
    }
    fixture.lists(Some(list()));
    fixture.rounds().await;
    assert_eq!(fixture.know_the_newcomer().await, [true; 2]);
}

#[tokio::test]
async fn a_damaged_list_changes_nothing() {
    let fixture = fixture(1);
    let process = &fixture.processes[0];
    fixture.lists(Some(list()));
    process.renewal.renew().await.unwrap();
    let before = process.catalogue.catalogue();
    fixture.lists(Some(list().split_off(20)));
    let error = process.renewal.renew().await.unwrap_err();
    let missing = DamagedList::TooManyMissing { missing: 20 };
    assert!(matches!(error, RenewalError::Damaged(why) if why == missing));
    process.catalogue.follow().await.unwrap();
    assert_eq!(process.catalogue.catalogue(), before);
}

#[tokio::test]
async fn an_imported_catalogue_is_everybodys_and_a_requested_renewal_is_due() {
    let fixture = fixture(2);
    fixture.lists(Some(list()));
    let [one, other] = &fixture.processes[..] else {
        unreachable!("two were made")
    };
    let today = calendar::today(fixture.clock.now());
    let embedded = Catalogue::embedded();
    let imported = embedded.renewed(&list(), today).unwrap().catalogue;
    one.renewal.import(imported.clone()).await.unwrap();
    other.catalogue.follow().await.unwrap();
    assert_eq!(*other.catalogue.catalogue(), imported);
    let round = other.renewal.round().await.unwrap();
    assert!(matches!(round, RenewalRound::NotDue));
    one.renewal.request_renewal().await.unwrap();
    let round = other.renewal.round().await.unwrap();
    assert!(matches!(round, RenewalRound::Renewed(_)));
}

#[tokio::test]
async fn a_stored_catalogue_older_than_the_program_is_not_used() {
    let fixture = fixture(1);
    let process = &fixture.processes[0];
    let embedded = Catalogue::embedded();
    let older = embedded.as_of().pred_opt().unwrap();
    let older = Catalogue::from_csv(&embedded.to_csv(), older).unwrap();
    process.renewal.import(older).await.unwrap();
    assert_eq!(process.catalogue.catalogue().as_of(), embedded.as_of());
}
