//! Fills the members of an error's `details` from its problem.

use chrono::{NaiveDate, SecondsFormat};
use domain::batches::sheet::Column;

use super::reason::Reason;
use super::{
    ComponentDetail, Details, FieldDetail, FieldFault, FieldProblem, FileDetail, GapDetail,
    GapDetails, GapReason, HintDetail, HintReason, InferredDetails, MissingProof, PaymentDetail,
    Problem, SIGN_IN_PATH, TableColumn, missing,
};
use crate::headers::retry_after_seconds;
use crate::language::Language;

/// Media types of tables, without their synonyms.
macro_rules! table_types {
    () => {
        "text/csv, application/x-ndjson, \
         application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, \
         application/vnd.ms-excel.sheet.macroenabled.12, application/vnd.ms-excel, \
         application/vnd.oasis.opendocument.spreadsheet"
    };
}

impl Problem {
    pub fn details(&self, language: Language) -> Details {
        Details {
            retry_after: self.retry_after().map(retry_after_seconds),
            participants_list_date: self.list_date().map(|date| date.to_string()),
            ..self.own_details(language)
        }
    }

    /// Date of the list of participants in which a code or a prefix was not found.
    fn list_date(&self) -> Option<NaiveDate> {
        match self {
            Self::InvalidFields { faults } => faults.iter().find_map(|fault| match fault.problem {
                FieldProblem::UnknownParticipant { list_date } => Some(list_date),
                _ => None,
            }),
            Self::InferenceFailed {
                receiver: Some(GapReason::ClabePrefix { list_date, .. }),
                ..
            } => Some(*list_date),
            Self::NotInSpei { missing }
            | Self::ProofNotIssued { missing }
            | Self::PaymentInProcess { missing }
            | Self::ReturnInProcess { missing }
            | Self::PaymentReturned { missing }
            | Self::PaymentRejected { missing }
            | Self::PaymentCanceled { missing } => {
                missing.hints.iter().find_map(|hint| match hint {
                    HintReason::ParticipantUnknown { list_date, .. }
                    | HintReason::AccountPrefixUnknown { list_date, .. } => Some(*list_date),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// The members of `details` that depend on the variant, without those that several problems share.
    #[expect(clippy::too_many_lines, reason = "a table: one arm for each problem")]
    fn own_details(&self, language: Language) -> Details {
        let because = |reason: Reason| Details {
            reason: Some(reason.into()),
            ..Details::default()
        };
        let at = |reason, position: &usize| Details {
            position: Some(*position),
            ..because(reason)
        };
        let fields = |faults: &[FieldFault]| {
            let details = faults.iter().map(|fault| FieldDetail::new(fault, language));
            details.collect::<Vec<_>>()
        };
        let no_proof = |reason, missing: &MissingProof| {
            let hints = missing.hints.iter();
            let hints = hints.map(|hint| HintDetail::new(hint, language));
            Details {
                payment: missing.payment.as_ref().map(PaymentDetail::new),
                inferred: InferredDetails::of(&missing.inferred),
                hints: Some(hints.collect()),
                ..because(reason)
            }
        };
        match self {
            Self::IncompleteBody => because(Reason::IncompleteBody),
            Self::EmptyBody => because(Reason::EmptyBody),
            Self::NotUtf8 { position } => at(Reason::NotUtf8, position),
            Self::ByteOrderMark => at(Reason::MalformedJson, &1),
            Self::MalformedJson { position } => at(Reason::MalformedJson, position),
            Self::NotAnObject { .. } => because(Reason::NotAnObject),
            Self::DuplicateKey { field, position } => Details {
                fields: fields(&[FieldFault::new(*field, FieldProblem::Duplicate)]),
                ..at(Reason::DuplicateKey, position)
            },
            Self::DuplicateUnknownKey { position } => at(Reason::DuplicateKey, position),
            Self::TooDeep { position, .. } => at(Reason::TooDeep, position),
            Self::InvalidFields { faults } => Details {
                fields: fields(faults),
                ..because(Reason::InvalidFields)
            },
            Self::SameInstitution { inferred, .. } => Details {
                inferred: InferredDetails::of(inferred),
                ..because(Reason::SameInstitution)
            },
            Self::EmptyChange { .. } => because(Reason::EmptyChange),
            Self::NotAProof { reason, element } => Details {
                file: Some(FileDetail::new(*reason, *element, language)),
                ..because(Reason::NotAProof)
            },
            Self::EmptyReceipt
            | Self::ReceiptDamaged
            | Self::ReceiptEncrypted
            | Self::ReceiptTooLarge
            | Self::ReceiptTooSlow => because(Reason::UnreadableReceipt),
            Self::InferenceFailed {
                issuer,
                receiver,
                explicit_endpoints,
            } => Details {
                missing: missing(issuer.as_ref(), receiver.as_ref()).collect(),
                reasons: Some(GapDetails {
                    emisor: issuer
                        .as_ref()
                        .map(|reason| GapDetail::new(reason, language)),
                    receptor: receiver
                        .as_ref()
                        .map(|reason| GapDetail::new(reason, language)),
                }),
                explicit_endpoints: explicit_endpoints.clone(),
                ..Details::default()
            },
            Self::Unauthenticated | Self::NoCredential => Details {
                sign_in: Some(SIGN_IN_PATH),
                ..Details::default()
            },
            Self::QuotaExceeded {
                limit,
                used,
                reset_at,
            } => Details {
                limit: Some(*limit),
                used: Some(*used),
                reset_at: Some(reset_at.to_rfc3339_opts(SecondsFormat::Secs, true)),
                ..Details::default()
            },
            Self::CrossSite => because(Reason::CrossSite),
            Self::AdminsOnly => because(Reason::AdminsOnly),
            Self::NotInSpei { missing } => no_proof(Reason::NotInSpei, missing),
            Self::ProofNotIssued { missing } => no_proof(Reason::ProofNotIssued, missing),
            Self::PaymentInProcess { missing } | Self::ReturnInProcess { missing } => {
                no_proof(Reason::PaymentInProcess, missing)
            }
            Self::PaymentReturned { missing } => no_proof(Reason::PaymentReturned, missing),
            Self::PaymentRejected { missing } => no_proof(Reason::PaymentRejected, missing),
            Self::PaymentCanceled { missing } => no_proof(Reason::PaymentCanceled, missing),
            Self::KeyRevoked => because(Reason::Revoked),
            Self::KeyRotated => because(Reason::AlreadyRotated),
            Self::LookupNotDelivered => because(Reason::NotDelivered),
            Self::NoBoundary | Self::MalformedForm | Self::IncompletePart { .. } => {
                because(Reason::MalformedForm)
            }
            Self::EmptyTable
            | Self::TableNotText
            | Self::WorkbookUnreadable
            | Self::WorkbookEncrypted
            | Self::WorkbookTooLarge
            | Self::AllPassedOver { .. }
            | Self::TableHeader { .. } => because(Reason::UnreadableTable),
            Self::NoSuchSheet { sheets, .. } => Details {
                sheets: sheets.clone(),
                ..because(Reason::UnreadableTable)
            },
            Self::TableNoHeader { columns, sheets } => Details {
                sheets: sheets.clone(),
                missing: Column::REQUIRED.map(Column::name).to_vec(),
                columns: columns.iter().map(TableColumn::new).collect(),
                ..because(Reason::UnreadableTable)
            },
            Self::RepeatedColumn {
                column,
                columns,
                sheets,
                ..
            } => Details {
                sheets: sheets.clone(),
                missing: vec![column],
                columns: columns.iter().map(TableColumn::new).collect(),
                ..because(Reason::UnreadableTable)
            },
            Self::MissingColumns {
                missing,
                columns,
                sheets,
            } => Details {
                sheets: sheets.clone(),
                missing: missing.clone(),
                columns: columns.iter().map(TableColumn::new).collect(),
                ..because(Reason::MissingColumns)
            },
            Self::NothingToLookUp { faults, .. } => Details {
                rows: Some(faults.iter().map(|fault| fault.detail(language)).collect()),
                ..because(Reason::NothingToLookUp)
            },
            Self::NotAnArchive | Self::DamagedArchive | Self::ArchiveTooLarge => {
                because(Reason::UnreadableArchive)
            }
            Self::BatchEnded => because(Reason::Ended),
            Self::BatchNotEnded => because(Reason::NotEnded),
            Self::BatchCanceled => because(Reason::Canceled),
            Self::TooManyBatches { most } => Details {
                limit: Some((*most).into()),
                ..because(Reason::TooManyBatches)
            },
            Self::TooManyStoredRows { most } => Details {
                limit: Some(*most),
                ..because(Reason::TooManyStoredRows)
            },
            Self::TooFewRows { .. } => because(Reason::TooFewRows),
            Self::FileNotKept => because(Reason::FileNotKept),
            Self::TooManyKeys { most } => Details {
                limit: Some(*most),
                ..because(Reason::TooManyKeys)
            },
            Self::TooManyWebhooks { most } => Details {
                limit: Some(*most),
                ..because(Reason::TooManyWebhooks)
            },
            Self::TooManyWebSockets { most } => Details {
                limit: u64::try_from(*most).ok(),
                ..Details::default()
            },
            Self::WebhookDisabled => because(Reason::WebhookDisabled),
            Self::DeliveryPending => because(Reason::DeliveryPending),
            Self::PayloadTooLarge { max_bytes }
            | Self::LargeReceipt { max_bytes }
            | Self::PartTooLarge { max_bytes, .. } => Details {
                max_bytes: Some(*max_bytes),
                ..Details::default()
            },
            Self::UnsupportedMediaType => Details {
                accepted: Some("application/json"),
                ..Details::default()
            },
            Self::UnsupportedFileType => Details {
                accepted: Some(
                    "application/xml, application/pdf, application/zip, application/octet-stream",
                ),
                ..Details::default()
            },
            Self::EncodedReceipt | Self::UnsupportedReceipt | Self::UnsupportedPicture => Details {
                accepted: Some("text/plain, application/pdf, image/png, image/jpeg, image/webp"),
                ..Details::default()
            },
            Self::UnsupportedTableType => Details {
                accepted: Some(concat!(table_types!(), ", multipart/form-data")),
                ..Details::default()
            },
            Self::UnsupportedPartType => Details {
                accepted: Some(table_types!()),
                ..Details::default()
            },
            Self::UnsupportedBodyType => Details {
                accepted: Some(
                    "application/json, text/csv, application/x-ndjson, application/zip, \
                     application/octet-stream, multipart/form-data",
                ),
                ..Details::default()
            },
            Self::UnsupportedArchiveType => Details {
                accepted: Some("application/zip, application/octet-stream"),
                ..Details::default()
            },
            Self::RateLimited { limit, .. }
            | Self::TooManyRequests { limit, .. }
            | Self::TooManyReads { limit, .. }
            | Self::TooManyRepeats { limit, .. } => Details {
                limit: Some((*limit).into()),
                ..Details::default()
            },
            Self::TooManyNewKeys { most, .. } => Details {
                limit: u64::try_from(*most).ok(),
                ..because(Reason::TooManyNewKeys)
            },
            Self::Internal { request_id } => Details {
                request_id: Some(request_id.to_string()),
                ..Details::default()
            },
            Self::NotReady { components } => Details {
                components: Some(components.iter().map(ComponentDetail::from).collect()),
                ..Details::default()
            },
            Self::InvalidApiKey
            | Self::NoSuchResource
            | Self::NoSuchLookup
            | Self::FirstErased
            | Self::NoSuchBatch
            | Self::WebSocketRequired { .. }
            | Self::RouteNotFound
            | Self::MethodNotAllowed
            | Self::StalledBody { .. }
            | Self::RequestTimeout { .. }
            | Self::IdempotencyKeyReused
            | Self::IdempotencyKeyInProgress { .. }
            | Self::BankProtocol
            | Self::BankUnavailable { .. }
            | Self::BankThrottled { .. }
            | Self::BankTimeout
            | Self::TooManyDownloads { .. }
            | Self::TooManyUploads { .. }
            | Self::NoRecognition
            | Self::RecognitionBusy { .. }
            | Self::Unavailable { .. } => Details::default(),
        }
    }
}
