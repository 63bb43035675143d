//! Errors of rotation, which REST doesn't have: no request meets them.

use axum::body::to_bytes;
use rstest::rstest;
use web::Language;

use super::*;

#[rstest]
#[case(
    KeyError::Revoked,
    Language::Spanish,
    r#"{"error":"CONFLICT","message":"La clave está revocada y no vuelve a servir; cree una nueva.","details":{"reason":"revoked"}}"#
)]
#[case(
    KeyError::Revoked,
    Language::English,
    r#"{"error":"CONFLICT","message":"The key is revoked and will never work again; create a new one.","details":{"reason":"revoked"}}"#
)]
#[case(
    KeyError::AlreadyRotated,
    Language::Spanish,
    r#"{"error":"CONFLICT","message":"La clave ya tiene una sucesora; use la sucesora.","details":{"reason":"already_rotated"}}"#
)]
#[case(
    KeyError::AlreadyRotated,
    Language::English,
    r#"{"error":"CONFLICT","message":"The key already has a successor; use the successor.","details":{"reason":"already_rotated"}}"#
)]
#[tokio::test]
async fn a_key_that_cannot_be_rotated_is_a_conflict(
    #[case] error: KeyError,
    #[case] language: Language,
    #[case] expected: &str,
) {
    let id = RequestId::parse("test-1").unwrap();
    let response = of_key(&error, &id).response(language);
    assert_eq!(response.status(), 409);
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    assert_eq!(body, expected);
}
