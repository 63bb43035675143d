//! Domain values as columns: the form in which each is stored, and its reading.

use std::fmt::Debug;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::audit::Action;
use domain::batches::{BatchId, BatchState, RowNumber};
use domain::hex;
use domain::idempotency::{IdempotencyScope, RequestFingerprint};
use domain::keys::{
    CounterId, Environment, HashGeneration, KeyHash, KeyId, KeyPrefix, SecretFingerprint,
};
use domain::limits::Plan;
use domain::lookups::{LookupId, LookupState};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::pacing::LookupClass;
use domain::participants::ParticipantCode;
use domain::people::customer::CustomerId;
use domain::proofs::archive::ArchiveIndex;
use domain::proofs::seen::ProofMark;
use domain::request::RequestId;
use domain::seals::{CertificateNumber, SealKeyOrigin, SealVerdict};
use domain::webhooks::{
    DeliveryId, DeliveryState, DisabledReason, EndpointId, EventType, EventTypes, SendFailure,
    WebhookUrl,
};
use sea_orm::sea_query::{self, ArrayType, ColumnType, Nullable, Value, ValueTypeErr};
use sea_orm::{ColIdx, DbErr, QueryResult, TryFromU64, TryGetError, TryGetable};
use uuid::Uuid;

use crate::error::nonsense;

/// A column's value in its domain type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stored<T>(pub T);

/// An instant, stored in unix milliseconds.
pub(crate) type Time = Stored<DateTime<Utc>>;

/// A domain type that columns hold.
pub trait Storable: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Type of the column.
    type Form: TryGetable + sea_query::ValueType + Nullable + Into<Value>;

    fn to_form(&self) -> Self::Form;

    /// Reads a stored value; `None` for one that this program can't have written.
    fn from_form(form: Self::Form) -> Option<Self>;
}

impl<T> Stored<T> {
    pub(crate) fn value(self) -> T {
        self.0
    }
}

impl<T: Storable> From<Stored<T>> for Value {
    fn from(Stored(value): Stored<T>) -> Self {
        value.to_form().into()
    }
}

impl<T: Storable> Nullable for Stored<T> {
    fn null() -> Value {
        T::Form::null()
    }
}

impl<T: Storable> sea_query::ValueType for Stored<T> {
    fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
        let form = <T::Form as sea_query::ValueType>::try_from(value)?;
        T::from_form(form).map(Self).ok_or(ValueTypeErr)
    }

    fn type_name() -> String {
        T::Form::type_name()
    }

    fn array_type() -> ArrayType {
        T::Form::array_type()
    }

    fn column_type() -> ColumnType {
        T::Form::column_type()
    }
}

impl<T: Storable> TryGetable for Stored<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        let form = T::Form::try_get_by(row, index)?;
        T::from_form(form).map(Self).ok_or_else(|| {
            let names = row.column_names();
            let of_place = index.as_usize().and_then(|place| names.get(*place));
            let name = index.as_str().or(of_place.map(String::as_str));
            let id = row.try_get::<String>("", "id").ok();
            nonsense(name.unwrap_or("a column"), id).into()
        })
    }
}

/// Needed of primary keys; the database generates none.
impl<T: Storable> TryFromU64 for Stored<T> {
    fn try_from_u64(_: u64) -> Result<Self, DbErr> {
        Err(DbErr::ConvertFromU64("a stored value"))
    }
}

/// Implements [`Storable`] by two expressions: the stored form, and what is read from it.
macro_rules! storable {
    ($($type:ty as $form:ty: |$value:ident| $to:expr, |$stored:ident| $from:expr;)+) => {
        $(impl Storable for $type {
            type Form = $form;

            fn to_form(&self) -> $form {
                let $value = self;
                $to
            }

            fn from_form($stored: $form) -> Option<Self> {
                $from
            }
        })+
    };
}

/// Ids, stored as hyphenated UUIDs.
macro_rules! ids {
    ($($type:ident)+) => {
        storable! {$($type as String: |id| id.0.to_string(), |text| Some(Self(Uuid::try_parse(&text).ok()?));)+}
    };
}

/// Enums, stored by their names.
macro_rules! names {
    ($($type:ident)+) => {
        storable! {$($type as String: |value| value.name().to_owned(), |name| Self::from_name(&name);)+}
    };
}

/// Texts with a form of their own.
macro_rules! texts {
    ($($type:ident)+) => {
        storable! {$($type as String: |text| text.as_str().to_owned(), |text| Self::parse(&text);)+}
    };
}

/// Hashes, stored in hexadecimal digits.
macro_rules! hashes {
    ($($type:ident)+) => {
        storable! {$($type as String: |hash| hash.hex(), |text| Self::from_hex(&text);)+}
    };
}

/// Counts, stored in the database's only type of numbers.
macro_rules! counts {
    ($($type:ident)+) => {
        storable! {$($type as i64:
            |count| i64::try_from(*count).unwrap_or(i64::MAX), |number| Self::try_from(number).ok();)+}
    };
}

ids! { BatchId CounterId CustomerId DeliveryId EndpointId KeyId LookupId }

names! {
    Action BatchState DeliveryState DisabledReason Endpoint Environment EventType LookupClass
    LookupState Outcome Plan SealKeyOrigin SealVerdict SendFailure
}

texts! { CertificateNumber KeyPrefix RequestId }

hashes! { ArchiveIndex IdempotencyScope RequestFingerprint }

counts! { u16 u32 u64 }

storable! {
    Uuid as String: |id| id.to_string(), |text| Self::try_parse(&text).ok();
    KeyHash as String: |hash| hex::encode(&hash.0), |text| Some(Self(bytes(&text)?));
    SecretFingerprint as String: |print| hex::encode(&print.0), |text| Some(Self(bytes(&text)?));
    EventTypes as String: |events| events.stored(), |text| Self::from_stored(&text);
    WebhookUrl as String: |url| url.as_str().to_owned(), |text| Self::from_stored(&text);
    DateTime<Utc> as i64: |at| at.timestamp_millis(), |millis| Self::from_timestamp_millis(millis);
    Duration as i64: |span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX).to_form(),
        |millis| u64::from_form(millis).map(Self::from_millis);
    Month as i64: |month| month.number().into(),
        |number| Self::from_number(u32::from_form(number)?);
    HashGeneration as i64: |generation| generation.0.into(),
        |number| u16::from_form(number).map(Self);
    RowNumber as i64: |row| row.0.into(), |number| u32::from_form(number).map(Self);
    ParticipantCode as i64: |code| code.number().into(), |number| Self::parse(&number.to_string());
}

/// Reads as many bytes as the type has from hexadecimal digits.
pub(crate) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex::decode(text)?.try_into().ok()
}

/// A hash that is written, and never read.
impl From<Stored<ProofMark>> for Value {
    fn from(Stored(mark): Stored<ProofMark>) -> Self {
        mark.hex().into()
    }
}
