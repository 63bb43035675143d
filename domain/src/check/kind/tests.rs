use proptest::prelude::*;
use rstest::rstest;

use super::*;
use CheckReason::{
    Email, Empty, Form, Invoice, Json, OfficeDocument, OtherArchive, Picture, PlainText,
    UnknownFormat, WebPage,
};
use FileKind::{Other, Proof, Zip};
use Format::{Pdf, Xml};

const CFDI: &[u8] = br#"<?xml version="1.0"?><!-- factura -->
    <cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0"/>"#;

/// A ZIP's first bytes, its directory with one file of this name, and its end.
fn zip_of(name: &[u8]) -> Vec<u8> {
    let mut entry = b"PK\x01\x02".to_vec();
    entry.resize(46, 0);
    entry[28] = u8::try_from(name.len()).unwrap();
    let mut end = b"PK\x05\x06".to_vec();
    end.resize(22, 0);
    end[16] = 4;
    [b"PK\x03\x04", &entry[..], name, &end].concat()
}

#[rstest]
#[case::xml(b"<SPEI_Tercero/>", Proof(Xml))]
#[case::xml_after_a_mark_and_blanks(b"\xef\xbb\xbf \r\n<?xml version='1.0'?><a/>", Proof(Xml))]
#[case::xml_in_utf_16(b"\xff\xfe<\0a\0", Proof(Xml))]
#[case::xml_with_a_document_type(b"<!DOCTYPE a><SPEI_Tercero/>", Proof(Xml))]
#[case::another_comprobante(b"<Comprobante/>", Proof(Xml))]
#[case::pdf(b"%PDF-1.5", Proof(Pdf))]
#[case::pdf_after_what_a_program_put_before_it(b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.5", Proof(Pdf))]
#[case::pdf_that_begins_as_a_picture(b"GIF89a\n%PDF-1.5", Proof(Pdf))]
#[case::pdf_that_begins_as_a_page(b"<html><!--\n%PDF-1.5", Proof(Pdf))]
#[case::pdf_that_begins_as_a_proof(b"<SPEI_Tercero/><!--%PDF-1.5-->", Proof(Pdf))]
#[case::pdf_in_a_document_of_office(
    b"PK\x03\x04 application/vnd.oasis.opendocument %PDF-1.5",
    Proof(Pdf)
)]
#[case::objects_behind_another_header(b"%pdf-1.5\n1 0 obj<<>>endobj 2 0\tobj[]endobj", Proof(Pdf))]
#[case::objects_in_words(b"<SPEI_Tercero a='Pago de 1 objeto, 1obj 2obj obj'/>", Proof(Xml))]
#[case::zip(b"PK\x03\x04CEP.xml", Zip)]
#[case::empty_zip(b"PK\x05\x06", Zip)]
#[case::invoice(CFDI, Other(Invoice))]
#[case::png(b"\x89PNG\r\n\x1a\n", Other(Picture))]
#[case::jpeg(b"\xff\xd8\xff\xe0", Other(Picture))]
#[case::webp(b"RIFF\x10\0\0\0WEBPVP8 ", Other(Picture))]
#[case::gif(b"GIF89a", Other(Picture))]
#[case::heic(b"\0\0\0\x18ftypheic", Other(Picture))]
#[case::tiff(b"II*\0", Other(Picture))]
#[case::bitmap(b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", Other(Picture))]
#[case::svg(b"<svg xmlns='http://www.w3.org/2000/svg'/>", Other(Picture))]
#[case::empty(b"", Other(Empty))]
#[case::blanks(b"\xef\xbb\xbf \r\n\t", Other(Empty))]
#[case::page(b"<!DOCTYPE html>\n<html lang=es>", Other(WebPage))]
#[case::page_behind_a_comment(b"<!-- a > b --><html>", Other(WebPage))]
#[case::page_without_a_root(b"<!doctype HTML>", Other(WebPage))]
#[case::word(&zip_of(b"[Content_Types].xml"), Other(OfficeDocument))]
#[case::zip_of_a_proof(&zip_of(b"CEP.xml"), Zip)]
#[case::zip_of_a_workbook(&[b"PK\x03\x04", &zip_of(b"[Content_Types].xml")[..], &zip_of(b"libro.xlsx")].concat(), Zip)]
#[case::old_word(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Other(OfficeDocument))]
#[case::libre_office(
    b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.text",
    Other(OfficeDocument)
)]
#[case::rar(b"Rar!\x1a\x07\0", Other(OtherArchive))]
#[case::mail(
    b"Delivered-To: a@example.org\r\nFrom: b@example.org\r\nSubject: CEP\r\n\r\nhola",
    Other(Email)
)]
#[case::mail_from_its_subject(b"Subject: CEP\nFrom: b@example.org\n\nhola", Other(Email))]
#[case::json(b" {\"ok\": true}", Other(Json))]
#[case::form(
    b"--X\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n<SPEI_Tercero/>",
    Other(Form)
)]
#[case::form_of_a_pdf(
    b"--X\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n%PDF-1.5\0",
    Other(Form)
)]
#[case::text(b"Clave de rastreo: MBAN01002611200001234567", Other(PlainText))]
#[case::text_after_dashes(b"-- nota\n", Other(PlainText))]
#[case::text_about_forms(b"Content-Disposition: form-data", Other(PlainText))]
#[case::a_subject_alone(b"Subject: CEP\n", Other(PlainText))]
#[case::a_sender_alone(b"Nota\nFrom: b@example.org\n", Other(PlainText))]
#[case::program(b"MZ\x90\0", Other(UnknownFormat))]
#[case::anything(b"\x01\x02\x03", Other(UnknownFormat))]
fn the_bytes_of_a_file_tell_its_kind(#[case] file: &[u8], #[case] kind: FileKind) {
    assert_eq!(FileKind::of(file), kind);
}

#[test]
fn the_directory_of_a_long_zip_is_found() {
    let name = b"[Content_Types].xml";
    let mut zip = zip_of(name);
    // What stands before the directory makes its place 0x0001_0004.
    zip.splice(4..4, vec![0; 0x1_0000]);
    let end = zip.len() - 22;
    zip[end + 18] = 1;
    let document = Other(OfficeDocument);
    assert_eq!(FileKind::of(&zip), document);
}

#[test]
fn a_file_behind_further_fields_and_a_comment_is_found() {
    let mut zip = zip_of(b"a");
    // Three bytes of further fields and two of a comment behind the first name, then the second file.
    (zip[4 + 30], zip[4 + 32]) = (3, 2);
    let second = zip_of(b"[Content_Types].xml");
    let place = 4 + 46 + 1;
    let behind = [&[0; 5], &second[4..second.len() - 22]].concat();
    zip.splice(place..place, behind);
    let document = Other(OfficeDocument);
    assert_eq!(FileKind::of(&zip), document);
}

proptest! {
    #[test]
    fn any_bytes_have_a_kind_and_a_proof_keeps_its_own_whatever_stands_behind_it(bytes: Vec<u8>) {
        let _ = FileKind::of(&bytes);
        let behind = |start: &[u8]| [start, &bytes].concat();
        prop_assert_eq!(FileKind::of(&behind(b"%PDF-1.5\n")), Proof(Pdf));
        prop_assert_eq!(FileKind::of(&behind(b"<SPEI_Tercero ")), Proof(Xml));
    }
}
