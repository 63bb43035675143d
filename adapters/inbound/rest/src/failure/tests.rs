//! Errors of rotation, which REST doesn't have: no request meets them.

use axum::body::to_bytes;
use web::Language;

use super::*;

#[tokio::test]
async fn a_key_that_cannot_be_rotated_is_a_conflict() {
    let revoked = [
        "La clave está revocada y no vuelve a servir; cree una nueva.",
        "The key is revoked and will never work again; create a new one.",
    ];
    let already_rotated = [
        "La clave ya tiene una sucesora; use la sucesora.",
        "The key already has a successor; use the successor.",
    ];
    for (error, reason, messages) in [
        (KeyError::Revoked, "revoked", revoked),
        (KeyError::AlreadyRotated, "already_rotated", already_rotated),
    ] {
        let id = RequestId::parse("test-1").unwrap();
        for (language, message) in [Language::Spanish, Language::English]
            .into_iter()
            .zip(messages)
        {
            let response = of_key(&error, &id).response(language);
            assert_eq!(response.status(), 409);
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let expected = format!(
                r#"{{"error":"CONFLICT","message":"{message}","details":{{"reason":"{reason}"}}}}"#
            );
            assert_eq!(body, expected);
        }
    }
}
