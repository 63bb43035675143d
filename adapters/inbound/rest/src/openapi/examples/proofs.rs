//! Examples of a proof's fields and of the checks of a file.

use std::sync::Arc;

use application::{CheckedFile, CheckedUpload, Delivery, Files};
use bytes::Bytes;
use domain::keys::Environment;
use domain::participants::ParticipantCode;
use domain::proofs::Proof;
use domain::proofs::check::{BankRecord, CheckReport};
use domain::proofs::file::FileStem;
use domain::proofs::notice::ProofOrigin;
use domain::proofs::seen::EarlierDeliveries;
use domain::query::ExpectedBeneficiary;
use domain::seals::{
    CertificateNumber, CheckedSeal, NoOpinion, SealHash, SealedDigest, Signer, Verdict,
};
use domain::tracking_key::TrackingKey;
use serde_json::Value;
use web::Language;

use crate::proofs::check::views::CheckAnswer;
use crate::proofs::views::ParsedProof;

/// A fictitious proof.
const XML: &str = r#"<SPEI_Tercero FechaOperacion="2026-11-20" Hora="10:53:36" ClaveSPEI="40002"
sello="c2VsbG8=" numeroCertificado="00001000000500000001" claveRastreo="MBAN01002611200001234567"
cadenaCDA="||1|20112026|20112026|105336|40002|BBVA MEXICO|ANA PRUEBA EJEMPLO|40|012180000000000017|ND|BANAMEX|EJEMPLO SA DE CV|40|002010077777777771|EJE800101AB1|renta|0.00|1234.56|00001000000500000001||c2VsbG8=">
<Beneficiario BancoReceptor="BANAMEX" Nombre="EJEMPLO SA DE CV" TipoCuenta="40" Cuenta="002010077777777771"
RFC="EJE800101AB1" Concepto="renta" IVA="0.00" MontoPago="1234.56"/>
<Ordenante BancoEmisor="BBVA MEXICO" Nombre="ANA PRUEBA EJEMPLO" TipoCuenta="40" Cuenta="012180000000000017" RFC="ND"/>
</SPEI_Tercero>"#;

/// The fields of a proof that was delivered once before.
pub(super) fn parsed() -> Value {
    let parsed = delivery().map(|delivery| {
        let expected = ExpectedBeneficiary {
            name: Some("Ejemplo, S.A. de C.V.".to_owned()),
            tax_id: Some("EJE800101AB1".to_owned()),
        };
        serde_json::to_value(ParsedProof::new(&delivery, &expected, Language::Spanish))
            .unwrap_or_default()
    });
    parsed.unwrap_or_default()
}

/// The checks of a file whose amount was changed, while the sealed text is unchanged. Both of the bank's opinions
/// were asked for.
pub(super) fn checked() -> Value {
    let altered = XML.replace(r#"MontoPago="1234.56""#, r#"MontoPago="9234.56""#);
    let valid = |_: &Proof| Verdict::Valid(SealHash::Sha512);
    let mut report = CheckReport::of_xml(altered.as_bytes(), valid);
    if let Some(issued) = delivery() {
        report.compare_with_bank(BankRecord::Issued(&issued.proof));
    }
    report.add_second_opinion(Environment::Live, Err(NoOpinion::NotNeeded));
    let checked = CheckedUpload::File(Box::new(CheckedFile {
        issuer: ParticipantCode::parse("40012"),
        seen: Some(EarlierDeliveries::default()),
        report,
    }));
    let view = CheckAnswer::new(&checked, Language::Spanish);
    let view = view.ok().and_then(|view| serde_json::to_value(view).ok());
    view.unwrap_or_default()
}

/// The delivery of [`XML`]; `None` if it can't be parsed. The example would then be empty, and fail
/// validation against its schema.
fn delivery() -> Option<Delivery> {
    let proof = Proof::parse(XML.as_bytes()).ok()?;
    let key = TrackingKey::parse(proof.tracking_key()).ok()?;
    let signer = Signer {
        participant: proof.receiver(),
        certificate: CertificateNumber::parse(&proof.certificate_number)?,
    };
    Some(Delivery {
        files: Files::Xml(Bytes::new()),
        stem: FileStem::new(proof.operation_date(), &key),
        issuer: ParticipantCode::parse("40012")?,
        origin: ProofOrigin::Fetched,
        seal: CheckedSeal {
            verdict: Verdict::Valid(SealHash::Sha512),
            signer: Some(signer),
            digest: Some(SealedDigest([0x5a; 64])),
            by_sandbox: false,
        },
        seen: Some(EarlierDeliveries {
            times: 1,
            first: chrono::DateTime::from_timestamp(1_795_262_460, 0),
        }),
        proof: Arc::new(proof),
    })
}
