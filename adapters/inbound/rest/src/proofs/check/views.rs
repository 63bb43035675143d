//! JSON views of the checks of a file.

use application::{CheckedFile, CheckedUpload, ZippedCheck};
use domain::proofs::ProofField;
use domain::proofs::check::{
    Check, CheckName, CheckOutcome, CheckReason, CheckResult, PageComparison,
};
use domain::query::ExpectedBeneficiary;
use domain::seals::{CheckedSeal, NoOpinion, OpinionVerdict, SecondOpinion};
use serde::Serialize;
use strum::VariantNames as _;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Array;
use web::problem::{NoticeDetail, explain, explain_opinion, explanation};
use web::views::proof::Proof;
use web::{Language, Problem};

use crate::openapi::schemas::{text, words};
use crate::proofs::views::{MatchesView, SealView, SeenView, or_null, sealed_fields};

/// The checks of a file, or of each file of a ZIP.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum CheckAnswer {
    Proof(Box<CheckedProof>),
    Zip(CheckedZip),
}

/// The proofs in a ZIP, each with its checks. The whole is one request.
#[derive(Serialize, ToSchema)]
pub(crate) struct CheckedZip {
    /// `true`
    ok: bool,
    #[schema(schema_with = zip)]
    archivo: &'static str,
    #[schema(schema_with = gravest)]
    resultado: &'static str,
    comprobantes: Vec<ZippedProof>,
    omitidos: Vec<OmittedFile>,
}

/// A proof in a ZIP: as the answer to a file, with the file's name.
#[derive(Serialize, ToSchema)]
struct ZippedProof {
    /// The name of the file in the ZIP.
    nombre: String,
    #[serde(flatten)]
    proof: CheckedProof,
}

/// A file in a ZIP that is no proof. Folders, and what macOS and Windows add by themselves, are none of them.
#[derive(Serialize, ToSchema)]
struct OmittedFile {
    /// The name of the file in the ZIP.
    nombre: String,
    #[schema(required, schema_with = omitted_outcome)]
    resultado: Option<&'static str>,
    #[schema(schema_with = words::<CheckReason>)]
    motivo: &'static str,
    /// The reason and the remedy, for people, in the language that `Accept-Language` prefers.
    mensaje: String,
}

/// The fields of a proof, and all checks of the file that it was read from.
#[derive(Serialize, ToSchema)]
pub(crate) struct CheckedProof {
    /// `true`
    ok: bool,
    #[schema(schema_with = outcome)]
    resultado: &'static str,
    #[schema(required, schema_with = page)]
    pagina: Option<&'static str>,
    /// The data of the file; the sealed ones when `pagina` is `no_comparada`. Only the fields in
    /// `campos_sellados` are the bank's word, and only if `sello.estado` is `valid`; a field on which the readings of
    /// the sealed text differ isn't one of them. The issuer's code is that of the participant with its name.
    cep: Proof,
    sello: SealView,
    /// What the central bank's validator says; only with `banxico=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = OpinionView)]
    banxico: Option<OpinionView>,
    #[schema(schema_with = sealed_fields)]
    campos_sellados: Vec<&'static str>,
    /// Both `no_pedida`: a request with a file has no names to compare with.
    coincidencias: MatchesView,
    /// Facts that no check tells.
    avisos: Vec<NoticeDetail>,
    /// Earlier deliveries of this proof to your account, and earlier checks of it. It is recognised by the
    /// sealed text alone, whatever else of the file was edited. Null when they can't be read. The check of a
    /// file that turns out `invalid` is none of them.
    #[schema(required, nullable)]
    visto: Option<SeenView>,
    comprobaciones: Vec<CheckView>,
}

/// The verdict of the central bank's validator on the seal. It is about the sealed data alone: the other checks
/// stand.
#[derive(Serialize, ToSchema)]
#[schema(as = SealOpinion)]
struct OpinionView {
    #[schema(schema_with = opinion)]
    estado: &'static str,
    #[schema(required, schema_with = no_opinion)]
    motivo: Option<&'static str>,
    /// The verdict or the reason in a sentence, for people, in the language that `Accept-Language` prefers.
    explicacion: String,
}

