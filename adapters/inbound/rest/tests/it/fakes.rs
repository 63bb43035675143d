//! Inbound ports that behave: keys that are admitted or refused, a bank whose answer the amount
//! chooses as in the sandbox.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use domain::customer::CustomerId;
use domain::file::{FileStem, RequestedFiles};
use domain::hints::Hint;
use domain::inference::{self, Resolved, Unresolved};
use domain::key::{Environment, KeyId};
use domain::limits::{LimitStatus, MinuteStatus, MonthStatus};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::ThrottleReason;
use domain::participant::{Catalogue, ParticipantCode};
use domain::payment::{Payment, PaymentState};
use domain::transfer::Banks;
use ports::inbound::{
    Admission, AdmissionError, AdmissionRequest, Component, ComponentState, Delivery, FetchError,
    FetchReport, Files, Gatekeeper, Health, LookupDetails, NotDurable, NotFoundReason,
    ProofRequest, Proofs, Settlement,
};
use ports::outbound::{Clock, Random, Receipt};
use reqwest::StatusCode;
use rest::{Ending, ProofMetricsSink};
use tokio::sync::Notify;
use uuid::Uuid;
use web::MetricsSink;

pub(crate) const GOOD_KEY: &str = "cep_test_AbCd1234.000000000000000000000000";
pub(crate) const UNCAPPED_KEY: &str = "cep_test_AbCd1234.100000000000000000000000";
pub(crate) const FAST_KEY: &str = "cep_test_AbCd1234.200000000000000000000000";
pub(crate) const SPENT_KEY: &str = "cep_test_AbCd1234.300000000000000000000000";
pub(crate) const BLIND_KEY: &str = "cep_test_AbCd1234.400000000000000000000000";
pub(crate) const FORGOTTEN_KEY: &str = "cep_test_AbCd1234.500000000000000000000000";
pub(crate) const CURSED_KEY: &str = "cep_test_AbCd1234.600000000000000000000000";

pub(crate) const XML: &[u8] = b"<?xml version=\"1.0\"?><SPEI_Tercero sello=\"synthetic\"/>\r\n";
pub(crate) const PDF: &[u8] = b"%PDF-1.7 synthetic \xff\x00";

/// 20 November 2026, 12:00 in UTC and 06:00 in Mexico City.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

/// A clock that stands still.
pub(crate) struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> DateTime<Utc> {
        now()
    }

    fn monotonic(&self) -> Duration {
        Duration::from_secs(1)
    }
}

/// Random bytes that count upwards.
#[derive(Default)]
pub(crate) struct CountingRandom(AtomicU8);

impl Random for CountingRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for byte in buffer {
            *byte = self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Admits and refuses by key, and keeps what it was told.
#[derive(Default)]
pub(crate) struct FakeGatekeeper {
    pub(crate) attempts: Mutex<Vec<String>>,
    pub(crate) admitted: Mutex<Vec<Uuid>>,
    pub(crate) settled: Mutex<Vec<(Uuid, Settlement)>>,
}

impl FakeGatekeeper {
    /// The outcomes that were settled, each of an admission of its own.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let admitted = self.admitted.lock().unwrap();
        let settled = self.settled.lock().unwrap();
        let ids: Vec<_> = settled.iter().map(|(id, _)| *id).collect();
        assert_eq!(*admitted, ids, "every admission is settled once");
        settled
            .iter()
            .map(|(_, settlement)| settlement.outcome)
            .collect()
    }
}

fn limit_status(remaining: u32, used: u64) -> LimitStatus {
    LimitStatus {
        minute: MinuteStatus {
            limit: 60,
            remaining,
            reset: Duration::from_millis(16_200),
        },
        month: Some(MonthStatus::new(Month::of(now()), 1_000, used, now())),
    }
}

