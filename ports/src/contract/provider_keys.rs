//! What every cache of an identity provider's keys does.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;

use crate::outbound::{KeyDocument, Known, Progress, ProviderKeyCache, Turn, Want};

/// A cache, empty, by two ways: as two processes would have it.
pub struct CachesUnderTest {
    /// The cache.
    pub here: Arc<dyn ProviderKeyCache>,
    /// The same, by another way where there is one.
    pub elsewhere: Arc<dyn ProviderKeyCache>,
}

/// Runs the whole suite; `make` gives an empty cache each time. Its clock may stand still; the suite
/// takes less than an hour.
pub async fn provider_keys<F: Future<Output = CachesUnderTest>>(make: impl Fn() -> F) {
    nothing_is_known_at_first(make().await).await;
    a_turn_is_under_way_until_it_is_ended(make().await).await;
    what_was_published_is_seen_everywhere(make().await).await;
    a_document_that_is_known_is_not_sent_again(make().await).await;
    of_many_who_saw_the_same_one_takes_the_turn(make().await).await;
    whoever_saw_an_older_turn_takes_none(make().await).await;
    only_what_was_missed_counts_as_missed(make().await).await;
    a_turn_that_brought_nothing_leaves_the_document(make().await).await;
    an_earlier_turn_does_not_undo_a_later_one(make().await).await;
    one_issuers_keys_are_not_anothers(make().await).await;
    a_document_of_any_size_comes_back_as_it_was(make().await).await;
}

const ISSUER: &str = "https://issuer.example";
const NONE: Turn = Turn(0);
const JUST_NOW: Duration = Duration::ZERO;
const HOUR: Duration = Duration::from_hours(1);

async fn look(cache: &Arc<dyn ProviderKeyCache>, known: Turn) -> Known {
    let found = cache.look(ISSUER, known).await;
    found.expect("the cache works")
}

async fn take(cache: &Arc<dyn ProviderKeyCache>, seen: Turn, want: Want) -> Option<Turn> {
    let taken = cache.take_turn(ISSUER, seen, want).await;
    taken.expect("the cache works")
}

async fn taken(cache: &Arc<dyn ProviderKeyCache>, seen: Turn, want: Want) -> Turn {
    let turn = take(cache, seen, want).await;
    turn.expect("nobody else takes turns")
}

async fn publish(cache: &Arc<dyn ProviderKeyCache>, turn: Turn, age: Duration, text: &str) {
    let published = cache.publish(ISSUER, turn, age, text).await;
    published.expect("the cache works");
}

async fn give_up(cache: &Arc<dyn ProviderKeyCache>, turn: Turn) {
    let given_up = cache.give_up(ISSUER, turn).await;
    given_up.expect("the cache works");
}

fn document(known: &Known) -> (Turn, &str) {
    let document = known.document.as_ref().expect("there is a document");
    (document.turn, &document.text)
}

/// Whether something was a moment ago: less than the suite takes.
fn is_recent(ago: Option<Duration>) -> bool {
    ago.is_some_and(|ago| ago < HOUR)
}

async fn nothing_is_known_at_first(CachesUnderTest { here, .. }: CachesUnderTest) {
    assert_eq!(look(&here, NONE).await, Known::default());
}

async fn a_turn_is_under_way_until_it_is_ended(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let first = taken(&here, NONE, Want::Newer).await;
    for cache in [&here, &elsewhere] {
        let known = look(cache, NONE).await;
        assert_eq!((known.turn, known.progress), (first, Progress::UnderWay));
        assert!(is_recent(known.begun), "{known:?}");
        assert_eq!((known.missed, known.document), (None, None));
    }
    give_up(&here, first).await;
    assert_eq!(look(&elsewhere, NONE).await.progress, Progress::Failed);
    let second = taken(&elsewhere, first, Want::Newer).await;
    assert!(second > first);
    assert_eq!(look(&here, NONE).await.progress, Progress::UnderWay);
    publish(&elsewhere, second, JUST_NOW, "{}").await;
    assert_eq!(look(&here, NONE).await.progress, Progress::Published);
}

