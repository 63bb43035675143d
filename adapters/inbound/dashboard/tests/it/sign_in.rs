//! Sign-in: cookies, return paths and error pages.

use std::sync::Arc;

use ports::outbound::IdentityError;
use rstest::rstest;

use crate::harness::{
    Harness, LOOPBACK, REQUEST_ID, TLS, TOKEN, get, with_header, without_secrets,
};

#[tokio::test]
async fn a_sign_in_goes_to_the_provider_and_back_to_its_place() {
    let harness = Harness::at(TLS);
    let path = "/login?return_to=%2Fdashboard%2Fkeys%3Fstate%3Dall";
    let answer = harness.get(path).await;
    assert_eq!(answer.status, 303);
    assert_eq!(
        without_secrets(answer.header("location")),
        "https://identity.example/authorize?state=[state]&nonce=[nonce]\
         &redirect_uri=https://gateway.example/auth/callback"
    );
    let rest = "Path=/; HttpOnly; SameSite=Lax; Secure";
    let cookie = format!("__Host-cep_session_sign_in=[sign_in]; Max-Age=600; {rest}");
    assert_eq!(without_secrets(&answer.cookies().join(", ")), cookie);

    let begun = harness.begin(path).await;
    let answer = harness.callback(&begun.answer(), &begun).await;
    assert_eq!(answer.redirect(), (303, "/dashboard/keys?state=all"));
    let cookies = [
        format!("__Host-cep_session={TOKEN}; Max-Age=3600; {rest}"),
        format!("__Host-cep_session_sign_in=; Max-Age=0; {rest}"),
    ];
    assert_eq!(answer.cookies(), cookies);
}

#[tokio::test]
async fn on_loopback_the_cookies_go_without_tls() {
    let answer = Harness::at(LOOPBACK).get("/login").await;
    assert_eq!(
        without_secrets(&answer.cookies().join(", ")),
        "cep_session_sign_in=[sign_in]; Max-Age=600; Path=/; HttpOnly; SameSite=Lax"
    );
}

#[rstest]
#[case::nothing("/login", "/dashboard")]
#[case::a_place("/login?return_to=/dashboard/try", "/dashboard/try")]
#[case::another_site("/login?return_to=https://evil.example", "/dashboard")]
#[case::another_host("/login?return_to=//evil.example", "/dashboard")]
#[case::another_host_by_a_tab("/login?return_to=/%09/evil.example", "/dashboard")]
#[case::two("/login?return_to=/a&return_to=/b", "/dashboard")]
#[case::a_header("/login?return_to=/a%0D%0ASet-Cookie:%20x=y", "/aSet-Cookie:%20x=y")]
#[tokio::test]
async fn a_sign_in_returns_to_a_path_of_this_origin(#[case] path: &str, #[case] return_path: &str) {
    let harness = Harness::at(TLS);
    let begun = harness.begin(path).await;
    let answer = harness.callback(&begun.answer(), &begun).await;
    assert_eq!(answer.header("location"), return_path);
    let cookies = answer.cookies();
    assert!(cookies.iter().all(|cookie| !cookie.starts_with("x=")));
}

#[rstest]
#[case::without_anything("")]
#[case::without_a_state("code={code}")]
#[case::without_a_code("state={state}")]
#[case::in_another_state("code={code}&state=x{state}")]
#[case::with_an_empty_code("code=&state={state}")]
#[case::with_two_codes("code={code}&code={code}&state={state}")]
#[case::with_two_states("code={code}&state={state}&state={state}")]
#[tokio::test]
async fn an_answer_that_fits_no_sign_in_is_refused(#[case] query: &str) {
    let harness = Harness::at(TLS);
    let begun = harness.begin("/login").await;
    let query = query.replace("{code}", &begun.code);
    let query = query.replace("{state}", &begun.state);
    let answer = harness.callback(&query, &begun).await;
    assert_eq!(answer.status, 400);
    assert!(answer.cookies().is_empty(), "it is still under way");
}

#[tokio::test]
async fn of_two_tabs_the_one_that_began_last_signs_in() {
    let harness = Harness::at(TLS);
    let older = harness.begin("/login").await;
    let newer = harness.begin("/login").await;
    // The browser keeps one cookie, the newer sign-in's, as long as nobody takes it away.
    let answer = harness.callback(&older.answer(), &newer).await;
    assert_eq!(answer.status, 400);
    assert!(answer.cookies().is_empty());
    let answer = harness.callback(&newer.answer(), &newer).await;
    assert_eq!(answer.status, 303);
    assert!(answer.cookies()[1].starts_with("__Host-cep_session_sign_in=; Max-Age=0;"));
}

