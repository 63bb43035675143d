//! Contract of the notifications of what other processes do with stored lookups.

use super::*;

/// One process's notifications, and the stores of another one.
pub struct NotificationsUnderTest {
    /// Notifications of the one.
    pub notifications: Arc<dyn LookupNotifications>,
    /// The same database, as the other one has it.
    pub elsewhere: Stores,
}

cases! {
    $ lookup_notifications(NotificationsUnderTest)
    self::additions_changes_and_cancellations_are_heard_of,
    self::changes_of_many_lookups_at_once_are_heard_of_one_by_one,
    self::what_changed_nothing_is_not_heard_of,
    self::two_who_listen_hear_the_same,
}

/// Notifications that arrived.
struct Heard(UnboundedReceiver<LookupNotification>);

impl Heard {
    async fn next(&mut self) -> LookupNotification {
        self.0.next().await.expect("it is listened to")
    }

    /// The next notification that isn't of an addition.
    async fn next_change(&mut self) -> LookupId {
        loop {
            if let LookupNotification::Changed(id) = self.next().await {
                return id;
            }
        }
    }
}

impl NotificationsUnderTest {
    /// Runs a scenario while it is listened to the notifications.
    async fn during(&self, scenario: impl AsyncFnOnce(&Stores, Heard)) {
        let (sender, heard) = unbounded();
        let notify = move |notification| drop(sender.unbounded_send(notification));
        let listening = self.notifications.listen(&notify);
        let scenario = async {
            let mut heard = Heard(heard);
            assert_eq!(heard.next().await, LookupNotification::Listening);
            scenario(&self.elsewhere, heard).await;
        };
        pin_mut!(listening, scenario);
        if let Either::Left((error, _)) = select(listening, scenario).await {
            panic!("the connection was lost: {error}");
        }
    }
}

async fn additions_changes_and_cancellations_are_heard_of(under_test: NotificationsUnderTest) {
    let changed = async |elsewhere: &Stores, mut heard: Heard| {
        elsewhere.running(&lookup(1)).await;
        assert_eq!(heard.next().await, LookupNotification::Added);
        assert_eq!(heard.next_change().await, id(1));
        assert!(elsewhere.ends(id(1), 1, soon(), wait(minutes(1))).await);
        assert_eq!(heard.next_change().await, id(1));
        elsewhere.claim_at(1, minutes(1), lease(2)).await;
        assert_eq!(heard.next_change().await, id(1));
        assert!(elsewhere.ends(id(1), 2, minutes(1), failed()).await);
        assert_eq!(heard.next_change().await, id(1));
        elsewhere.add_lookups(&[lookup(2), lookup(3)]).await;
        elsewhere.cancels(customer(1).id, &lookup(2)).await;
        assert_eq!(heard.next_change().await, id(2));
        // No key has its counters.
        let orphaned = ok(elsewhere.lookups.cancel_orphaned(9, soon())).await;
        assert_eq!(orphaned.len(), 1);
        assert_eq!(heard.next_change().await, id(3));
    };
    under_test.during(changed).await;
}

async fn changes_of_many_lookups_at_once_are_heard_of_one_by_one(
    under_test: NotificationsUnderTest,
) {
    let changed = async |elsewhere: &Stores, mut heard: Heard| {
        const LOOKUPS: u16 = 500;
        for number in 0..LOOKUPS {
            elsewhere.add_lookups(&[lookup(number)]).await;
        }
        elsewhere.claim(LOOKUPS.into(), lease(1)).await;
        for number in 0..LOOKUPS {
            assert_eq!(heard.next_change().await, lookup(number).facts.id);
        }
    };
    under_test.during(changed).await;
}

async fn what_changed_nothing_is_not_heard_of(under_test: NotificationsUnderTest) {
    let nothing = async |elsewhere: &Stores, mut heard: Heard| {
        elsewhere.running(&lookup(1)).await;
        assert_eq!(heard.next_change().await, id(1));
        assert!(!elsewhere.ends(id(1), 9, soon(), failed()).await);
        assert_eq!(elsewhere.claim(1, lease(2)).await, []);
        elsewhere.add_lookups(&[lookup(2)]).await;
        for _ in 0..2 {
            elsewhere.cancels(customer(1).id, &lookup(2)).await;
        }
        assert_eq!(heard.next_change().await, id(2));
        assert!(elsewhere.ends(id(1), 1, soon(), failed()).await);
        assert_eq!(heard.next_change().await, id(1));
    };
    under_test.during(nothing).await;
}

async fn two_who_listen_hear_the_same(under_test: NotificationsUnderTest) {
    let both = async |elsewhere: &Stores, mut first: Heard| {
        let second = async |_: &Stores, mut second: Heard| {
            elsewhere.running(&lookup(1)).await;
            assert_eq!(first.next_change().await, id(1));
            assert_eq!(second.next_change().await, id(1));
        };
        under_test.during(second).await;
    };
    under_test.during(both).await;
}
