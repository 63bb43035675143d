//! The payment that tests ask for, in its variants.

use domain::account::Account;
use domain::amount::Amount;
use domain::calendar::parse_date;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;

/// Tracking key of every transfer here, unless a test says another.
pub(crate) const TRACKING_KEY: &str = "MBAN01002611180000000001";

/// A payment of two days ago whose banks can be inferred.
pub(crate) fn query(centavos: u64) -> ProofQuery {
    ProofQuery {
        date: parse_date("2026-11-18").unwrap(),
        criterion: TrackingKey::parse(TRACKING_KEY).unwrap().into(),
        account: Account::parse("002010077777777771").unwrap(),
        others: Vec::new(),
        completion: None,
        amount: Amount::from_centavos(centavos).unwrap(),
        issuer: None,
        receiver: None,
    }
}

/// The same of an amount in pesos, such as `10.00`, which tells the bank of the tests what to answer.
pub(crate) fn query_of(amount: &str) -> ProofQuery {
    query(amount.replace('.', "").parse().unwrap())
}

/// The same with another tracking key.
pub(crate) fn with_key(key: &str, query: ProofQuery) -> ProofQuery {
    ProofQuery {
        criterion: TrackingKey::parse(key).unwrap().into(),
        ..query
    }
}
