//! Responses with a proof: as a file, a ZIP of both files, base64 in JSON, or JSON of its fields.

use std::io::{Cursor, Write as _};

use application::{Delivery, Files};
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::Response;
use bytes::Bytes;
use domain::proofs::file::{FileStem, Format};
use domain::query::ExpectedBeneficiary;
use serde::Serialize;
use web::Language;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::headers;
use crate::proofs::views::{Envelope, ParsedProof};

const ZIP_TYPE: &str = "application/zip";
/// If a browser displays the file instead of saving it, it runs no scripts and loads nothing.
const FILE_CSP: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");

/// Reason why a response with a proof can't be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RenderError {
    /// The delivery lacks a file that the endpoint requested.
    #[error("the delivery lacks a file that was wanted")]
    FileMissing,
    #[error("the file name is no header value")]
    FileName,
    #[error("the ZIP could not be written: {0}")]
    Zip(#[from] ZipError),
    #[error("the JSON could not be written: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the ZIP was given up: {0}")]
    ZipTask(#[from] tokio::task::JoinError),
}

/// Form in which an endpoint returns a proof.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Encoding {
    /// The file of this format.
    File(Format),
    /// JSON with the file of this format in base64.
    Envelope(Format),
    /// A ZIP of both files.
    Archive,
    /// JSON of the proof's fields.
    Fields,
}

/// Builds the response. `expected` and `language` are only used for [`Encoding::Fields`]: the beneficiary
/// to compare with, and the language of messages.
pub(crate) async fn render(
    encoding: Encoding,
    delivery: Delivery,
    (expected, language): (&ExpectedBeneficiary, Language),
) -> Result<Response, RenderError> {
    let verdict = delivery.seal.verdict;
    let mut response = match encoding {
        Encoding::Fields => json(&ParsedProof::new(&delivery, expected, language))?,
        Encoding::File(format) => file(only(delivery.files, format)?, &delivery.stem, format)?,
        Encoding::Envelope(format) => {
            let file = only(delivery.files, format)?;
            json(&Envelope::new(
                &file,
                &delivery.stem,
                format,
                verdict.into(),
            ))?
        }
        Encoding::Archive => archive(delivery.files, delivery.stem).await?,
    };
    headers::put_seal(response.headers_mut(), verdict.into());
    Ok(response)
}

fn json(view: &impl Serialize) -> Result<Response, serde_json::Error> {
    Ok(web::json_response(serde_json::to_string(view)?))
}

fn only(files: Files, format: Format) -> Result<Bytes, RenderError> {
    match (files, format) {
        (Files::Xml(file) | Files::Both { xml: file, .. }, Format::Xml)
        | (Files::Pdf(file) | Files::Both { pdf: file, .. }, Format::Pdf) => Ok(file),
        (Files::Xml(_), Format::Pdf) | (Files::Pdf(_), Format::Xml) => {
            Err(RenderError::FileMissing)
        }
    }
}

fn file(bytes: Bytes, stem: &FileStem, format: Format) -> Result<Response, RenderError> {
    attachment(
        bytes,
        &stem.with_extension(format.extension()),
        format.media_type(),
    )
}

fn attachment(bytes: Bytes, name: &str, media_type: &'static str) -> Result<Response, RenderError> {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""))
        .map_err(|_| RenderError::FileName)?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CONTENT_DISPOSITION, disposition);
    headers.insert(CONTENT_SECURITY_POLICY, FILE_CSP);
    Ok(response)
}

/// Both files in a ZIP. Compressing a PDF takes milliseconds, too long for a thread that serves other
/// requests.
async fn archive(files: Files, stem: FileStem) -> Result<Response, RenderError> {
    let Files::Both { xml, pdf } = files else {
        return Err(RenderError::FileMissing);
    };
    let name = stem.with_extension("zip");
    let zip = tokio::task::spawn_blocking(move || zip(&xml, &pdf, &stem)).await??;
    attachment(zip.into(), &name, ZIP_TYPE)
}

