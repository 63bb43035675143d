//! Reads a receipt: candidates by shape, then labels, then consistency.

mod banks;
mod sources;
mod values;

use chrono::{NaiveDate, NaiveTime, Timelike};

use super::field::{ReadConfidence, ReadField, ReceiptField};
use super::link::PortalLink;
use super::notice::{DocumentKind, MissingField, MissingReason, ReceiptNotice};
use super::page::ReceiptText;
use super::phrases;
use crate::account::Account;
use crate::calendar;
use crate::participants::{Catalogue, ParticipantCode, inference};
use crate::query::{RawQuery, Token};
use crate::tracking_key::TrackingKey;
use sources::Sources;

/// Fields that a query needs, in the order in which people find them on a receipt.
const NEEDED: [ReceiptField; 6] = [
    ReceiptField::TrackingKey,
    ReceiptField::Date,
    ReceiptField::Amount,
    ReceiptField::Account,
    ReceiptField::Receiver,
    ReceiptField::Issuer,
];
/// Minutes around midnight within which the date may be another one.
pub(super) const AROUND_MIDNIGHT: u32 = 30;
/// Fewest of the needed fields that make a text a receipt.
const LEAST_FIELDS: usize = 2;

/// A receipt that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// Type of the document.
    pub kind: DocumentKind,
    /// Fields that were read, in the order of the API.
    pub fields: Vec<ReadField>,
    /// Fields that a query needs and that aren't told, or are in doubt.
    pub missing: Vec<MissingField>,
    /// Notices, each once.
    pub notices: Vec<ReceiptNotice>,
    /// The link to the portal that the receipt has.
    pub link: Option<PortalLink>,
}

impl Receipt {
    /// Reads a text that has no positions, as people paste it.
    pub fn read_plain(text: &str, today: NaiveDate, catalogue: &Catalogue) -> Self {
        let mut receipt = Self::read(&ReceiptText::of_plain(text), today, catalogue);
        for field in &mut receipt.fields {
            field.place = None;
        }
        receipt
    }

    /// Reads a text with positions. `today` is the date in Mexico City; a later one isn't a transfer's.
    pub fn read(text: &ReceiptText, today: NaiveDate, catalogue: &Catalogue) -> Self {
        let sources = Sources::of(text);
        let whole = sources.text();
        if let Some(kind) = phrases::document(&whole) {
            return Self::of_document(kind);
        }
        let mut notices = Vec::new();
        let mut fields = Vec::new();
        let link = PortalLink::find(text);
        let date = values::date(&sources, today)
            .or_else(|| Some(told(ReceiptField::Date, link.as_ref()?.date?.to_string())));
        let day = date
            .as_ref()
            .and_then(|it| it.value.parse().ok())
            .unwrap_or(today);
        let (key, key_notices) = values::tracking_key(&sources, day, catalogue);
        notices.extend(key_notices);
        let (account, account_notices) = values::account(&sources);
        notices.extend(account_notices);
        let time = values::time(&sources);
        fields.extend(date);
        fields.extend(time);
        fields.extend(key);
        fields.extend(values::reference(&sources));
        fields.extend(account);
        fields.extend(values::amount(&sources));
        let mut receipt = Self {
            kind: DocumentKind::Receipt,
            fields,
            missing: Vec::new(),
            notices,
            link,
        };
        receipt.add_banks(&sources, day, catalogue);
        receipt.fields.extend(values::beneficiary(&sources));
        receipt.fields.extend(values::concept(&sources));
        receipt.check_date(day);
        receipt.notices.extend(sources.state());
        if sources.has_foreign_currency() {
            receipt.notices.push(ReceiptNotice::ForeignCurrency);
        }
        let is_within_one_bank = receipt.value(ReceiptField::TrackingKey).is_none()
            && sources.is_within_one_bank()
            || receipt.has_one_bank(catalogue);
        if is_within_one_bank {
            receipt.notices.push(ReceiptNotice::WithinOneBank);
        }
        if receipt.fields.iter().any(|field| field.is_corrected) {
            receipt.notices.push(ReceiptNotice::Corrected);
        }
        receipt.doubt_pages();
        receipt.scale(text);
        receipt.finish()
    }

    /// A document that isn't a receipt.
    pub fn of_document(kind: DocumentKind) -> Self {
        Self {
            kind,
            fields: Vec::new(),
            missing: Vec::new(),
            notices: Vec::new(),
            link: None,
        }
    }

