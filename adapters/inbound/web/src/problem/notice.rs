//! Notices that accompany the verdict on a proof, in the caller's language.

use application::Delivery;
use async_graphql::SimpleObject;
use domain::proofs::notice::{Notice, NoticeCode};
use serde::Serialize;
use strum::VariantNames as _;
use utoipa::ToSchema;
use utoipa::openapi::schema::Array;
use utoipa::openapi::{ObjectBuilder, Type};

use super::text;
use crate::language::Language;

pub fn notice_message(code: NoticeCode, language: Language) -> String {
    text::of_name(language, "notice", code.name())
}

/// A notice beside the verdict: a fact that the seal doesn't tell.
#[derive(Debug, Serialize, SimpleObject, ToSchema)]
#[graphql(name = "ProofNotice")]
#[schema(as = ProofNotice)]
pub struct NoticeDetail {
    /// Its code, as in the REST API's `avisos`.
    #[serde(rename = "codigo")]
    #[schema(schema_with = code)]
    code: &'static str,
    /// Names of the fields of the REST API's `cep` that it is about.
    #[serde(rename = "campos")]
    #[schema(schema_with = fields)]
    fields: Vec<&'static str>,
    /// The notice in a sentence, for people, in the language that `Accept-Language` prefers.
    #[serde(rename = "mensaje")]
    message: String,
}

fn code() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(
            "No seal covers the tracking key and the reference number. \
             `campos_sin_sellar_comparados_con_el_banco`: the bank issues a proof with this tracking key. \
             `campos_sin_sellar_no_comparados`: nobody asked the bank, or it could not tell. \
             `campos_sin_sellar_no_coinciden_con_el_banco`: the bank knows no such payment with this tracking \
             key, or issues another proof. `comprobante_traido_en_un_archivo`: an import of a file brought the \
             proof, and not the bank; it doesn't tell whether the payment was returned later. `sello_del_banco_de_pruebas`: the seal is the sandbox bank's, \
             whose key is published; anybody can make such a proof.",
        ))
        .enum_values(Some(NoticeCode::VARIANTS.iter().copied()))
}

fn fields() -> Array {
    let mut fields = Array::new(ObjectBuilder::new().schema_type(Type::String));
    fields.description = Some("The members of `cep` that it is about.".to_owned());
    fields
}

impl NoticeDetail {
    pub fn of_delivery(delivery: &Delivery, language: Language) -> Vec<Self> {
        let notices = Notice::of_delivery(delivery.origin, &delivery.seal);
        Self::all(&notices, language)
    }

    pub fn all(notices: &[Notice], language: Language) -> Vec<Self> {
        let detail = |notice: &Notice| Self {
            code: notice.code.name(),
            fields: notice.fields.iter().map(|field| field.name()).collect(),
            message: notice_message(notice.code, language),
        };
        notices.iter().map(detail).collect()
    }
}