/// Writes the ZIP. Entries have a fixed timestamp, 1980-01-01, so that the same files give the same bytes.
fn zip(xml: &[u8], pdf: &[u8], stem: &FileStem) -> Result<Vec<u8>, ZipError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(xml.len() + pdf.len())));
    for (bytes, format) in [(xml, Format::Xml), (pdf, Format::Pdf)] {
        writer.start_file(stem.with_extension(format.extension()), options)?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use domain::proofs::Proof;
    use domain::proofs::notice::ProofOrigin;
    use domain::seals::{CheckedSeal, Verdict};
    use domain::tracking_key::TrackingKey;
    use std::io::Read as _;
    use std::sync::Arc;

    /// A delivery of a proof whose seal is another one's.
    fn delivery() -> Delivery {
        let transfer = ports::contract::bank::transfer(123_456, "MBAN01");
        let xml = testkit::fakes::unsealed_proof(&transfer).xml.unwrap();
        Delivery {
            proof: Arc::new(Proof::parse(&xml).unwrap()),
            files: Files::Xml(xml),
            stem: stem(),
            issuer: transfer.issuer(),
            origin: ProofOrigin::Fetched,
            seal: CheckedSeal {
                verdict: Verdict::Invalid,
                signer: None,
                digest: None,
                by_sandbox: false,
            },
            seen: None,
        }
    }

    /// The answer with a delivery to a request that expects no beneficiary.
    async fn answer(encoding: Encoding, delivery: Delivery) -> Result<Response, RenderError> {
        let expected = ExpectedBeneficiary::default();
        render(encoding, delivery, (&expected, Language::Spanish)).await
    }

    #[tokio::test]
    async fn every_form_of_a_proof_says_what_its_seal_is_worth() {
        use Encoding::{Envelope, Fields, File};
        for encoding in [File(Format::Xml), Envelope(Format::Xml), Fields] {
            let rendered = answer(encoding, delivery()).await.unwrap();
            assert_eq!(rendered.headers()["x-seal"], "invalid", "{encoding:?}");
            let body = axum::body::to_bytes(rendered.into_body(), 1 << 20).await;
            let body = String::from_utf8(body.unwrap().into()).unwrap();
            let says_so = body.contains(r#""seal":"invalid""#);
            assert_eq!(says_so, matches!(encoding, Envelope(_)), "{body}");
        }
    }

    fn stem() -> FileStem {
        let date = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        FileStem::new(date, &TrackingKey::parse("MBAN 01/../2").unwrap())
    }

    #[test]
    fn a_zip_holds_two_plainly_named_files_and_is_always_the_same() {
        let made = zip(b"<xml/>", b"%PDF", &stem()).unwrap();
        assert_eq!(made, zip(b"<xml/>", b"%PDF", &stem()).unwrap());
        let mut archive = zip::ZipArchive::new(Cursor::new(made)).unwrap();
        assert_eq!(archive.len(), 2);
        for (index, name, content) in [
            (0, "CEP-20261120-MBAN01..2.xml", "<xml/>"),
            (1, "CEP-20261120-MBAN01..2.pdf", "%PDF"),
        ] {
            let mut entry = archive.by_index(index).unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            assert_eq!(entry.name().unwrap(), name);
            assert_eq!(text, content);
        }
    }

    #[tokio::test]
    async fn a_delivery_without_the_wanted_file_is_an_error_and_never_another_file() {
        use Encoding::{Archive, Envelope, File};
        for (files, served) in [
            (Files::Xml(Bytes::new()), Format::Xml),
            (Files::Pdf(Bytes::new()), Format::Pdf),
        ] {
            for (encoding, format) in [
                (File(Format::Xml), Some(Format::Xml)),
                (File(Format::Pdf), Some(Format::Pdf)),
                (Envelope(Format::Xml), Some(Format::Xml)),
                (Envelope(Format::Pdf), Some(Format::Pdf)),
                (Archive, None),
            ] {
                let delivery = Delivery {
                    files: files.clone(),
                    ..delivery()
                };
                let rendered = answer(encoding, delivery).await;
                assert_eq!(rendered.is_ok(), format == Some(served), "{encoding:?}");
            }
        }
    }
}
