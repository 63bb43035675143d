//! Files that are no proofs, and requests that are refused.

use super::*;

#[tokio::test]
async fn other_files_are_told_to_be_what_they_are() {
    let (gateway, key) = Gateway::with_key();
    let (invoice, photo) = ("factura-cfdi.xml", "recibo-whatsapp.jpg");
    let (xml, jpeg, pdf) = ("application/xml", "image/jpeg", "application/pdf");
    for (file, declared, reason, told) in [
        (invoice, xml, "es_factura", "factura (CFDI), no un CEP"),
        (photo, jpeg, "es_imagen", "no prueba nada"),
        (photo, pdf, "es_imagen", "clave de rastreo"),
    ] {
        let answer = send(&gateway, &key, ("", declared), case(file)).await;
        let body = json_of(answer, 400).await;
        assert_eq!(refused(&body), reason, "{body}");
        let message = body["details"]["file"]["message"].as_str().unwrap();
        assert!(message.contains(told), "{message}");
    }
}

/// A PDF of one page without text, as one made from a screenshot.
fn picture() -> Vec<u8> {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]/Resources<<>>/Contents 4 0 R>>",
        "<</Length 12>>stream\n0 0 9 9 re f\nendstream",
    ];
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let table = file.len();
    file.extend(b"xref\n0 5\n0000000000 65535 f \n");
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let end = format!("trailer<</Size 5/Root 1 0 R>>\nstartxref\n{table}\n%%EOF");
    file.extend(end.bytes());
    file
}

#[rstest]
#[case::json("", "application/json", b"{}".to_vec(), 400, "/details/file/message")]
#[case::empty("", "application/xml", Vec::new(), 400, "/details/reason")]
#[case::another_root("", "application/xml", b"<a/>".to_vec(), 400, "/details/file/message")]
#[case::a_cut_pdf("", "application/xml", b"%PDF-1.5".to_vec(), 400, "/details/file/problem")]
#[case::without_text("", "application/pdf", picture(), 400, "/details/file/problem")]
#[case::a_value("?portal=1", "application/xml", b"<a/>".to_vec(), 400, "/details/fields/0/field")]
#[case::a_name("?Portal=true", "application/xml", b"<a/>".to_vec(), 400, "/details/fields/0/field")]
#[case::too_large("", "application/pdf", vec![b' '; 1024 * 1024 + 1], 413, "/details/max_bytes")]
#[tokio::test]
async fn what_is_no_file_of_a_proof_is_refused_and_counted(
    #[case] query: &str,
    #[case] media_type: &str,
    #[case] file: Vec<u8>,
    #[case] status: u16,
    #[case] detail: &str,
) {
    let gateway = Gateway::start();
    let key = gateway.key(&["--per-minute", "3", "--no-cap"]);
    for remaining in [2, 1, 0] {
        let answer = send(&gateway, &key, (query, media_type), file.clone()).await;
        assert_eq!(left(&answer, "minute"), remaining);
        let body = json_of(answer, status).await;
        let code = match status {
            413 => "PAYLOAD_TOO_LARGE",
            _ => "INVALID_REQUEST",
        };
        assert_eq!(body["error"], code, "{body}");
        assert!(body.pointer(detail).is_some(), "{body}");
    }
    let answer = send(&gateway, &key, (query, media_type), file).await;
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_picture_is_told_to_be_one_in_the_language_of_the_caller() {
    let (gateway, key) = Gateway::with_key();
    for (language, words) in [("es", "no tiene texto"), ("en", "has no text")] {
        let request = gateway.keyed(Method::POST, "/v1/cep/verify", &key);
        let request = request.header("accept-language", language);
        let answer = request.body(picture()).send().await.unwrap();
        let body = json_of(answer, 400).await;
        assert_eq!(refused(&body), "pdf_sin_texto");
        let message = body["details"]["file"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
    }
}

#[tokio::test]
async fn a_key_is_needed_and_nothing_is_read_without_one() {
    let gateway = Gateway::start();
    let request = gateway.client.post(gateway.url("/v1/cep/verify"));
    let answer = request.body(picture()).send().await.unwrap();
    assert_eq!(json_of(answer, 401).await["error"], "INVALID_API_KEY");
}