/// A check with its result.
#[derive(Serialize, ToSchema)]
#[schema(as = ProofCheck)]
struct CheckView {
    #[schema(schema_with = name)]
    nombre: &'static str,
    #[schema(schema_with = result)]
    resultado: &'static str,
    #[schema(required, schema_with = reason)]
    motivo: Option<&'static str>,
    #[schema(schema_with = fields)]
    campos: Vec<&'static str>,
    /// The result in a sentence, for people, in the language that `Accept-Language` prefers.
    explicacion: String,
}

impl CheckAnswer {
    /// The response's body, or the problem of a file without a proof.
    pub(crate) fn new(checked: &CheckedUpload, language: Language) -> Result<Self, Problem> {
        let outcome = checked.outcome().unwrap_or(CheckOutcome::Invalid);
        let files = match checked {
            CheckedUpload::File(file) => {
                let proof = CheckedProof::new(file, language)?;
                return Ok(Self::Proof(Box::new(proof)));
            }
            CheckedUpload::Zip(files) => files,
        };
        let (mut proofs, mut omitted) = (Vec::new(), Vec::new());
        for ZippedCheck { name, checked } in files {
            let nombre = name.clone();
            match CheckedProof::new(checked, language) {
                Ok(proof) => proofs.push(ZippedProof { nombre, proof }),
                Err(_) => omitted.push(OmittedFile::new(nombre, checked, language)),
            }
        }
        match &files[..] {
            _ if !proofs.is_empty() => {}
            [only] => {
                return CheckedProof::new(&only.checked, language)
                    .map(Box::new)
                    .map(Self::Proof);
            }
            _ => {
                return Err(Problem::NotAProof {
                    reason: CheckReason::ZipWithoutProofs,
                    element: None,
                });
            }
        }
        Ok(Self::Zip(CheckedZip {
            ok: true,
            archivo: ZIP,
            resultado: outcome.name(),
            comprobantes: proofs,
            omitidos: omitted,
        }))
    }
}

impl OmittedFile {
    fn new(nombre: String, checked: &CheckedFile, language: Language) -> Self {
        let reason = fault(checked).0;
        Self {
            nombre,
            resultado: checked.report.outcome_in_total().map(CheckOutcome::name),
            motivo: reason.name(),
            mensaje: explain(reason, language),
        }
    }
}

/// The reason why a file isn't a proof, and the XML element or attribute at fault.
fn fault(checked: &CheckedFile) -> (CheckReason, Option<&'static str>) {
    let structure = checked.report.checks.first();
    let reason = structure.and_then(|check| check.reason);
    (
        reason.unwrap_or(CheckReason::Unreadable),
        structure.and_then(|check| check.element),
    )
}

impl CheckedProof {
    /// The view of one file, or the problem of a file that isn't a proof.
    fn new(checked: &CheckedFile, language: Language) -> Result<Self, Problem> {
        let CheckedFile {
            report,
            issuer,
            seen,
        } = checked;
        let Some(proof) = &report.proof else {
            let (reason, element) = fault(checked);
            return Err(Problem::NotAProof { reason, element });
        };
        let seal = CheckedSeal::of(proof, |_| report.verdict);
        let sello = match report.verdict_of_validator() {
            Some(verdict) => SealView::by_validator(&seal, verdict),
            None => SealView::new(&seal),
        };
        let opinion = |opinion| OpinionView::new(opinion, language);
        let expected = ExpectedBeneficiary::default();
        let view = |check| CheckView::new(check, language);
        Ok(Self {
            ok: true,
            resultado: report.outcome().name(),
            pagina: report.page().map(PageComparison::name),
            cep: Proof::new(proof, *issuer),
            sello,
            banxico: report.second_opinion.map(opinion),
            campos_sellados: proof.covered_fields(),
            coincidencias: MatchesView::new(proof, &expected),
            avisos: NoticeDetail::all(&report.notices(), language),
            visto: seen.map(SeenView::new),
            comprobaciones: report.checks.iter().map(view).collect(),
        })
    }
}

