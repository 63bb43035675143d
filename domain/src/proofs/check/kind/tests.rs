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
#[case::xml(Proof(Xml), &[&b"<SPEI_Tercero/>"[..], b"<Comprobante/>", b"\xff\xfe<\0a\0"])]
#[case::xml_after_a_mark_and_blanks(Proof(Xml), &[&b"\xef\xbb\xbf \r\n<?xml version='1.0'?><a/>"[..]])]
#[case::xml_with_a_document_type(Proof(Xml), &[&b"<!DOCTYPE a><SPEI_Tercero/>"[..]])]
#[case::pdf(Proof(Pdf), &[&b"%PDF-1.5"[..]])]
#[case::pdf_after_what_a_program_put_before_it(Proof(Pdf), &[&b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.5"[..]])]
#[case::pdf_that_begins_as_a_picture(Proof(Pdf), &[&b"GIF89a\n%PDF-1.5"[..]])]
#[case::pdf_that_begins_as_a_page(Proof(Pdf), &[&b"<html><!--\n%PDF-1.5"[..]])]
#[case::pdf_that_begins_as_a_proof(Proof(Pdf), &[&b"<SPEI_Tercero/><!--%PDF-1.5-->"[..]])]
#[case::pdf_in_a_document(Proof(Pdf), &[&b"PK\x03\x04 application/vnd.oasis.opendocument %PDF-1.5"[..]])]
#[case::objects_behind_another_header(Proof(Pdf), &[&b"%pdf-1.5\n1 0 obj<<>>endobj 2 0\tobj[]endobj"[..]])]
#[case::objects_in_words(Proof(Xml), &[&b"<SPEI_Tercero a='Pago de 1 objeto, 1obj 2obj obj'/>"[..]])]
#[case::zip(Zip, &[&b"PK\x03\x04CEP.xml"[..], b"PK\x05\x06"])]
#[case::invoice(Other(Invoice), &[CFDI])]
#[case::png_or_jpeg(Other(Picture), &[&b"\x89PNG\r\n\x1a\n"[..], b"\xff\xd8\xff\xe0"])]
#[case::webp(Other(Picture), &[&b"RIFF\x10\0\0\0WEBPVP8 "[..]])]
#[case::gif_heic_or_tiff(Other(Picture), &[&b"GIF89a"[..], b"\0\0\0\x18ftypheic", b"II*\0"])]
#[case::bitmap(Other(Picture), &[&b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"[..]])]
#[case::svg(Other(Picture), &[&b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..]])]
#[case::empty_or_blank(Other(Empty), &[&b""[..], b"\xef\xbb\xbf \r\n\t"])]
#[case::page(Other(WebPage), &[&b"<!DOCTYPE html>\n<html lang=es>"[..]])]
#[case::page_behind_a_comment_or_without_a_root(Other(WebPage), &[&b"<!-- a > b --><html>"[..], b"<!doctype HTML>"])]
#[case::word(Other(OfficeDocument), &[&zip_of(b"[Content_Types].xml")[..]])]
#[case::zip_of_a_proof(Zip, &[&zip_of(b"CEP.xml")[..]])]
#[case::zip_of_a_workbook(Zip, &[&[b"PK\x03\x04", &zip_of(b"[Content_Types].xml")[..], &zip_of(b"libro.xlsx")].concat()[..]])]
#[case::old_word(Other(OfficeDocument), &[&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..]])]
#[case::libre_office(Other(OfficeDocument), &[&b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.text"[..]])]
#[case::rar(Other(OtherArchive), &[&b"Rar!\x1a\x07\0"[..]])]
#[case::mail(Other(Email), &[&b"Delivered-To: a@example.org\r\nFrom: b@example.org\r\nSubject: CEP\r\n\r\nhola"[..]])]
#[case::mail_from_its_subject(Other(Email), &[&b"Subject: CEP\nFrom: b@example.org\n\nhola"[..]])]
#[case::json(Other(Json), &[&b" {\"ok\": true}"[..]])]
#[case::form(Other(Form), &[&b"--X\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n<SPEI_Tercero/>"[..]])]
#[case::form_of_a_pdf(Other(Form), &[&b"--X\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n%PDF-1.5\0"[..]])]
#[case::text(Other(PlainText), &[&b"Clave de rastreo: MBAN01002611200001234567"[..], b"-- nota\n"])]
#[case::text_about_forms(Other(PlainText), &[&b"Content-Disposition: form-data"[..]])]
#[case::a_subject_or_a_sender_alone(Other(PlainText), &[&b"Subject: CEP\n"[..], b"Nota\nFrom: b@example.org\n"])]
#[case::program_or_anything(Other(UnknownFormat), &[&b"MZ\x90\0"[..], b"\x01\x02\x03"])]
fn the_bytes_of_a_file_tell_its_kind(#[case] kind: FileKind, #[case] files: &[&[u8]]) {
    for file in files {
        assert_eq!(FileKind::of(file), kind, "{}", file.escape_ascii());
    }
}

#[test]
fn the_directory_of_a_long_zip_is_found() {
    let name = b"[Content_Types].xml";
    let mut zip = zip_of(name);
    // What stands before the directory makes its place 0x0001_0004.
    zip.splice(4..4, vec![0; 0x1_0000]);
    let end = zip.len() - 22;
    zip[end + 18] = 1;
    assert_eq!(FileKind::of(&zip), Other(OfficeDocument));
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
    assert_eq!(FileKind::of(&zip), Other(OfficeDocument));
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
