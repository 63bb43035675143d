//! Own accounts: their management, and lookups whose account is masked or missing.

use application::{NewOwnAccount, OwnAccountFailure};
use domain::audit::{Action, AuditFilter};
use domain::hints::Hint;
use domain::masked_account::MaskedAccount;
use domain::own_accounts::{GivenAccount, OwnAccount, OwnAccountError, OwnAccountId};
use domain::payment::{Payment, PaymentState};
use domain::query::{Field, FieldErrorKind};
use domain::transfer::Transfer;
use futures::future::join_all;
use futures::poll;
use ports::outbound::AuditLog as _;
use uuid::Uuid;

use super::*;
use crate::support::{ANA, LUIS};

/// CLABEs of four banks without their check digits.
pub(super) const BANKS: [&str; 4] = [
    "00201007777777777",
    "01418065501234567",
    "07218001234567890",
    "02118004001234567",
];

fn new(account: &str) -> NewOwnAccount {
    NewOwnAccount {
        name: "Ventas".to_owned(),
        account: account.to_owned(),
        bank: None,
    }
}

/// A query whose account is given like this.
fn given(amount: &str, account: GivenAccount) -> LookupRequest {
    let query = query_of(amount);
    LookupRequest {
        query: domain::query::ProofQuery {
            date: query.date,
            criterion: query.criterion,
            account,
            others: Vec::new(),
            completion: None,
            amount: query.amount,
            issuer: query.issuer,
            receiver: query.receiver,
        },
        ..lookup(amount)
    }
}

fn masked(text: &str) -> GivenAccount {
    GivenAccount::Masked(MaskedAccount::parse(text).unwrap())
}

/// A payment that the bank knows and hasn't issued a proof of.
fn under_way() -> Payment {
    Payment {
        state: PaymentState::InProcess,
        received_at: None,
        processed_at: None,
    }
}

/// CLABEs with a right check digit and these first digits.
fn clabe(first: &str) -> String {
    let with = |last: u8| format!("{first}{last}");
    let is_right = |text: &String| {
        domain::account::Account::parse(text)
            .unwrap()
            .has_valid_check_digit()
    };
    (0..10).map(with).find(is_right).unwrap()
}

/// A key of Ana's, who has own accounts with these first digits, in a world whose bank knows transfers to the one at
/// `credited`.
pub(super) async fn start_with(
    first: &[&str],
    credited: Option<usize>,
) -> (World, Process, Holder, Vec<OwnAccount>) {
    let world = world();
    let process = world.process(Settings::default());
    let holder = world.base.key_of(&ANA, Environment::Test, None).await;
    // Ids that are made at the same time by the key's and the accounts' services would be the same.
    world.pass(seconds(1)).await;
    let mut own = Vec::new();
    for first in first {
        let added = process.own_accounts.add(&ANA, new(&clabe(first))).await;
        own.push(added.unwrap());
        world.pass(seconds(1)).await;
    }
    let known = credited.map(|place| own[place].account.clone());
    world.bank.answer_by(move |transfer: &Transfer| {
        if known
            .as_ref()
            .is_some_and(|known| transfer.account() != known)
        {
            return Script::KnowNothing;
        }
        Script::Issue(unsealed_proof(transfer))
    });
    (world, process, holder, own)
}

#[tokio::test]
async fn a_missing_account_is_asked_for_among_the_own_ones_and_charged_once() {
    let (world, process, holder, own) = start_with(&BANKS[..3], Some(2)).await;
    let created = process
        .create(&holder, given("10.00", GivenAccount::Missing))
        .await;
    assert_eq!(created.question.account, own[0].account);
    let found = process.tried(&holder, created.id).await;
    assert_eq!(found.state, Delivered);
    assert_eq!(world.bank.times_asked(), 3);
    assert_eq!(world.charges(&holder).await, (1, 0));
    assert_eq!(found.attempts, 1);
    // The question tells the account, alone and in lists, and the others that were asked for.
    let listed = process
        .lookups
        .list(access(&holder), all())
        .await
        .unwrap()
        .found;
    let [(_, listed)] = &listed.items[..] else {
        panic!("one lookup");
    };
    for view in [&found, listed] {
        assert_eq!(view.question.account, own[2].account);
        let others = view.question.others.iter().map(|other| &other.account);
        assert!(others.eq([&own[0].account, &own[1].account]));
    }
}

