//! Proofs checked on the command line, without a server.

use std::fs;
use std::path::Path;

use crate::file_checks::{pdf, xml};
use crate::gateway::{Gateway, command};

/// Checks files in a folder of its own; returns the status and what was printed.
fn verify(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut verify = command(folder);
    let ended = verify.arg("verify").args(arguments).output().unwrap();
    let said = String::from_utf8([ended.stdout, ended.stderr].concat());
    (ended.status.code().unwrap(), said.unwrap())
}

#[tokio::test]
async fn files_are_checked_without_a_server_and_the_status_tells_the_result() {
    let (gateway, key) = Gateway::with_key();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let sent = xml(&gateway, &key, 1, "1234.56").await;
    let good = write("good.xml", sent.as_bytes());
    let page = write("good.pdf", &pdf(&gateway, &key, 1).await);
    let bad = xml(&gateway, &key, 1, "600.00").await;
    let bad = write("bad.xml", bad.as_bytes());
    let unknown = xml(&gateway, &key, 1, "600.01").await;
    let unknown = write("unknown.xml", unknown.as_bytes());
    let forged = sent.replace(r#"MontoPago="1234.56""#, r#"MontoPago="9234.56""#);
    assert_ne!(forged, sent);
    let forged = write("forged.xml", forged.as_bytes());
    let folder = folder.path();

    for file in [&good, &page] {
        // The sandbox's key is published: nobody may take its proofs for a bank's.
        for (arguments, expected, result) in [
            (vec!["--sandbox", file], 0, "valid"),
            (vec![&**file], 3, "sandbox"),
        ] {
            let (status, said) = verify(folder, &arguments);
            assert_eq!(status, expected, "{said}");
            assert!(said.starts_with(&format!("{file}: {result}\n")), "{said}");
            assert!(said.contains("proves nothing"), "{said}");
            assert!(said.contains("No seal covers the tracking key"), "{said}");
        }
    }
    let missing = folder.join("missing.xml");
    let missing = missing.to_str().unwrap();
    let failed = "atributos_y_cadena  failed";
    let not_read = format!("reading {missing}");
    for (arguments, expected, words) in [
        (&[&*forged][..], 1, ""),
        (&[&unknown], 2, ""),
        (&["--sandbox", &bad], 1, ""),
        (&["--sandbox", &unknown], 2, ""),
        (&["--sandbox", &forged], 1, failed),
        (&["--sandbox", &forged], 1, "(monto)"),
        // One invalid file is worse than one that could not be checked.
        (
            &["--sandbox", &good, missing, &forged, &unknown],
            1,
            &not_read,
        ),
        (&["--sandbox", &good, &unknown, missing], 66, ""),
        (&["--sanbox", &good], 64, ""),
        (&[], 64, ""),
        (&["--help"], 0, ""),
        (&["--database-url", "sqlite:///nowhere/x.db", &good], 69, ""),
    ] {
        let (status, said) = verify(folder, arguments);
        assert_eq!(status, expected, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let (_, said) = verify(folder, &[&unknown]);
    assert!(!said.contains("sandbox"), "{said}");
}

/// A file of `tests/cases`.
fn case(name: &str) -> String {
    format!("{}/tests/cases/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn files_of_other_kinds_and_uncompared_pages_are_told_to_be_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let zip = case("cep-de-cliente.zip");
    let zipped = format!("{zip}/CEP.xml: sandbox\n");
    let (status, said) = verify(folder.path(), &[&zip]);
    assert_eq!(status, 3, "{said}");
    assert!(said.starts_with(&zipped), "{said}");
    let forged = case("forged-stroke-slant.pdf");
    let uncompared = "pagina              no_comparada";
    for (arguments, expected, told) in [
        (
            &[&*case("factura-cfdi.xml")][..],
            1,
            "an invoice (CFDI), not a CEP",
        ),
        (
            &[&case("recibo-whatsapp.jpg")],
            1,
            "a picture proves nothing",
        ),
        (&["--sandbox", &zip], 0, ""),
        (&["--sandbox", &forged], 2, uncompared),
        (&["--sandbox", &forged], 2, "Read the sealed data"),
        (
            &[&case("comprobante-del-banco.pdf")],
            1,
            "the receipt that a bank gives",
        ),
    ] {
        let (status, said) = verify(folder.path(), arguments);
        assert_eq!(status, expected, "{said}");
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn a_name_moves_no_cursor_and_a_zip_is_told_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a\n\u{1b}[2J.pdf");
    fs::copy(case("cep-de-cliente.zip"), &path).unwrap();
    let (_, said) = verify(folder.path(), &["--sandbox", path.to_str().unwrap()]);
    let shown = folder.path().join("a\u{FFFD}\u{FFFD}[2J.pdf");
    let shown = shown.display();
    let zip = format!("{shown}: a ZIP, whatever its name says.");
    assert!(said.starts_with(&zip), "{said}");
    let proof = format!("\n{shown}/CEP.xml: valid\n");
    assert!(said.contains(&proof), "{said}");
    let missing = folder.path().join("\u{1b}[2J.xml");
    let (status, said) = verify(folder.path(), &[missing.to_str().unwrap()]);
    assert_eq!(status, 66, "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}