#[async_trait]
impl Gatekeeper for FakeGatekeeper {
    async fn admit(&self, attempt: AdmissionRequest) -> Result<Admission, AdmissionError> {
        self.attempts
            .lock()
            .unwrap()
            .push(format!("{:?}", attempt.address));
        let limit_status = match attempt.presented_key.as_deref() {
            Some(GOOD_KEY | FORGOTTEN_KEY) => limit_status(59, 3),
            Some(UNCAPPED_KEY) => LimitStatus {
                month: None,
                ..limit_status(59, 0)
            },
            Some(FAST_KEY) => {
                return Err(AdmissionError::RateLimited {
                    limit_status: limit_status(0, 70),
                    retry_after: Duration::from_millis(16_200),
                });
            }
            Some(SPENT_KEY) => {
                let limit_status = limit_status(59, 1_000);
                return Err(AdmissionError::QuotaExceeded {
                    limit_status,
                    month: limit_status.month.unwrap(),
                });
            }
            Some(BLIND_KEY) => {
                return Err(AdmissionError::Unavailable {
                    retry_after: Duration::from_millis(500),
                    cause: Arc::new(std::io::Error::other("a synthetic cause")),
                });
            }
            Some(CURSED_KEY) => panic!("the gatekeeper panics"),
            Some(_) | None => return Err(AdmissionError::InvalidKey),
        };
        let id = Uuid::from_u128(self.admitted.lock().unwrap().len() as u128);
        self.admitted.lock().unwrap().push(id);
        let forgotten = attempt.presented_key.as_deref() == Some(FORGOTTEN_KEY);
        Ok(Admission {
            id,
            request_id: attempt.request_id,
            key: KeyId(Uuid::from_u128(u128::from(forgotten))),
            customer: CustomerId(Uuid::nil()),
            environment: Environment::Test,
            limit_status,
            admitted_at: now(),
            admitted_at_monotonic: Duration::ZERO,
            month: Month::of(now()),
            endpoint: attempt.endpoint,
            receipt: Receipt::new(async { Ok(()) }),
        })
    }

    async fn settle(
        &self,
        admission: Admission,
        settlement: Settlement,
    ) -> Result<LimitStatus, NotDurable> {
        self.settled
            .lock()
            .unwrap()
            .push((admission.id, settlement));
        if admission.key == KeyId(Uuid::from_u128(1)) {
            return Err(NotDurable {
                retry_after: Duration::from_secs(5),
                cause: Arc::new(std::io::Error::other("a synthetic cause")),
            });
        }
        Ok(if settlement.outcome.is_refunded() {
            admission.limit_status.after_refund()
        } else {
            admission.limit_status
        })
    }
}

/// A bank whose answer the amount chooses.
#[derive(Default)]
pub(crate) struct FakeProofs {
    /// Requests, as debug text without personal data.
    pub(crate) asked: Mutex<Vec<(RequestedFiles, u64)>>,
    /// Told when a lookup of 504.01 has begun; that lookup ends when `proceed` is told.
    pub(crate) begun: Arc<Notify>,
    pub(crate) proceed: Arc<Notify>,
}

