//! Workbooks as people's programs write them, and hostile ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Cursor, Write as _};
use std::path::Path;

use bytes::Bytes;
use domain::batches::sheet::{
    ChosenSheet, ColumnMapping, PassedOver, RowRules, Sheet, SheetRow, WorkbookCell, WorkbookError,
    WorkbookRow,
};
use domain::participants::Catalogue;
use ports::outbound::WorkbookReader as _;
use workbook_files::WorkbookFiles;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

mod hostile;
mod memory;
mod office;
mod programs;

fn written_by(program: &str) -> Bytes {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written_by");
    std::fs::read(folder.join(program)).unwrap().into()
}

/// The table of a workbook, with columns that are found by their headers.
fn choose(file: Bytes) -> Result<ChosenSheet, WorkbookError> {
    let mut workbook = WorkbookFiles.open(file)?;
    let names = workbook.sheets().to_vec();
    ChosenSheet::of(&names, None, &ColumnMapping::default(), |sheet| {
        workbook.rows(sheet)
    })
}

fn rules() -> RowRules<'static> {
    RowRules {
        today: "2026-11-27".parse().unwrap(),
        catalogue: Catalogue::embedded(),
        own_accounts: &[],
    }
}

fn payments(rows: &[WorkbookRow]) -> (Vec<SheetRow>, Vec<(u64, PassedOver)>) {
    payments_of(&Sheet::of_workbook(rows, &ColumnMapping::default()).unwrap())
}

/// The payments of a table, without its cells, which each format writes in its own way; and the rows that are passed
/// over.
fn payments_of(sheet: &Sheet<'_>) -> (Vec<SheetRow>, Vec<(u64, PassedOver)>) {
    let mut payments = sheet.rows(rules());
    let read = payments.by_ref().map(|row| SheetRow {
        cells: Vec::new(),
        ..row
    });
    (read.collect(), payments.passed_over().to_vec())
}

/// A ZIP of these parts.
fn zip(parts: &[(&str, &[u8])]) -> Bytes {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner().into()
}

const SPREADSHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// An XLSX of one sheet with this content, and these shared texts.
fn xlsx(sheet: &str, shared: &str) -> Bytes {
    let sheet = format!("<sheetData>{sheet}</sheetData>");
    let sheets = r#"<sheet name="Pagos" sheetId="1" r:id="rId1"/>"#;
    xlsx_of(sheets, &sheet, shared)
}

/// An XLSX with this list of sheets, this content of each, and these shared texts.
fn xlsx_of(sheets: &str, sheet: &str, shared: &str) -> Bytes {
    let workbook = format!(
        r#"<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}"><sheets>{sheets}</sheets></workbook>"#
    );
    let of_package = format!(
        r#"<Relationships xmlns="{RELATIONSHIPS}"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
    );
    let of_workbook = format!(
        r#"<Relationships xmlns="{RELATIONSHIPS}"><Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="{OFFICE}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>"#
    );
    let sheet = format!(r#"<worksheet xmlns="{SPREADSHEET}">{sheet}</worksheet>"#);
    let shared = format!(r#"<sst xmlns="{SPREADSHEET}">{shared}</sst>"#);
    zip(&[
        ("_rels/.rels", of_package.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", of_workbook.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", shared.as_bytes()),
    ])
}

/// An ODS with these rows.
fn ods(rows: &str) -> Bytes {
    let content = format!(
        "<?xml version='1.0'?><office:document-content xmlns:office='o' xmlns:table='t' xmlns:text='x'>\
         <office:body><office:spreadsheet><table:table table:name='Pagos'>{rows}</table:table>\
         </office:spreadsheet></office:body></office:document-content>"
    );
    zip(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("content.xml", content.as_bytes()),
    ])
}

fn text(text: &str) -> WorkbookCell {
    WorkbookCell::Text(text.to_owned())
}
