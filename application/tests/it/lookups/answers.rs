//! The bank's last answer without a proof, as the owner of a lookup is told of it.

use domain::calendar::{self, parse_date};
use domain::hints::{self, Hint};
use domain::participants::Catalogue;
use domain::participants::inference::{self, Resolution};
use domain::payment::PaymentState;

use super::*;

#[tokio::test]
async fn a_payment_without_a_proof_is_told_until_the_proof_is_issued() {
    let (world, process, holder, id) = start_queued("404.02").await;
    assert_eq!(process.view(&holder, id).await.payment, None);
    let waiting = process.tried(&holder, id).await;
    let state = waiting.payment.map(|payment| payment.state);
    assert_eq!(state, Some(PaymentState::Settled));
    assert_eq!(waiting.hints, []);
    // It is stored encrypted.
    let finding = world.stored(&holder, id).await.finding.unwrap();
    let name = PaymentState::Settled.name().as_bytes();
    assert!(!finding.windows(name.len()).any(|part| part == name));
    world.issue_all();
    world.pass(seconds(60)).await;
    let delivered = process.tried(&holder, id).await;
    assert_eq!(delivered.state, Delivered);
    assert_eq!(delivered.payment, None);
    assert_eq!(world.stored(&holder, id).await.finding, None);
}

#[tokio::test]
async fn an_unknown_transfer_has_its_question_and_the_hints_of_an_immediate_answer() {
    for (request, state) in [
        (lookup("404.00"), NotFound),
        (lookup_of_today("404.00"), Waiting),
    ] {
        let (world, process, holder) = start().await;
        let asked = request
            .query
            .clone()
            .complete(&[], Catalogue::embedded())
            .unwrap();
        let catalogue = Catalogue::embedded();
        let Resolution { inferred, transfer } = inference::resolve(asked.clone(), catalogue);
        let today = calendar::today(world.base.clock.now());
        let expected = hints::hints(&transfer.unwrap(), &inferred, today, catalogue);
        let id = process.create(&holder, request).await.id;
        assert_eq!(process.view(&holder, id).await.hints, []);
        let found = process.tried(&holder, id).await;
        assert_eq!((found.state, &found.question), (state, &asked));
        assert_eq!((found.hints, found.inferred), (expected, inferred));
        assert_eq!(found.payment, None);
    }
}

#[tokio::test]
async fn a_failure_takes_nothing_back_of_what_the_bank_said() {
    let (world, process, holder) = start().await;
    let known = process.queue(&holder, "404.02").await;
    let unknown = process.create(&holder, lookup_of_today("404.00")).await.id;
    let before = process.tried(&holder, unknown).await;
    assert!(!before.hints.is_empty());
    world.bank.answer_by(|_| Script::Fail(BankError::Timeout));
    world.pass(seconds(60)).await;
    let known = process.tried(&holder, known).await;
    assert_eq!(known.reason(), Some(Outcome::BankTimeout));
    assert!(known.payment.is_some());
    let unknown = process.view(&holder, unknown).await;
    assert_eq!(unknown.reason(), Some(Outcome::BankTimeout));
    assert_eq!(unknown.hints, before.hints);
}

#[tokio::test]
async fn hints_stay_those_of_the_day_of_the_answer() {
    let request = LookupRequest {
        query: query("2026-01-12", "404.00").into(),
        ..lookup("404.00")
    };
    let (world, process, holder, id) = start_created(request).await;
    process.work().await;
    let of_the_answer = process.view(&holder, id).await.hints;
    let swapped = Hint::DayAndMonthSwapped {
        other: parse_date("2026-12-01").unwrap(),
    };
    assert!(!of_the_answer.contains(&swapped), "it lies in the future");
    world.pass(seconds(12 * 86_400)).await;
    assert_eq!(process.view(&holder, id).await.hints, of_the_answer);
}

#[tokio::test]
async fn a_list_tells_the_same_as_each_lookup() {
    let (_world, process, holder) = start().await;
    for amount in ["404.00", "404.02"] {
        process.create(&holder, lookup(amount)).await;
    }
    process.work().await;
    let listed = process.lookups.list(access(&holder), all()).await;
    let listed = listed.unwrap().found.items;
    assert_eq!(listed.len(), 2);
    for (_, listed) in listed {
        let found = process.view(&holder, listed.id).await;
        assert_eq!(listed.question, found.question);
        assert_eq!(listed.hints, found.hints);
        assert_eq!(listed.payment, found.payment);
        assert!(listed.hints.is_empty() != listed.payment.is_none());
    }
}