#[tokio::test]
async fn three_accounts_are_asked_for_at_most() {
    let (world, process, holder, _) = start_with(&BANKS, Some(3)).await;
    let id = process
        .create(&holder, given("10.00", GivenAccount::Missing))
        .await
        .id;
    let found = process.tried(&holder, id).await;
    assert_eq!(
        (found.state, found.reason()),
        (NotFound, Some(Outcome::NotFound))
    );
    assert_eq!(world.bank.times_asked(), 3);
    let more = Hint::MoreOwnAccounts {
        asked: 3,
        fitting: 4,
    };
    assert_eq!(found.hints.first(), Some(&more));
}

#[tokio::test]
async fn the_question_tells_the_account_of_a_payment_without_a_proof() {
    let (world, process, holder, own) = start_with(&BANKS[..3], None).await;
    let known = own[1].account.clone();
    world.bank.answer_by(move |transfer: &Transfer| {
        if *transfer.account() == known {
            Script::Know(under_way())
        } else {
            Script::KnowNothing
        }
    });
    let request = given("10.00", GivenAccount::Missing);
    let id = process.create(&holder, request).await.id;
    let found = process.tried(&holder, id).await;
    assert_eq!(
        (found.state, &found.question.account),
        (Waiting, &own[1].account)
    );
    // It is asked for first from now on.
    world.pass(seconds(60)).await;
    process.tried(&holder, id).await;
    assert_eq!(world.bank.times_asked(), 3);
}

#[tokio::test]
async fn a_masked_account_is_asked_for_alone_if_one_fits() {
    let (world, process, holder, own) = start_with(&BANKS[..2], None).await;
    let digits = own[1].account.as_str();
    let account = masked(&format!("****{}", &digits[12..]));
    let id = process.create(&holder, given("10.00", account)).await.id;
    let found = process.tried(&holder, id).await;
    assert_eq!(found.question.account, own[1].account);
    assert_eq!(
        (world.bank.times_asked(), found.question.others.len()),
        (1, 0)
    );
}

#[tokio::test]
async fn an_answer_that_the_bank_knows_the_payment_or_fails_ends_the_attempt() {
    for (script, state) in [
        (Script::Fail(BankError::Timeout), Waiting),
        (Script::Know(under_way()), Waiting),
    ] {
        let (world, process, holder, _) = start_with(&BANKS[..3], None).await;
        world.bank.answer_by(move |_| script.clone());
        let id = process
            .create(&holder, given("10.00", GivenAccount::Missing))
            .await
            .id;
        assert_eq!(process.tried(&holder, id).await.state, state);
        assert_eq!(world.bank.times_asked(), 1);
    }
}

#[tokio::test]
async fn an_account_of_the_issuers_own_bank_is_left_out() {
    // The tracking key is BBVA's, and so is the first account.
    let (world, process, holder, own) = start_with(&["01218000123456789", BANKS[0]], None).await;
    let created = process
        .create(&holder, given("10.00", GivenAccount::Missing))
        .await;
    assert_eq!(
        (&created.question.account, created.question.others.len()),
        (&own[1].account, 0)
    );
    assert_eq!(process.tried(&holder, created.id).await.state, Delivered);
    assert_eq!(world.bank.times_asked(), 1);
}

#[tokio::test]
async fn a_query_that_no_own_account_fits_is_refused() {
    for (account, problem) in [
        (masked("****0000"), FieldErrorKind::NoOwnAccount),
        (GivenAccount::Missing, FieldErrorKind::Missing),
    ] {
        let is_masked = account != GivenAccount::Missing;
        let (world, process, holder, _) = start_with(&BANKS[..usize::from(is_masked)], None).await;
        let answer = process.ask(&holder, given("10.00", account)).await;
        assert_eq!(answer.charge, Charge::Settled(Outcome::InvalidRequest));
        let Reply::Answer(Err(FetchError::NoOwnAccount(error))) = answer.reply else {
            panic!("{:?}", answer.reply);
        };
        assert_eq!((error.field, error.problem), (Field::Account, problem));
        assert_eq!(world.all_stored(&holder).await.len(), 0);
    }
}

