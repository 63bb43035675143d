//! Cookies and sessions.

use std::collections::BTreeSet;

use crate::portal::support::{Form, Portal, Visitor};

fn session(visitor: &Visitor) -> &str {
    let mut cookies = visitor.cookies.iter();
    let cookie = cookies.find(|(name, _)| name == "JSESSIONID");
    cookie.map_or("", |(_, value)| value)
}

async fn is_not_armed(visitor: &mut Visitor) -> bool {
    let answer = visitor.download("XML").await;
    (answer.status, answer.body.len()) == (500, 833)
}

#[tokio::test]
async fn without_a_session_or_a_question_for_a_proof_nothing_is_armed() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    assert!(is_not_armed(&mut visitor).await);
    visitor
        .validate(&Form::new().with("tipoConsulta", "0"))
        .await;
    assert!(is_not_armed(&mut visitor).await);
}

#[tokio::test]
async fn a_session_of_another_server_is_not_armed_and_gets_a_new_one() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    visitor.cookies = vec![("JSESSIONID".to_owned(), "stale!1".to_owned())];
    assert!(is_not_armed(&mut visitor).await);
    assert_eq!(visitor.fetch(&Form::new(), "XML").await.status, 200);
    assert_ne!(session(&visitor), "stale!1");
}

#[tokio::test]
async fn a_response_without_a_proof_disarms_the_session() {
    let portal = Portal::start().await;
    for amount in [
        "404.00", "404.01", "404.02", "429.00", "429.01", "500.00", "502.00",
    ] {
        let mut visitor = portal.visitor();
        visitor.validate(&Form::new()).await;
        visitor.validate(&Form::of(amount)).await;
        assert!(is_not_armed(&mut visitor).await, "{amount}");
    }
}

#[tokio::test]
async fn one_armed_session_serves_several_formats() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    visitor.validate(&Form::new()).await;
    for format in ["XML", "PDF", "ZIP", "XML"] {
        assert_eq!(visitor.download(format).await.status, 200);
    }
    assert_eq!(visitor.download("CSV").await.status, 500);
}

#[tokio::test]
async fn two_sessions_are_isolated() {
    let portal = Portal::start().await;
    let (mut one, mut other) = (portal.visitor(), portal.visitor());
    one.validate(&Form::new().with("criterio", "ONE")).await;
    other.validate(&Form::new().with("criterio", "OTHER")).await;
    for _ in 0..3 {
        for (visitor, key) in [(&mut one, "ONE"), (&mut other, "OTHER")] {
            let xml = visitor.download("XML").await;
            assert!(xml.text().contains(&format!("claveRastreo=\"{key}\"")));
        }
    }
}

#[tokio::test]
async fn a_repeated_query_keeps_the_session_and_arms_it_with_the_last_payment() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    let [first, last] = ["FIRST", "LAST"].map(|key| Form::new().with("criterio", key));
    visitor.validate(&first).await;
    let name = session(&visitor).to_owned();
    let xml = visitor.fetch(&last, "XML").await;
    assert_eq!(session(&visitor), name);
    assert!(xml.text().contains("claveRastreo=\"LAST\""));
}

#[tokio::test]
async fn cookies_have_the_recorded_format_without_a_secure_attribute() {
    let answer = Portal::start().await.answer(&Form::new()).await;
    let lines = answer.headers.get_all("set-cookie").into_iter();
    let lines: Vec<_> = lines.map(|line| line.to_str().unwrap()).collect();
    assert!(lines[0].starts_with("JSESSIONID="));
    assert!(lines[0].ends_with("!999000001; path=/; HttpOnly"));
    assert!(lines[1].starts_with("Hex39764011=!"));
    assert!(lines[1].contains("==; expires=Sat, 21-Nov-2026 02:00:00 GMT;"));
    assert!(lines[2].starts_with("TS012f422b=01"));
    let is_secure = |line: &&str| line.to_lowercase().contains("secure");
    assert!(!lines.iter().any(is_secure));
}

#[tokio::test]
async fn no_two_session_ids_share_a_prefix() {
    let portal = Portal::start().await;
    let mut beginnings = BTreeSet::new();
    for _ in 0..50 {
        let mut visitor = portal.visitor();
        visitor.validate(&Form::new()).await;
        assert_eq!(session(&visitor).len(), 52 + "!999000001".len());
        beginnings.insert(session(&visitor)[..8].to_owned());
    }
    assert_eq!(beginnings.len(), 50);
}
