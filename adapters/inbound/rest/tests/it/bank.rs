//! The bank's answers, chosen by the amount as in the sandbox.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::pacing::ThrottleReason;
use domain::payment::{Payment, PaymentState};
use domain::transfer::Transfer;
use ports::Cause;
use ports::outbound::{BankError, BankFiles};
use testkit::fakes::{Script, unsealed_proof};

/// A PDF that isn't UTF-8.
pub(crate) const PDF: &[u8] = b"%PDF-1.7 synthetic \xff\x00";

/// `Retry-After` of the bank's failures, which is rounded up to 17.
const RETRY_AFTER: Duration = Duration::from_millis(16_500);

#[derive(Debug, thiserror::Error)]
#[error("a synthetic cause")]
struct SyntheticCause(#[source] SyntheticRefusal);

#[derive(Debug, thiserror::Error)]
#[error("a synthetic refusal")]
struct SyntheticRefusal;

fn cause() -> Cause {
    Arc::new(SyntheticCause(SyntheticRefusal))
}

/// The rule of the sandbox, but: a payment of 20,000.00, which may be meant in centavos, isn't known;
/// one of 404.02 isn't processed yet; 500.00 is a panic, and failures have causes of their own.
#[expect(
    clippy::inconsistent_digit_grouping,
    reason = "pesos_centavos, as they are written in the request"
)]
pub(crate) fn by_amount(transfer: &Transfer) -> Script {
    match transfer.amount().centavos() {
        20_000_00 => Script::KnowNothing,
        404_02 => Script::Know(Payment {
            state: PaymentState::Settled,
            received_at: transfer.date().and_hms_opt(10, 15, 7),
            processed_at: None,
        }),
        429_00 => Script::Fail(BankError::Throttled {
            retry_after: RETRY_AFTER,
            reason: ThrottleReason::CaptchaPage,
        }),
        500_00 => panic!("the bank's adapter panics"),
        502_00 => Script::Fail(BankError::Protocol { cause: cause() }),
        503_00 => Script::Fail(BankError::Unavailable {
            retry_after: RETRY_AFTER,
            cause: cause(),
        }),
        504_00 => Script::Fail(BankError::Timeout),
        _ => match testkit::fakes::by_amount(transfer) {
            Script::Issue(_) => Script::Issue(proof(transfer)),
            script => script,
        },
    }
}

/// A proof whose bytes would change if they were read as text: its lines end in CR LF, and its PDF
/// isn't UTF-8.
pub(crate) fn proof(transfer: &Transfer) -> BankFiles {
    let xml = unsealed_proof(transfer).xml;
    let xml = xml.map(|xml| String::from_utf8(xml.into()).unwrap().replace('\n', "\r\n"));
    BankFiles {
        xml: xml.map(Bytes::from),
        pdf: Some(Bytes::from_static(PDF)),
    }
}