#[tokio::test]
async fn own_accounts_are_added_listed_and_removed_by_their_owner_alone() {
    let (world, process, _, own) = start_with(&BANKS[..2], None).await;
    let service = &process.own_accounts;
    assert_eq!(service.list(&ANA).await.unwrap(), own);
    assert_eq!(service.list(&LUIS).await.unwrap(), []);
    let others = service.remove(&LUIS, own[0].id).await;
    assert!(matches!(others, Err(OwnAccountFailure::NotFound)));
    let unknown = service.remove(&ANA, OwnAccountId(Uuid::nil())).await;
    assert!(matches!(unknown, Err(OwnAccountFailure::NotFound)));
    let again = service.add(&ANA, new(own[0].account.as_str())).await;
    let known = OwnAccountError::Known;
    assert!(matches!(again, Err(OwnAccountFailure::Refused(error)) if error == known));
    assert_eq!(service.remove(&ANA, own[0].id).await.unwrap(), own[0]);
    assert_eq!(service.list(&ANA).await.unwrap(), own[1..]);
    let page = PageRequest::first(PageSize::MAX);
    let logged = world
        .base
        .data
        .audit(&AuditFilter::default(), &page)
        .await
        .unwrap();
    let changes = logged.items.iter().filter(|(_, entry)| entry.key.is_none());
    let changes: Vec<_> = changes.map(|(_, entry)| entry).collect();
    let actions = changes.iter().map(|entry| entry.action);
    assert!(actions.eq([
        Action::OwnAccountRemoved,
        Action::OwnAccountAdded,
        Action::OwnAccountAdded
    ]));
    let digits = own[0].account.as_str();
    let shown = changes[0]
        .changes
        .iter()
        .find(|change| change.field == "account");
    let ending = format!("****{}", &digits[14..]);
    assert_eq!(shown.unwrap().before.as_deref(), Some(&*ending));
    assert!(
        changes
            .iter()
            .all(|entry| !format!("{entry:?}").contains(digits))
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_new_account_is_told() {
    let (_, process, ..) = start_with(&[], None).await;
    let add = async |change: fn(&mut NewOwnAccount)| {
        let mut account = new(&clabe(BANKS[0]));
        change(&mut account);
        process.own_accounts.add(&ANA, account).await.unwrap_err()
    };
    let name = add(|new| new.name = "\u{200b}".to_owned()).await;
    assert!(matches!(name, OwnAccountFailure::Name(_)), "{name}");
    let account = add(|new| new.account = "123".to_owned()).await;
    assert!(
        matches!(account, OwnAccountFailure::Account(_)),
        "{account}"
    );
    let bank = add(|new| new.bank = Some("Banco de Nadie".to_owned())).await;
    assert!(matches!(bank, OwnAccountFailure::Bank(_)), "{bank}");
    let phone = add(|new| new.account = "5512345678".to_owned()).await;
    assert!(
        matches!(
            phone,
            OwnAccountFailure::Refused(OwnAccountError::BankNeeded)
        ),
        "{phone}"
    );
    assert_eq!(process.own_accounts.list(&ANA).await.unwrap(), []);
}

#[tokio::test]
async fn accounts_that_are_added_at_once_wait_for_each_other_and_are_all_kept() {
    let (_, process, ..) = start_with(&[], None).await;
    let faults = process.faults();
    faults.inject_into("replace_own_accounts", Fault::Hangs);
    let add = |first| process.own_accounts.add(&ANA, new(&clabe(first)));
    let mut added = join_all(BANKS.map(add));
    assert!(poll!(&mut added).is_pending());
    assert_eq!(faults.calls_of("replace_own_accounts"), 1);
    faults.clear();
    for added in added.await {
        added.unwrap();
    }
    assert_eq!(
        process.own_accounts.list(&ANA).await.unwrap().len(),
        BANKS.len()
    );
}

#[tokio::test]
async fn accounts_are_encrypted_and_anew_after_a_rotation_of_the_secret() {
    let (world, _, _, own) = start_with(&BANKS[..1], None).await;
    let secrets = |secrets: &'static [u16]| Settings {
        secrets,
        ..Settings::default()
    };
    let ignorant = world.process(secrets(&[2]));
    let unreadable = ignorant.own_accounts.list(&ANA).await;
    assert!(matches!(unreadable, Err(OwnAccountFailure::Store(_))));
    let lost = ignorant.account_reencryption.round().await.unwrap();
    assert_eq!((lost.done, lost.unreadable), (0, 1));
    let rotated = world.process(secrets(&[2, 1]));
    assert_eq!(rotated.own_accounts.list(&ANA).await.unwrap(), own);
    let anew = rotated.account_reencryption.round().await.unwrap();
    assert_eq!((anew.done, anew.unreadable), (1, 0));
    assert_eq!(rotated.account_reencryption.round().await.unwrap().done, 0);
    assert_eq!(ignorant.own_accounts.list(&ANA).await.unwrap(), own);
}