#[tokio::test]
async fn a_sign_in_is_answered_once_and_by_its_browser() {
    let harness = Harness::at(TLS);
    let begun = harness.begin("/login").await;
    let path = format!("/auth/callback?{}", begun.answer());
    assert_eq!(harness.get(&path).await.status, 400);
    for status in [303, 400] {
        let answer = harness.callback(&begun.answer(), &begun).await;
        assert_eq!(answer.status, status);
    }
}

#[tokio::test]
async fn an_error_of_the_provider_outweighs_a_code_and_its_text_is_not_shown() {
    let harness = Harness::at(TLS);
    let text = "%3Cscript%3Ealert(1)%3C/script%3E%20call%20us%20now";
    for (error, shown) in [("access_denied", "«access_denied»"), (text, "")] {
        let begun = harness.begin("/login").await;
        let query = format!("error={error}&{}", begun.answer());
        let answer = harness.callback(&query, &begun).await;
        assert_eq!(answer.status, 403);
        assert!(answer.body.contains(shown), "{}", answer.body);
        for told in ["alert", "call us"] {
            assert!(!answer.body.contains(told), "{}", answer.body);
        }
    }
}

/// Failures of the provider, and a sign-in that was never begun.
fn failures() -> [(&'static str, Option<IdentityError>, u16); 4] {
    let cause = std::io::Error::other("10.0.0.7: connection refused");
    let refused = IdentityError::Refused("login_required".to_owned());
    let unusable = IdentityError::Unusable("aud is missing: set CEP_OIDC_AUDIENCE".to_owned());
    let unavailable = IdentityError::Unavailable(Arc::new(cause));
    [
        ("not_under_way", None, 400),
        ("refused", Some(refused), 403),
        ("unusable", Some(unusable), 502),
        ("unavailable", Some(unavailable), 503),
    ]
}

#[tokio::test]
async fn a_failure_is_a_page_that_says_what_to_do() {
    for (name, failure, status) in failures() {
        for language in ["es", "en"] {
            let harness = Harness::at(TLS);
            let path = match failure {
                Some(_) => "/login",
                None => "/auth/callback?code=code-1&state=state-1",
            };
            harness.identity.fail_with(failure.clone());
            let request = with_header(get(path), "accept-language", language);
            let answer = harness.send(request).await;
            assert_eq!(answer.status, status, "{name}");
            assert!(answer.cookies().is_empty());
            assert!(answer.body.contains(REQUEST_ID));
            assert!(answer.body.contains(r#"href="/login""#));
            for inside in ["10.0.0.7", "CEP_OIDC_AUDIENCE"] {
                assert!(!answer.body.contains(inside), "{name} tells {inside}");
            }
            let csp = answer.header("content-security-policy");
            let is_strict = csp.starts_with("default-src 'none'") && !csp.contains("unsafe");
            assert!(is_strict, "{csp}");
            insta::assert_snapshot!(format!("{name}_{language}"), text_of(&answer.body));
        }
    }
}

#[tokio::test]
async fn a_token_too_large_for_a_cookie_is_an_error_with_its_remedy() {
    let harness = Harness::at(TLS);
    let begun = harness.begin_with("/login", &"x".repeat(4_096)).await;
    let answer = harness.callback(&begun.answer(), &begun).await;
    assert_eq!(answer.status, 502);
    assert_eq!(answer.cookies().len(), 1, "only the sign-in is forgotten");
    insta::assert_snapshot!("too_large_es", text_of(&answer.body));
}

#[tokio::test]
async fn the_largest_token_that_fits_is_a_session() {
    let harness = Harness::at(TLS);
    let token = "x".repeat(4_096 - "__Host-cep_session=".len());
    let begun = harness.begin_with("/login", &token).await;
    let answer = harness.callback(&begun.answer(), &begun).await;
    assert_eq!(answer.status, 303);
    assert!(answer.cookies()[0].contains(&token));
}

/// The visible text of a page.
fn text_of(page: &str) -> String {
    let body = &page[page.find("<body>").unwrap()..];
    let tags = regex::Regex::new("<[^>]*>").unwrap();
    let text = tags.replace_all(body, "");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}
