//! Schemas of receipts.

use domain::receipts::{DocumentKind, MissingReason, ReadConfidence, ReceiptField, ReceiptNotice};
use strum::VariantNames as _;
use utoipa::openapi::ObjectBuilder;

use crate::openapi::schemas::text;

pub(super) fn kind() -> ObjectBuilder {
    text(
        "The document. `receipt`: a bank's receipt, or a text with the data of a transfer. `proof`: a CEP, which \
         `/v1/cep/verify` checks. `invoice`: a CFDI. `state_report`: the portal's report on the state of a payment, \
         which is no proof. `unknown`: none of these.",
    )
    .enum_values(Some(DocumentKind::VARIANTS.iter().copied()))
}

pub(super) fn confidence() -> ObjectBuilder {
    text(
        "`high`: label, shape and, where there is one, check digit agree. `medium`: two of them. `low`: one, or they \
         contradict each other.",
    )
    .enum_values(Some(ReadConfidence::VARIANTS.iter().copied()))
}

pub(super) fn field() -> ObjectBuilder {
    let names = [
        ReceiptField::TrackingKey,
        ReceiptField::Date,
        ReceiptField::Amount,
        ReceiptField::Account,
        ReceiptField::Receiver,
        ReceiptField::Issuer,
    ];
    text("The field.").enum_values(Some(names.map(ReceiptField::name)))
}

pub(super) fn reason() -> ObjectBuilder {
    text(
        "`not_found`: nothing could be it. `masked`: the account is masked. `unclear`: several values could be it, or \
         the one that was read is in doubt. `not_told`: no bank is named, and none can be inferred.",
    )
    .enum_values(Some(MissingReason::VARIANTS.iter().copied()))
}

pub(super) fn notice() -> ObjectBuilder {
    text("The notice.").enum_values(Some(ReceiptNotice::VARIANTS.iter().copied()))
}
