//! ZIPs of proofs: each file is checked, in one request.

use super::*;

/// A ZIP of these files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[tokio::test]
async fn each_proof_in_a_zip_is_checked_in_one_request_and_the_rest_is_listed() {
    let (gateway, key) = Gateway::with_key();
    let sent = case("cep-de-cliente.zip");
    let answer = send(&gateway, &key, ZIP, sent).await;
    assert_eq!(answer.headers()["x-seal"], "valid");
    let answer = json_of(answer, 200).await;
    assert_eq!(answer["archivo"], "zip", "{answer}");
    assert_eq!(answer["comprobantes"][0]["nombre"], "CEP.xml");
    assert_eq!(answer["comprobantes"][0]["resultado"], "valid");
    assert_eq!(answer["omitidos"], json!([]));

    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let page = pdf(&gateway, &key, 1).await;
    let forged = with_amount(&good, "9.00");
    let files = zip(&[
        ("pagos/CEP.xml", good.as_bytes()),
        ("pagos/CEP.pdf", &page),
        ("pagos/falso", forged.as_bytes()),
        ("__MACOSX/._CEP.xml", b"x"),
        ("foto.jpg", &case("recibo-whatsapp.jpg")),
        ("malo.pdf", b"%PDF-1.5"),
    ]);
    let mut remaining = None;
    for seen in [2, 3] {
        let answer = send(&gateway, &key, PDF, files.clone()).await;
        assert_eq!(answer.headers()["x-seal"], "invalid");
        let now = left(&answer, "minute");
        assert_eq!(remaining.replace(now), Some(now + 1).filter(|_| seen == 3));
        let answer = json_of(answer, 200).await;
        // The XML and the PDF of one payment are shown once.
        let told = ["/nombre", "/resultado", "/visto/veces"];
        let proofs = members(&answer["comprobantes"], told);
        let expected = json!([
            ["pagos/CEP.xml", "valid", seen],
            ["pagos/CEP.pdf", "valid", seen],
            ["pagos/falso", "invalid", seen],
        ]);
        assert_eq!(proofs, expected);
        let omitted = members(&answer["omitidos"], ["/nombre", "/motivo", "/resultado"]);
        let expected = json!([
            ["foto.jpg", "es_imagen", null],
            ["malo.pdf", "pdf_danado", "invalid"],
        ]);
        assert_eq!(omitted, expected);
    }
}

/// These members of each item of a list; null where there is none.
fn members(list: &Value, names: [&str; 3]) -> Value {
    let of_item = |item: &Value| json!(names.map(|name| item.pointer(name)));
    list.as_array().unwrap().iter().map(of_item).collect()
}

#[tokio::test]
async fn an_altered_file_in_a_zip_counts_in_the_total() {
    let (gateway, key) = Gateway::with_key();
    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let unreadable = with_amount(&good, "$9,999.00");
    let photo = case("recibo-whatsapp.jpg");
    for (name, other, total, omitted) in [
        ("2.jpg", photo.as_slice(), "valid", json!(null)),
        ("2.xml", &photo, "invalid", json!("invalid")),
        ("2.xml", unreadable.as_bytes(), "invalid", json!("invalid")),
    ] {
        let files = zip(&[("1.xml", good.as_bytes()), (name, other)]);
        let answer = send(&gateway, &key, ZIP, files).await;
        assert_eq!(answer.headers()["x-seal"], total);
        let answer = json_of(answer, 200).await;
        assert_eq!(answer["resultado"], total, "{answer}");
        assert_eq!(answer["comprobantes"][0]["resultado"], "valid", "{answer}");
        assert_eq!(answer["omitidos"][0]["resultado"], omitted, "{answer}");
    }
}

#[tokio::test]
async fn a_zip_is_compared_with_the_bank_when_it_is_of_one_payment() {
    let (gateway, key) = Gateway::with_key();
    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let page = pdf(&gateway, &key, 1).await;
    let other = xml(&gateway, &key, 2, "77.00").await;
    let one_payment = zip(&[("1.xml", good.as_bytes()), ("1.pdf", &page)]);
    let answer = verified(&gateway, &key, ("?portal=true", ZIP.1), one_payment).await;
    for proof in answer["comprobantes"].as_array().unwrap() {
        assert_eq!(check(proof, "portal")[0], "ok", "{answer}");
        assert_eq!(notices(proof), [COMPARED]);
    }
    let several = zip(&[("1.xml", good.as_bytes()), ("2.xml", other.as_bytes())]);
    let answer = verified(&gateway, &key, ("?portal=true", ZIP.1), several).await;
    for proof in answer["comprobantes"].as_array().unwrap() {
        let several = not_checked("varios_pagos_en_zip");
        assert_eq!(check(proof, "portal"), several);
        assert_eq!(notices(proof), [NOT_COMPARED]);
    }
}

#[tokio::test]
async fn a_zip_without_a_proof_is_refused_with_what_it_holds() {
    let (gateway, key) = Gateway::with_key();
    let invoice = case("factura-cfdi.xml");
    let nested = zip(&[("CEP.xml", b"<a/>")]);
    let office = ("[Content_Types].xml", &b"<Types/>"[..]);
    let (invoice, nested) = (("a.xml", &*invoice), ("otro.zip", &*nested));
    for (files, reason) in [
        (zip(&[invoice]), "es_factura"),
        (zip(&[invoice, ("b", b"hola")]), "zip_sin_comprobantes"),
        (zip(&[office]), "es_documento_de_office"),
        (zip(&[nested]), "zip_en_zip"),
        (zip(&[]), "zip_sin_comprobantes"),
        (b"PK\x03\x04 cut off".to_vec(), "zip_danado"),
    ] {
        let answer = send(&gateway, &key, ZIP, files).await;
        let body = json_of(answer, 400).await;
        assert_eq!(refused(&body), reason, "{body}");
    }
}
