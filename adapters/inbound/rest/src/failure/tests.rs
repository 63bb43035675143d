//! Errors that no request meets: those of rotation, which REST doesn't have, and hints of codes that the present
//! catalogue doesn't have.

use axum::body::to_bytes;
use chrono::NaiveDate;
use domain::hints::Hint;
use domain::participants::ParticipantCode;
use domain::tracking_key::TrackingKey;
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

#[tokio::test]
async fn every_hint_has_its_text() {
    let date = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    let code = |text| ParticipantCode::parse(text).unwrap();
    let (given, expected, inferred) = (code("40638"), code("90638"), code("90722"));
    let (list_date, operation_date) = (date(1), date(23));
    let hints = vec![
        Hint::LooksLikeReference,
        Hint::LikelyTrackingKey {
            expected: TrackingKey::parse("HSBC123456").unwrap(),
        },
        Hint::ParticipantUnknown { given, list_date },
        Hint::CheckDigit {
            given: 2,
            expected: 1,
        },
        Hint::ReceiverDiffers { given, expected },
        Hint::AccountPrefixUnknown {
            prefix: 6,
            list_date: date(2),
        },
        Hint::IssuerDiffers { given, expected },
        Hint::IssuerWasInferred { inferred },
        Hint::CodeNotValidOnDate {
            given,
            expected: Some(expected),
        },
        Hint::CodeNotValidOnDate {
            given,
            expected: None,
        },
        Hint::DayAndMonthSwapped { other: date(5) },
        Hint::AmountLooksLikeCentavos,
        Hint::DateInTrackingKey { found: date(19) },
        Hint::NotABankingDay { operation_date },
        Hint::MaybeOperationDate { other: date(18) },
    ];
    let error = FetchError::NotFound {
        payment: None,
        hints,
    };
    let mut texts = String::new();
    for language in [Language::Spanish, Language::English] {
        let problem = of_fetch(&error, &InferredBanks::default(), Endpoint::Xml);
        let response = problem.response(language);
        assert_eq!(response.status(), 404);
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        texts.push_str(std::str::from_utf8(&body).unwrap());
        texts.push('\n');
    }
    insta::assert_snapshot!("every_hint", texts);
}