    /// The field, if it was read.
    pub fn field(&self, field: ReceiptField) -> Option<&ReadField> {
        self.fields.iter().find(|read| read.field == field)
    }

    /// Returns `true` if all that a query needs is read with high confidence, and nothing speaks against asking.
    pub fn is_certain(&self) -> bool {
        let is_masked = self.has_masked_account();
        let is_certain = |field| match self.field(field) {
            Some(read) if field == ReceiptField::Account && is_masked => {
                read.confidence >= ReadConfidence::Medium
            }
            Some(read) => read.confidence == ReadConfidence::High,
            // The own account's.
            None => field == ReceiptField::Receiver && is_masked,
        };
        self.kind == DocumentKind::Receipt
            && self.missing.is_empty()
            && NEEDED.into_iter().all(is_certain)
            && (self.notices.iter()).all(|notice| *notice == ReceiptNotice::AccountNotOwn)
    }

    /// The query for the payment, in the form of requests; `None` if a field that it needs is missing. Institutions
    /// that the receipt tells are named. The reference number stands in place of a tracking key that isn't there.
    pub fn query(&self) -> Option<RawQuery<'_>> {
        let needs_reference = self.lacks_tracking_key_alone();
        if self.kind != DocumentKind::Receipt || !(self.missing.is_empty() || needs_reference) {
            return None;
        }
        let token = |field| {
            let value = self.value(field);
            value.map_or(Token::Absent, |value| Token::Text(value.into()))
        };
        Some(RawQuery {
            date: token(ReceiptField::Date),
            tracking_key: token(ReceiptField::TrackingKey),
            reference: if needs_reference {
                token(ReceiptField::Reference)
            } else {
                Token::Absent
            },
            account: token(ReceiptField::Account),
            amount: token(ReceiptField::Amount),
            issuer: token(ReceiptField::Issuer),
            receiver: token(ReceiptField::Receiver),
        })
    }

    /// Returns `true` if nothing is missing but the tracking key, in whose place the reference number can stand.
    fn lacks_tracking_key_alone(&self) -> bool {
        let of_key = MissingField {
            field: ReceiptField::TrackingKey,
            reason: MissingReason::NotFound,
        };
        let reference = self.field(ReceiptField::Reference);
        self.missing == [of_key]
            && reference.is_some_and(|read| read.confidence > ReadConfidence::Low)
    }

    pub(super) fn value(&self, field: ReceiptField) -> Option<&str> {
        self.field(field).map(|read| &*read.value)
    }

    fn field_mut(&mut self, field: ReceiptField) -> Option<&mut ReadField> {
        self.fields.iter_mut().find(|read| read.field == field)
    }

    fn lower(&mut self, field: ReceiptField, confidence: ReadConfidence) {
        if let Some(read) = self.field_mut(field) {
            read.confidence = read.confidence.min(confidence);
        }
    }

    /// Adds the institutions: those that the receipt names, compared with those that account and key tell.
    fn add_banks(&mut self, sources: &Sources, date: NaiveDate, catalogue: &Catalogue) {
        let of_account = self.field(ReceiptField::Account).and_then(|read| {
            let account = Account::parse(&read.value).ok()?;
            let inferred = inference::infer_receiver(&account, date, catalogue).ok()?;
            Some(banks::Told::new(&inferred, read.confidence))
        });
        let named = banks::receiver(sources, date, catalogue);
        let (receiver, differs) =
            banks::combined(ReceiptField::Receiver, named, of_account, catalogue);
        if differs {
            self.notices.push(ReceiptNotice::ReceiverDiffers);
            self.lower(ReceiptField::Account, ReadConfidence::Medium);
        }
        let of_key = self.field(ReceiptField::TrackingKey).and_then(|read| {
            let key = TrackingKey::parse(&read.value).ok()?;
            let inferred = inference::infer_issuer(&key, date, catalogue).ok()?;
            Some(banks::Told::new(&inferred, read.confidence))
        });
        let named = banks::issuer(sources, date, catalogue);
        let (issuer, differs) = banks::combined(ReceiptField::Issuer, named, of_key, catalogue);
        if differs {
            self.notices.push(ReceiptNotice::IssuerDiffers);
            self.lower(ReceiptField::TrackingKey, ReadConfidence::Medium);
        }
        let of_link = || {
            let link = self.link.as_ref()?;
            Some(told(ReceiptField::Issuer, link.issuer.to_string()))
        };
        let issuer = issuer.or_else(of_link);
        self.fields.extend(issuer);
        self.fields.extend(receiver);
    }

    /// Compares the date with the one in the tracking key, which may be the next operation date, and with the time of
    /// day.
    fn check_date(&mut self, date: NaiveDate) {
        let key = self
            .value(ReceiptField::TrackingKey)
            .and_then(|it| TrackingKey::parse(it).ok());
        let inside = key.and_then(|key| inference::date_of_shape(&key, date));
        let Some(inside) = inside else {
            return self.check_time(date);
        };
        if self.field(ReceiptField::Date).is_none() {
            self.fields
                .push(told(ReceiptField::Date, inside.to_string()));
        } else if ![date, calendar::next_banking_day(date)].contains(&inside) {
            self.notices.push(ReceiptNotice::KeyDateDiffers);
            self.lower(ReceiptField::Date, ReadConfidence::Medium);
            self.lower(ReceiptField::TrackingKey, ReadConfidence::Medium);
            if let Some(read) = self.field_mut(ReceiptField::Date) {
                read.alternatives.push(inside.to_string());
            }
        }
        self.check_time(date);
    }

    /// Tells that the date may be another one if the time is around midnight.
    fn check_time(&mut self, date: NaiveDate) {
        let time = self
            .value(ReceiptField::Time)
            .and_then(|it| it.parse::<NaiveTime>().ok());
        let minutes = time.map(|time| time.num_seconds_from_midnight() / 60);
        let other = match minutes {
            Some(minutes) if minutes < AROUND_MIDNIGHT => date.pred_opt(),
            Some(minutes) if minutes >= 24 * 60 - AROUND_MIDNIGHT => date.succ_opt(),
            _ => None,
        };
        if let (Some(other), Some(read)) = (other, self.field_mut(ReceiptField::Date)) {
            read.alternatives.push(other.to_string());
            read.confidence = read.confidence.min(ReadConfidence::Medium);
            self.notices.push(ReceiptNotice::AroundMidnight);
        }
    }

    fn has_one_bank(&self, catalogue: &Catalogue) -> bool {
        let institution = |field| {
            let code = ParticipantCode::parse(self.value(field)?)?;
            Some(catalogue.institution(code))
        };
        let issuer = institution(ReceiptField::Issuer);
        issuer.is_some() && issuer == institution(ReceiptField::Receiver)
    }

    /// Fields of several pages may be of several transfers.
    fn doubt_pages(&mut self) {
        let pages: Vec<usize> = self
            .fields
            .iter()
            .filter_map(|it| Some(it.place?.0))
            .collect();
        if pages.iter().any(|page| Some(page) != pages.first()) {
            for field in &mut self.fields {
                field.confidence = field.confidence.min(ReadConfidence::Medium);
            }
        }
    }

    /// Makes the places fractions of their pages.
    fn scale(&mut self, text: &ReceiptText) {
        for (page, place) in self.fields.iter_mut().filter_map(|it| it.place.as_mut()) {
            if let Some(page) = text.pages.get(*page - 1) {
                *place = place.scaled(page.width, page.height);
            }
        }
    }

    /// Lists the fields that are missing. A text that tells hardly any isn't a receipt.
    fn finish(mut self) -> Self {
        let told = NEEDED
            .iter()
            .filter(|field| self.field(**field).is_some())
            .count();
        if told < LEAST_FIELDS {
            return Self {
                link: self.link,
                ..Self::of_document(DocumentKind::Unknown)
            };
        }
        self.fields.sort_by_key(|read| read.field);
        self.missing = NEEDED
            .into_iter()
            .filter_map(|field| self.missing(field))
            .collect();
        let mut notices = Vec::new();
        for notice in self.notices.drain(..) {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        self.notices = notices;
        self
    }

    fn missing(&self, field: ReceiptField) -> Option<MissingField> {
        let reason = match self.field(field) {
            None if matches!(field, ReceiptField::Issuer | ReceiptField::Receiver) => {
                MissingReason::NotTold
            }
            None => MissingReason::NotFound,
            Some(read) if field == ReceiptField::Account && read.value.contains('*') => {
                MissingReason::Masked
            }
            Some(read) if read.confidence == ReadConfidence::Low => MissingReason::Unclear,
            Some(_) => return None,
        };
        Some(MissingField { field, reason })
    }
}

/// A field that the link to the portal or the tracking key tells, and nothing else.
fn told(field: ReceiptField, value: String) -> ReadField {
    ReadField::told(field, value, ReadConfidence::Medium)
}
