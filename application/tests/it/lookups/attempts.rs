//! Attempts: the proof, and the schedule until it is issued.

use application::Files;
use chrono::TimeDelta;
use domain::amount::Amount;
use domain::payment::{Payment, PaymentState};
use domain::proofs::file::{Format, RequestedFiles};
use domain::seals::SealVerdict;
use ports::contract::bank::scene;
use rstest::rstest;

use super::*;

#[rstest]
#[case::xml(XML)]
#[case::both(BOTH)]
#[tokio::test]
async fn a_proof_is_delivered_as_the_bank_issued_it_and_recorded_with_its_mark(
    #[case] files: RequestedFiles,
) {
    let request = LookupRequest {
        files,
        ..lookup("10.00")
    };
    let (world, process, holder, id) = start_created(request).await;
    assert_eq!(process.work().await, 1);
    let found = process.view(&holder, id).await;
    assert_eq!((found.state, found.attempts), (Delivered, 1));
    assert_eq!(found.history.unwrap()[0].outcome, Outcome::Delivered);
    let kept = found.erase_at.unwrap() - found.updated_at;
    assert_eq!(kept, TimeDelta::days(7));
    let delivery = found.delivery.unwrap();
    let issued = unsealed_proof(&world.bank.asked()[0].transfer);
    let (xml, pdf) = match delivery.files {
        Files::Xml(xml) => (xml, None),
        Files::Both { xml, pdf } => (xml, Some(pdf)),
        Files::Pdf(_) => panic!("there is no XML"),
    };
    assert_eq!(Some(xml), issued.xml);
    assert_eq!(pdf, issued.pdf.filter(|_| files.includes_pdf()));
    let name = delivery.stem.with_extension(Format::Xml.extension());
    assert_eq!(name.rsplit('.').next(), Some("xml"), "{name}");
    // Its seal is checked at every read, and its end recorded once.
    let checks = world.seals.checked().len();
    process.view(&holder, id).await;
    process.view(&holder, id).await;
    assert_eq!(world.seals.checked().len(), checks + 2);
    for _ in 0..3 {
        world.pass(seconds(60)).await;
        process.work().await;
    }
    let [ended] = &world.ended()[..] else {
        panic!("{:?}", world.ended());
    };
    assert_eq!((ended.outcome, ended.key), (Outcome::Delivered, holder.id));
    assert_eq!(ended.seal, Some(SealVerdict::NotChecked));
    assert!(!ended.delivered.is_empty() && ended.banks.is_some());
    assert!(ended.bank_time.is_some() && ended.refund.is_none());
}

#[tokio::test]
async fn earlier_deliveries_are_counted_as_of_the_delivery() {
    let (_world, process, holder) = start().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(process.queue(&holder, "10.00").await);
        process.work().await;
    }
    for (earlier, id) in (0..).zip(ids) {
        let delivery = process.view(&holder, id).await.delivery.unwrap();
        assert_eq!(delivery.seen.unwrap().times, earlier);
    }
}

#[tokio::test]
async fn a_proof_is_looked_for_at_the_times_of_the_schedule_until_it_is_issued() {
    let (world, process, holder, id) = start_queued("404.02").await;
    for (attempts, wait) in (1..).zip([60, 120, 300]) {
        assert_eq!(process.work().await, 1);
        let found = process.view(&holder, id).await;
        assert_eq!((found.state, found.attempts), (Waiting, attempts));
        assert_eq!(found.last_attempt.unwrap().outcome, Outcome::NotIssued);
        assert_eq!(world.seconds_until(found.next_attempt_at), wait);
        world.pass(seconds(wait.unsigned_abs() - 1)).await;
        assert_eq!(process.work().await, 0, "it was tried too early");
        world.pass(seconds(1)).await;
    }
    world.issue_all();
    assert_eq!(process.work().await, 1);
    let found = process.view(&holder, id).await;
    assert_eq!(found.state, Delivered);
    let history = found.history.unwrap();
    let outcomes: Vec<_> = history.iter().map(|attempt| attempt.outcome).collect();
    let (not_issued, delivered) = (Outcome::NotIssued, Outcome::Delivered);
    assert_eq!(outcomes, [not_issued, not_issued, not_issued, delivered]);
    assert_eq!(world.outcomes(), [delivered]);
    assert_eq!(world.charges(&holder).await, (1, 0));
}