impl OpinionView {
    fn new(opinion: SecondOpinion, language: Language) -> Self {
        Self {
            estado: OpinionVerdict::of(opinion).name(),
            motivo: opinion.err().map(NoOpinion::name),
            explicacion: explain_opinion(opinion, language),
        }
    }
}

impl CheckView {
    fn new(check: &Check, language: Language) -> Self {
        Self {
            nombre: check.name.name(),
            resultado: check.result.name(),
            motivo: check.reason.map(CheckReason::name),
            campos: check.fields.iter().map(|field| field.name()).collect(),
            explicacion: explanation(check, language),
        }
    }
}

/// Name of the ZIP format in a response.
const ZIP: &str = "zip";

fn zip() -> ObjectBuilder {
    text("`zip`: the file is one, whatever its name and its declared type say.")
        .enum_values(Some([ZIP]))
}

fn outcome() -> ObjectBuilder {
    text(
        "All checks together. `valid`: the seal is valid, and what people read says what is sealed. \
         `invalid`: a check failed; the file was altered, or isn't the proof of a payment. `not_checked`: \
         nothing is wrong, and something could not be checked.",
    )
    .enum_values(Some(CheckOutcome::VARIANTS.iter().copied()))
}

fn gravest() -> ObjectBuilder {
    text("The gravest `resultado` of all files, as `X-Seal` says it.")
        .enum_values(Some(CheckOutcome::VARIANTS.iter().copied()))
}

fn omitted_outcome() -> ObjectBuilder {
    or_null::<CheckOutcome>(
        "`invalid`: the file is an XML, a PDF or a ZIP, and can't be read as a proof; it counts in the total. Null \
         for another document, as an invoice or a picture.",
    )
}

fn page() -> ObjectBuilder {
    or_null::<PageComparison>(
        "What the page of a PDF shows. `coincide`: it is drawn as the portal draws it, and shows what is \
         sealed. `contradice`: it shows something else. `no_comparada`: a viewer may show something else \
         than what was read, so `resultado` is never `valid`; `cep` has the sealed data, of which those in \
         `campos_sellados` are certain. Null for an XML.",
    )
}

fn opinion() -> ObjectBuilder {
    text(
        "`valid`, `invalid`: the validator's verdict, which `sello` and `comprobaciones` have, too. `not_available`: \
         it has none, for `motivo`.",
    )
    .enum_values(Some(OpinionVerdict::VARIANTS.iter().copied()))
}

fn no_opinion() -> ObjectBuilder {
    or_null::<NoOpinion>(
        "Reason for `not_available`. `not_needed`: a key of the certificate is known here, or the sandbox made the seal. \
         `unreadable_seal`. `not_configured`: files don't leave this gateway. `not_xml`: the validator reads XML only. \
         `several_seals`: of a ZIP. `out_of_range`: 45 banking days old, or dated in the future. `unsafe_text`: the file \
         could change the validator's page. `busy`, `timeout`, `unavailable`, `unknown_answer`: try again later. Null \
         otherwise.",
    )
}

fn name() -> ObjectBuilder {
    text(
        "`estructura`: the file is a proof. `atributos_y_cadena` (XML), `texto_y_cadena` (PDF): what \
         people read says what the original chain says. `sello`: the seal is the receiving institution's \
         signature of the original chain. `sello_repetido` (XML): the end of the chain repeats it. \
         `certificado`: the chain names the certificate that stands beside it. `clave_rastreo`: the \
         tracking key, which no seal covers, is the payment's; `not_checked` unless the bank was asked, `failed` if it \
         can't be one. `portal`: \
         the bank issues the same proof; only with `portal=true`.",
    )
    .enum_values(Some(CheckName::VARIANTS.iter().copied()))
}

fn result() -> ObjectBuilder {
    text("`ok`, `failed`, or `not_checked`: nothing is known.")
        .enum_values(Some(CheckResult::VARIANTS.iter().copied()))
}

fn reason() -> ObjectBuilder {
    or_null::<CheckReason>("Reason of a result that isn't `ok`. Null otherwise.")
}

fn fields() -> Array {
    let mut fields = Array::new(words::<ProofField>());
    fields.description = Some("The members of `cep` that the reason is about.".to_owned());
    fields
}