async fn what_was_published_is_seen_everywhere(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let turn = taken(&here, NONE, Want::Newer).await;
    publish(&here, turn, HOUR, r#"{"keys":["ñ"]}"#).await;
    for cache in [&here, &elsewhere] {
        let known = look(cache, NONE).await;
        assert_eq!(document(&known), (turn, r#"{"keys":["ñ"]}"#));
        let age = known.document.and_then(|document| document.age);
        assert!(age.is_some_and(|age| (HOUR..2 * HOUR).contains(&age)));
        // The turn was taken now, however old its document is.
        assert!(is_recent(known.begun));
    }
}

async fn a_document_that_is_known_is_not_sent_again(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let first = taken(&here, NONE, Want::Newer).await;
    publish(&here, first, JUST_NOW, "first").await;
    assert_eq!(look(&elsewhere, first).await.document, None);
    let second = taken(&here, first, Want::Newer).await;
    assert_eq!(look(&elsewhere, first).await.document, None);
    publish(&here, second, JUST_NOW, "second").await;
    assert_eq!(document(&look(&elsewhere, first).await), (second, "second"));
    assert_eq!(look(&elsewhere, second).await.document, None);
}

async fn of_many_who_saw_the_same_one_takes_the_turn(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let mut seen = NONE;
    for _ in 0..5 {
        let crowd = (0..20).map(|place| {
            let cache = if place % 2 == 0 { &here } else { &elsewhere };
            take(cache, seen, Want::Missing)
        });
        let turns: Vec<_> = join_all(crowd).await.into_iter().flatten().collect();
        assert_eq!(turns.len(), 1, "{turns:?}");
        assert!(turns[0] > seen);
        seen = turns[0];
    }
}

async fn whoever_saw_an_older_turn_takes_none(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let first = taken(&here, NONE, Want::Newer).await;
    assert_eq!(take(&elsewhere, NONE, Want::Newer).await, None);
    publish(&here, first, JUST_NOW, "{}").await;
    assert_eq!(take(&elsewhere, NONE, Want::Missing).await, None);
    assert_eq!(look(&here, NONE).await.turn, first);
    let second = taken(&elsewhere, first, Want::Newer).await;
    assert_eq!(take(&here, first, Want::Missing).await, None);
    assert_eq!(look(&here, NONE).await.turn, second);
    assert_eq!(look(&here, NONE).await.missed, None);
}

async fn only_what_was_missed_counts_as_missed(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let first = taken(&here, NONE, Want::Newer).await;
    assert_eq!(look(&here, NONE).await.missed, None);
    let second = taken(&here, first, Want::Missing).await;
    let known = look(&elsewhere, NONE).await;
    assert!(is_recent(known.missed) && is_recent(known.begun));
    // A turn for another reason doesn't make it forgotten.
    taken(&here, second, Want::Newer).await;
    assert!(is_recent(look(&elsewhere, NONE).await.missed));
}

async fn a_turn_that_brought_nothing_leaves_the_document(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let first = taken(&here, NONE, Want::Newer).await;
    publish(&here, first, JUST_NOW, "first").await;
    let second = taken(&here, first, Want::Newer).await;
    give_up(&here, second).await;
    let known = look(&elsewhere, NONE).await;
    assert_eq!((known.turn, known.progress), (second, Progress::Failed));
    assert_eq!(document(&known), (first, "first"));
}

async fn an_earlier_turn_does_not_undo_a_later_one(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let slow = taken(&here, NONE, Want::Newer).await;
    let quick = taken(&elsewhere, slow, Want::Newer).await;
    publish(&elsewhere, quick, JUST_NOW, "quick").await;
    publish(&here, slow, JUST_NOW, "slow").await;
    give_up(&here, slow).await;
    let known = look(&here, NONE).await;
    assert_eq!((known.turn, known.progress), (quick, Progress::Published));
    assert_eq!(document(&known), (quick, "quick"));

    // What an earlier turn brings is better than nothing, and doesn't end the later one.
    let slow = taken(&here, quick, Want::Newer).await;
    let later = taken(&elsewhere, slow, Want::Newer).await;
    publish(&here, slow, JUST_NOW, "slow").await;
    let known = look(&elsewhere, quick).await;
    assert_eq!((known.turn, known.progress), (later, Progress::UnderWay));
    assert_eq!(document(&known), (slow, "slow"));
}

async fn one_issuers_keys_are_not_anothers(CachesUnderTest { here, .. }: CachesUnderTest) {
    let turn = taken(&here, NONE, Want::Missing).await;
    publish(&here, turn, JUST_NOW, "{}").await;
    // To the letter: the end, the case.
    for other in ["https://issuer.example/", "https://Issuer.example"] {
        let known = here.look(other, NONE).await.expect("the cache works");
        assert_eq!(known, Known::default());
    }
    let other = here.take_turn("https://other.example", NONE, Want::Newer);
    assert!(other.await.expect("the cache works").is_some());
    assert_eq!(look(&here, NONE).await.turn, turn);
}

async fn a_document_of_any_size_comes_back_as_it_was(under_test: CachesUnderTest) {
    let CachesUnderTest { here, elsewhere } = under_test;
    let turn = taken(&here, NONE, Want::Newer).await;
    let text = "\"áé'\\".repeat(32 * 1024);
    publish(&here, turn, JUST_NOW, &text).await;
    let expected = KeyDocument {
        turn,
        age: None,
        text,
    };
    let found = look(&elsewhere, NONE).await.document;
    let found = found.map(|document| KeyDocument {
        age: None,
        ..document
    });
    assert!(found == Some(expected), "it is another");
}