#[rstest]
#[case::of_a_payment_of_before_that_nobody_knows(lookup("404.00"), NotFound, &[Outcome::NotFound])]
#[case::of_one_of_today(lookup_of_today("404.00"), Waiting, &[])]
#[case::that_is_the_only_one(retried_for(0, lookup("404.02")), Expired, &[Outcome::NotIssued])]
#[case::in_process(retried_for(0, lookup("404.04")), Expired, &[Outcome::PaymentInProcess])]
#[tokio::test]
async fn an_attempt_without_a_proof_is_the_last_or_is_made_again_after_a_minute(
    #[case] request: LookupRequest,
    #[case] state: LookupState,
    #[case] ends: &[Outcome],
) {
    let (world, process, holder, id) = start_created(request).await;
    let found = process.tried(&holder, id).await;
    assert_eq!((found.state, found.attempts), (state, 1));
    if state == Waiting {
        assert_eq!(world.seconds_until(found.next_attempt_at), 60);
    } else {
        world.pass(seconds(60)).await;
        assert_eq!(process.work().await, 0);
    }
    assert_eq!(world.bank.times_asked(), 1);
    assert_eq!(world.outcomes(), ends);
    assert_eq!(world.charges(&holder).await, (1, 0));
}

#[tokio::test]
async fn a_lookup_without_a_proof_in_time_expires() {
    let request = retried_for(100, lookup("404.02"));
    let (world, process, holder, id) = start_created(request).await;
    // The second wait would be longer than what is left.
    let steps = [(Waiting, 60), (Waiting, 40), (Expired, 0)];
    attempts((&world, &process, &holder), id, steps).await;
    assert_eq!(world.bank.times_asked(), 3);
    assert_eq!(world.outcomes(), [Outcome::NotIssued]);
    assert_eq!(world.charges(&holder).await, (1, 0));
}

#[tokio::test]
async fn each_state_of_a_payment_ends_its_lookup_at_once_or_is_asked_for_again() {
    for (centavos, payment) in scene::STATES {
        let (world, process, holder) = start().await;
        let amount = Amount::from_centavos(centavos).unwrap().to_string();
        let request = lookup_of_today(&amount);
        let id = process.create(&holder, request).await.id;
        let found = process.tried(&holder, id).await;
        assert_eq!(found.reason(), Some(payment.outcome()), "{payment:?}");
        assert_eq!(found.payment.map(|found| found.state), Some(payment));
        let is_unknown = payment.outcome() == Outcome::NotFound;
        assert_eq!(found.hints.is_empty(), !is_unknown, "{payment:?}");
        let (state, ends) = if payment.is_final() {
            (NotFound, vec![payment.outcome()])
        } else {
            (Waiting, Vec::new())
        };
        let ended = (found.state, world.outcomes());
        assert_eq!(ended, (state, ends), "{payment:?}");
        assert_eq!(world.charges(&holder).await, (1, 0));
    }
}

#[tokio::test]
async fn a_settled_payment_that_is_returned_before_its_proof_is_issued_ends_its_lookup() {
    let (world, process, holder, id) = start_queued("404.02").await;
    process.work().await;
    world.bank.answer_by(|transfer| {
        Script::Know(Payment {
            state: PaymentState::Returned,
            received_at: None,
            processed_at: transfer.date().and_hms_opt(11, 0, 0),
        })
    });
    world.pass(seconds(60)).await;
    let found = process.tried(&holder, id).await;
    let returned = Outcome::PaymentReturned;
    assert_eq!((found.state, found.reason()), (NotFound, Some(returned)));
    assert_eq!(world.outcomes(), [returned]);
}

#[tokio::test]
async fn the_test_scale_shortens_the_waits_of_test_lookups_alone() {
    let world = world();
    let process = world.process(Settings {
        test_scale: RetryScale::new(0.1).unwrap(),
        ..Settings::default()
    });
    for (environment, wait) in [(Environment::Test, 6), (Environment::Live, 60)] {
        let holder = world.holder(&operator(), environment).await;
        let id = process.queue(&holder, "404.02").await;
        let found = process.tried(&holder, id).await;
        assert_eq!(world.seconds_until(found.next_attempt_at), wait);
    }
    let asked = [&world.bank, &world.live_bank].map(|bank| bank.times_asked());
    assert_eq!(asked, [1, 1], "an environment asked the other's bank");
}

#[tokio::test]
async fn a_worker_finds_what_becomes_due_by_itself() {
    let (world, process, holder) = start().await;
    let worker = process.run_worker().await;
    let id = process.queue(&holder, "404.02").await;
    settle().await;
    assert_eq!(process.state(&holder, id).await, Waiting);
    world.issue_all();
    world.pass(seconds(60)).await;
    assert_eq!(process.state(&holder, id).await, Delivered);
    worker.abort();
}
