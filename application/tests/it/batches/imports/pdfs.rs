//! Imported PDFs, which are kept with the XML that they show.

use super::*;

const ALONE: FileUse = FileUse::Unused(UnusedReason::PdfAlone);

/// A batch of so many payments that keeps PDFs.
async fn with_pdfs(process: &Process, holder: &Holder, rows: u64) -> BatchId {
    let draft = BatchDraft {
        files: domain::proofs::file::RequestedFiles::Both,
        ..draft(ready(rows))
    };
    process.create_of(&access(holder), draft).await.id
}

/// The PDFs that the rows of a batch keep.
async fn kept_pdfs(process: &Process, holder: &Holder, id: BatchId) -> Vec<Option<Bytes>> {
    let rows = process.rows(holder, id, 0).await;
    let pdf = |outcome: &RowOutcome| match outcome {
        RowOutcome::Lookup(lookup) => match &lookup.delivery.as_ref()?.files {
            Files::Both { pdf, .. } => Some(pdf.clone()),
            Files::Xml(_) | Files::Pdf(_) => None,
        },
        _ => None,
    };
    rows.iter().map(|row| pdf(&row.outcome)).collect()
}

#[tokio::test]
async fn a_pdf_is_kept_with_the_xml_whose_chain_it_shows() {
    let (_world, process, holder) = start().await;
    let id = with_pdfs(&process, &holder, 3).await;
    let [first, second, third] = [0, 1, 2].map(|number| named_file(&payment(number)));
    let (of_first, of_second) = (plain_pdf(&first), plain_pdf(&second));
    let files = vec![of_second.clone(), first, second, of_first.clone(), third];
    let report = import(&process, &holder, id, files).await;
    assert_eq!(delivered(&report), [0, 1, 2]);
    assert_eq!(report.files[0], FileUse::Delivered(RowNumber(1)));
    let kept = kept_pdfs(&process, &holder, id).await;
    assert_eq!(kept, [Some(of_first), Some(of_second), None]);
}

#[tokio::test]
async fn a_pdf_that_agrees_with_no_delivered_xml_is_not_kept() {
    let (_world, process, holder) = start().await;
    let id = with_pdfs(&process, &holder, 2).await;
    let xml = named_file(&payment(0));
    let shown = String::from_utf8(plain_pdf(&xml).to_vec()).unwrap();
    let edited = |from, to| {
        let forged = shown.replacen(from, to, 1);
        assert_ne!(forged, shown);
        Bytes::from(forged)
    };
    let files = vec![
        xml.clone(),
        edited("|40002|", "|40012|"),
        // Beside the chain: the amount and the tracking key that people read.
        edited(" $ ", " $ 9"),
        edited(&payment(0).criterion.to_string(), OTHER_KEY),
        plain_pdf(&named_file(&payment(1))),
        Bytes::from_static(b"%PDF-1.4\nsomething else\n"),
        Bytes::from_static(b"<html>a page</html>"),
        plain_pdf(&xml),
        plain_pdf(&xml),
    ];
    let report = import(&process, &holder, id, files).await;
    assert_eq!(report.files[1..5], [ALONE; 4]);
    let neither = [UnusedReason::PdfUnreadable, UnusedReason::NotAProof];
    assert_eq!(report.files[5..7], neither.map(FileUse::Unused));
    assert_eq!(report.files[7], FileUse::Delivered(RowNumber(0)));
    assert_eq!(report.files[8], ALONE);
    let kept = kept_pdfs(&process, &holder, id).await;
    assert_eq!(kept, [Some(plain_pdf(&xml)), None]);
}

#[tokio::test]
async fn a_batch_of_xml_alone_keeps_no_pdf() {
    let (_world, process, holder) = start().await;
    let id = process.create(&holder, ready(1)).await;
    let xml = file(&payment(0));
    let files = vec![plain_pdf(&xml), xml];
    let report = import(&process, &holder, id, files).await;
    assert_eq!(report.files[0], FileUse::Unused(UnusedReason::PdfNotKept));
    assert_eq!(kept_pdfs(&process, &holder, id).await, [None]);
}
