//! Proofs checked on the command line, without a server.

use std::fs;
use std::path::Path;
use std::process::Output;

use reqwest::StatusCode;

use crate::gateway::{Gateway, Key, command, request};

/// Checks files in a folder of its own; returns the status and what was printed.
fn verify(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(folder)
        .arg("verify")
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    (status.code().unwrap(), text)
}

async fn proof(gateway: &Gateway, key: &Key, format: &str, amount: &str) -> Vec<u8> {
    let answer = gateway.post(format, key, &request(1, amount)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    answer.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn files_are_checked_without_a_server_and_the_status_tells_the_result() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let xml = proof(&gateway, &key, "xml", "1234.56").await;
    let good = write("good.xml", &xml);
    let page = write("good.pdf", &proof(&gateway, &key, "pdf", "1234.56").await);
    let bad = write("bad.xml", &proof(&gateway, &key, "xml", "600.00").await);
    let unknown = write("unknown.xml", &proof(&gateway, &key, "xml", "600.01").await);
    let shown = r#"MontoPago="1234.56""#;
    let text = String::from_utf8(xml).unwrap();
    assert!(text.contains(shown), "{text}");
    let forged = text.replace(shown, r#"MontoPago="9234.56""#);
    let forged = write("forged.xml", forged.as_bytes());
    let folder = folder.path();

    for file in [&good, &page] {
        let (status, said) = verify(folder, &["--sandbox", file]);
        assert_eq!(status, 0, "{said}");
        assert!(said.starts_with(&format!("{file}: valid\n")), "{said}");
        assert!(said.contains("proves nothing"), "{said}");
        assert!(said.contains("No seal covers the tracking key"), "{said}");
        // The sandbox's key is published: nobody may take its proofs for a bank's.
        let (status, said) = verify(folder, &[file]);
        assert_eq!(status, 3, "{said}");
        assert!(said.starts_with(&format!("{file}: sandbox\n")), "{said}");
        assert!(said.contains("proves nothing"), "{said}");
    }
    let (status, said) = verify(folder, &[&forged]);
    assert_eq!(status, 1, "{said}");
    let (status, said) = verify(folder, &[&unknown]);
    assert_eq!(status, 2, "{said}");
    assert!(!said.contains("sandbox"), "{said}");
    let (status, said) = verify(folder, &["--sandbox", &bad]);
    assert_eq!(status, 1, "{said}");
    let (status, said) = verify(folder, &["--sandbox", &unknown]);
    assert_eq!(status, 2, "{said}");
    let (status, said) = verify(folder, &["--sandbox", &forged]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("atributos_y_cadena  failed"), "{said}");
    assert!(said.contains("(monto)"), "{said}");
    // One invalid file is worse than one that could not be checked.
    let missing = folder.join("missing.xml");
    let missing = missing.to_str().unwrap();
    let (status, said) = verify(folder, &["--sandbox", &good, missing, &forged, &unknown]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains(&format!("reading {missing}")), "{said}");
    let (status, said) = verify(folder, &["--sandbox", &good, &unknown, missing]);
    assert_eq!(status, 66, "{said}");
    let (status, said) = verify(folder, &["--sanbox", &good]);
    assert_eq!(status, 64, "{said}");
    let (status, said) = verify(folder, &[]);
    assert_eq!(status, 64, "{said}");
    let (status, said) = verify(folder, &["--help"]);
    assert_eq!(status, 0, "{said}");
    let (status, said) = verify(folder, &["--database-url", "sqlite:///nowhere/x.db", &good]);
    assert_eq!(status, 69, "{said}");
}

/// A file of `tests/cases`.
fn case(name: &str) -> String {
    format!("{}/tests/cases/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn other_files_are_told_to_be_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for (file, told) in [
        ("factura-cfdi.xml", "an invoice (CFDI), not a CEP"),
        ("recibo-whatsapp.jpg", "a picture proves nothing"),
    ] {
        let (status, said) = verify(folder.path(), &[&case(file)]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains(told), "{said}");
    }
    let zip = case("cep-de-cliente.zip");
    let (status, said) = verify(folder.path(), &[&zip]);
    assert_eq!(status, 3, "{said}");
    assert!(
        said.starts_with(&format!("{zip}/CEP.xml: sandbox\n")),
        "{said}"
    );
    let (status, said) = verify(folder.path(), &["--sandbox", &zip]);
    assert_eq!(status, 0, "{said}");
}

#[test]
fn a_name_moves_no_cursor_and_a_zip_is_told_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a\n\u{1b}[2J.pdf");
    fs::copy(case("cep-de-cliente.zip"), &path).unwrap();
    let (_, said) = verify(folder.path(), &["--sandbox", path.to_str().unwrap()]);
    let shown = folder.path().join("a\u{FFFD}\u{FFFD}[2J.pdf");
    let shown = shown.display();
    assert!(
        said.starts_with(&format!("{shown}: a ZIP, whatever its name says.")),
        "{said}"
    );
    assert!(
        said.contains(&format!("\n{shown}/CEP.xml: valid\n")),
        "{said}"
    );
    let missing = folder.path().join("\u{1b}[2J.xml");
    let (status, said) = verify(folder.path(), &[missing.to_str().unwrap()]);
    assert_eq!(status, 66, "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn a_page_that_a_viewer_may_show_another_way_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let forged = case("forged-stroke-slant.pdf");
    let (status, said) = verify(folder.path(), &["--sandbox", &forged]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("pagina              no_comparada"), "{said}");
    assert!(said.contains("Read the sealed data"), "{said}");
    let (status, said) = verify(folder.path(), &[&case("comprobante-del-banco.pdf")]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("the receipt that a bank gives"), "{said}");
}