#[async_trait]
impl Proofs for FakeProofs {
    async fn fetch(&self, request: ProofRequest) -> FetchReport {
        let ProofRequest { query, wanted, .. } = request;
        let centavos = query.amount.centavos();
        self.asked.lock().unwrap().push((wanted, centavos));
        let resolved = match inference::resolve(query, Catalogue::embedded()) {
            Ok(resolved) => resolved,
            Err(unresolved) => {
                return FetchReport {
                    details: LookupDetails::default(),
                    result: Err(match unresolved {
                        Unresolved::InferenceFailed { issuer, receiver } => {
                            FetchError::InferenceFailed { issuer, receiver }
                        }
                        Unresolved::SameInstitution(same) => FetchError::SameInstitution(same),
                    }),
                };
            }
        };
        let banks = Banks {
            issuer: resolved.transfer.issuer(),
            receiver: resolved.transfer.receiver(),
        };
        if (centavos / 100, centavos % 100) == (504, 1) {
            self.begun.notify_one();
            self.proceed.notified().await;
        }
        FetchReport {
            details: LookupDetails {
                banks: Some(banks),
                issuer_evidence: resolved.issuer.clone().map(|issuer| issuer.evidence),
                receiver_evidence: resolved.receiver.clone().map(|receiver| receiver.evidence),
                bank_time: Some(Duration::from_millis(12)),
            },
            result: by_amount(centavos, wanted, resolved),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a synthetic cause")]
struct SyntheticCause(#[source] SyntheticRefusal);

#[derive(Debug, thiserror::Error)]
#[error("a synthetic refusal")]
struct SyntheticRefusal;

fn by_amount(
    centavos: u64,
    wanted: RequestedFiles,
    resolved: Resolved,
) -> Result<Delivery, FetchError> {
    let cause = || Arc::new(SyntheticCause(SyntheticRefusal)) as ports::Cause;
    let retry_after = Duration::from_millis(16_500);
    match (centavos / 100, centavos % 100) {
        (404, 0) => Err(FetchError::NotFound {
            reason: NotFoundReason::NotInSpei,
            hints: every_hint(),
        }),
        (404, 2) => Err(not_issued(PaymentState::Settled)),
        (404, 3) => Err(not_issued(PaymentState::Returned)),
        (429, 0) => Err(FetchError::BankThrottled {
            retry_after,
            reason: ThrottleReason::CaptchaPage,
        }),
        (502, 0) => Err(FetchError::BankProtocol { cause: cause() }),
        (503, 0) => Err(FetchError::BankUnavailable {
            retry_after,
            cause: cause(),
        }),
        (504, 0) => Err(FetchError::BankTimeout),
        (500, 0) => panic!("the use case panics"),
        (500, 1) => Ok(delivery(
            match wanted {
                RequestedFiles::Xml => RequestedFiles::Pdf,
                RequestedFiles::Pdf | RequestedFiles::Both => RequestedFiles::Xml,
            },
            resolved,
        )),
        _ => Ok(delivery(wanted, resolved)),
    }
}

fn delivery(wanted: RequestedFiles, resolved: Resolved) -> Delivery {
    let (xml, pdf) = (Bytes::from_static(XML), Bytes::from_static(PDF));
    Delivery {
        files: match wanted {
            RequestedFiles::Xml => Files::Xml(xml),
            RequestedFiles::Pdf => Files::Pdf(pdf),
            RequestedFiles::Both => Files::Both { xml, pdf },
        },
        stem: FileStem::new(resolved.transfer.date(), resolved.transfer.tracking_key()),
        inferred_issuer: resolved.issuer,
        inferred_receiver: resolved.receiver,
    }
}

fn not_issued(state: PaymentState) -> FetchError {
    let at = |text: &str| text.parse().unwrap();
    FetchError::NotFound {
        reason: NotFoundReason::ProofNotIssued(Payment {
            state,
            received_at: Some(at("2026-11-20T10:15:07")),
            processed_at: None,
        }),
        hints: vec![],
    }
}

fn every_hint() -> Vec<Hint> {
    let date = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    let code = |text| ParticipantCode::parse(text).unwrap();
    vec![
        Hint::CheckDigit {
            given: 2,
            expected: 1,
        },
        Hint::ReceiverDiffers {
            given: code("40012"),
            expected: code("40002"),
        },
        Hint::CodeNotValidOnDate {
            given: code("40638"),
            expected: Some(code("90638")),
        },
        Hint::CodeNotValidOnDate {
            given: code("40638"),
            expected: None,
        },
        Hint::DayAndMonthSwapped { other: date(5) },
        Hint::AmountLooksLikeCentavos,
        Hint::DateInTrackingKey { found: date(19) },
        Hint::NotABankingDay {
            operation_date: date(23),
        },
        Hint::MaybeOperationDate { other: date(18) },
    ]
}

/// Remembers what it hears.
#[derive(Default)]
pub(crate) struct FakeMetricsSink {
    pub(crate) answered: Mutex<Vec<(String, u16)>>,
    pub(crate) ended: Mutex<Vec<(Endpoint, Ending)>>,
}

impl MetricsSink for FakeMetricsSink {
    fn answered(&self, route: &str, status: StatusCode) {
        let answer = (route.to_owned(), status.as_u16());
        self.answered.lock().unwrap().push(answer);
    }
}

impl ProofMetricsSink for FakeMetricsSink {
    fn ended(&self, endpoint: Endpoint, ending: Ending, _: Duration) {
        self.ended.lock().unwrap().push((endpoint, ending));
    }
}

/// Components, one of which is in any state.
pub(crate) struct FakeHealth {
    pub(crate) journal: Mutex<ComponentState>,
}

impl Default for FakeHealth {
    fn default() -> Self {
        Self {
            journal: Mutex::new(ComponentState::Up),
        }
    }
}

#[async_trait]
impl Health for FakeHealth {
    async fn components(&self) -> Vec<Component> {
        let journal = *self.journal.lock().unwrap();
        [("store", ComponentState::Up), ("journal", journal)]
            .map(|(name, state)| Component { name, state })
            .into()
    }
}
