//! Rows of a batch as a workbook: the caller's own columns, and what became of each row.

use std::io;

use application::RowView;
use bytes::Bytes;
use chrono::NaiveDate;
use domain::batches::RowState;
use domain::batches::sheet::{Column, OwnColumn, OwnValue, without_guard};
use domain::proofs::ProofField;
use domain::seals::SealVerdict;
use web::Language;
use web::problem::ResultWord;
use zip::result::ZipError;

use super::csv::{self, CsvColumn};
use super::result_row::ResultRow;
use super::xlsx_stream::{Style, Value, XlsxStream};

/// A column that people read: its heading, its width in characters, and the value in a row.
type ResultColumn = (ResultWord, u16, fn(&ResultRow<'_>) -> Value);

const RESULTS: [ResultColumn; 14] = [
    (ResultWord::State, 20, |it| Value::Text(it.state())),
    (ResultWord::Explanation, 60, |it| {
        Value::Text(it.explanation())
    }),
    (ResultWord::WhatToDo, 60, |it| Value::Text(it.next_step())),
    (ResultWord::Seal, 14, |it| Value::Text(it.seal())),
    (ResultWord::CreditDate, 14, |it| {
        of_date(it, ProofField::CreditDate)
    }),
    (ResultWord::CreditTime, 12, |it| {
        of_text(it, ProofField::CreditTime)
    }),
    (ResultWord::Payer, 30, |it| {
        of_text(it, ProofField::PayerName)
    }),
    (ResultWord::PayerTaxId, 20, |it| {
        of_text(it, ProofField::PayerTaxId)
    }),
    (ResultWord::Payee, 30, |it| {
        of_text(it, ProofField::BeneficiaryName)
    }),
    (ResultWord::PayeeTaxId, 20, |it| {
        of_text(it, ProofField::BeneficiaryTaxId)
    }),
    (ResultWord::PayeeAccount, 22, |it| {
        of_text(it, ProofField::BeneficiaryAccount)
    }),
    (ResultWord::Concept, 30, |it| {
        of_text(it, ProofField::Concept)
    }),
    (ResultWord::Issuer, 20, |it| {
        of_text(it, ProofField::IssuerName)
    }),
    (ResultWord::Receiver, 20, |it| {
        of_text(it, ProofField::ReceiverName)
    }),
];

/// Columns for programs, which stand at the end with the names that they have as CSV.
const CODES: [&str; 22] = [
    "fila",
    "linea",
    "estado_codigo",
    "motivo",
    "duplicado_de",
    "estado_del_pago_codigo",
    "emisor",
    "receptor",
    "emisor_inferido",
    "receptor_inferido",
    "consulta",
    "origen",
    "sello_codigo",
    "avisos",
    "visto_veces",
    "visto_primera_vez",
    "fecha_operacion",
    "errores_codigos",
    "pistas_codigos",
    "candidatas",
    "clave_del_cep",
    "cuentas_propias",
];

/// A workbook of results that is being written.
pub(super) struct ResultsWorkbook {
    sheet: XlsxStream,
    own: Vec<OwnColumn>,
    codes: Vec<CsvColumn>,
    /// The columns of the API, with what was asked, follow the caller's: the headers of those alone don't tell.
    has_columns_of_api: bool,
    language: Language,
    /// Address of the dashboard, for links to the proofs.
    dashboard: Option<String>,
}

/// Language of the words, and address of the dashboard; `None` without one.
pub(super) type WorkbookOptions = (Language, Option<String>);

impl ResultsWorkbook {
    pub(super) fn new(
        own: &[OwnColumn],
        (language, dashboard): WorkbookOptions,
    ) -> Result<Self, ZipError> {
        let has_columns_of_api = !OwnColumn::are_found_again(own);
        let headers: Vec<_> = headers(own, has_columns_of_api, language).collect();
        Ok(Self {
            sheet: XlsxStream::new(&headers)?,
            own: own.to_vec(),
            codes: csv::columns(&CODES).collect(),
            has_columns_of_api,
            language,
            dashboard,
        })
    }

    pub(super) fn add(&mut self, row: &RowView) -> io::Result<()> {
        let result = ResultRow::new(row, self.language);
        let own = (0..self.own.len()).map(|index| own_value(&self.own, index, &result));
        let asked = Column::ALL.into_iter().filter(|_| self.has_columns_of_api);
        let asked = asked.map(|column| plain(asked_value(column, &result)));
        let results = RESULTS.iter().map(|(word, _, value)| {
            let value = value(&result);
            match word {
                ResultWord::State => (value, style_of_state(&result)),
                _ => plain(value),
            }
        });
        let link = plain(self.link(&result));
        let codes = self.codes.iter().map(|(_, value)| {
            let text = value(&result);
            plain(Value::Text(without_guard(&text).to_owned()))
        });
        let cells: Vec<_> = own
            .chain(asked)
            .chain(results)
            .chain([link])
            .chain(codes)
            .collect();
        self.sheet.add(cells)
    }

    /// Link to the page of the row's lookup.
    fn link(&self, result: &ResultRow<'_>) -> Value {
        let id = result.lookup_id();
        match &self.dashboard {
            Some(dashboard) if !id.is_empty() => Value::Link(
                format!("{dashboard}/lookups/{id}"),
                ResultWord::Open.text(self.language),
            ),
            _ => Value::Text(String::new()),
        }
    }

    /// Takes the bytes since the last call.
    pub(super) fn take(&self) -> Bytes {
        self.sheet.take()
    }

    /// The last bytes of the file.
    pub(super) fn finish(self) -> Result<Bytes, ZipError> {
        self.sheet.finish()
    }
}

/// All headers, each with the width of its column in characters.
fn headers(
    own: &[OwnColumn],
    has_columns_of_api: bool,
    language: Language,
) -> impl Iterator<Item = (String, u16)> {
    const OWN: u16 = 18;
    const OF_API: u16 = 28;
    const CODE: u16 = 14;
    let names = Column::ALL.map(Column::name);
    let words = RESULTS.map(|(word, ..)| word.text(language));
    let own = own.iter().map(move |place| {
        // Nobody takes a column of the caller's for one of the results.
        let text = place.header.trim();
        let is_of_results = CODES.contains(&text) || words.iter().any(|word| word == text);
        // Of a value that stands in both, the column with the API's name counts.
        let is_of_api = has_columns_of_api && (place.column.is_some() || names.contains(&text));
        let header = if place.column.is_none() && is_of_results || is_of_api {
            format!("{text} (original)").trim().to_owned()
        } else {
            place.header.clone()
        };
        let holds_digits = matches!(place.column, Some(Column::Account | Column::TrackingKey));
        (header, if holds_digits { OF_API } else { OWN })
    });
    let of_api = names.into_iter().filter(move |_| has_columns_of_api);
    let of_api = of_api.map(|name| (name.to_owned(), OF_API));
    let results = RESULTS
        .iter()
        .map(move |(word, width, _)| (word.text(language), *width));
    let link = std::iter::once((ResultWord::Link.text(language), CODE));
    let codes = csv::columns(&CODES).map(|(name, _)| (name.to_owned(), CODE));
    own.chain(of_api).chain(results).chain(link).chain(codes)
}

/// The value of one of the caller's columns: as it was read where it is a date, an amount, or digits that are no
/// number, and as it came otherwise.
fn own_value(own: &[OwnColumn], index: usize, result: &ResultRow<'_>) -> (Value, Style) {
    let cell = result.row.cells.get(index).map_or("", String::as_str);
    let column = own.get(index).and_then(|place| place.column);
    match (column, result.query()) {
        (Some(column @ (Column::Date | Column::Amount)), Some(_)) => {
            plain(asked_value(column, result))
        }
        (
            Some(
                Column::TrackingKey
                | Column::Reference
                | Column::Account
                | Column::Issuer
                | Column::Receiver
                | Column::Id,
            ),
            _,
        ) => plain(Value::Text(without_guard(cell.trim()).to_owned())),
        _ => match OwnValue::of(cell) {
            OwnValue::Empty => plain(Value::Text(String::new())),
            OwnValue::Text(text) => plain(Value::Text(text.to_owned())),
            OwnValue::Number(number) => (Value::Number(number), style_of_number(column)),
            OwnValue::Date(date) => plain(Value::Date(date)),
        },
    }
}

fn style_of_number(column: Option<Column>) -> Style {
    match column {
        Some(Column::Amount | Column::Charge | Column::Credit) => Style::Amount,
        _ => Style::General,
    }
}

/// A value of the question; of a faulty row, as it came.
fn asked_value(column: Column, result: &ResultRow<'_>) -> Value {
    match (column, result.query()) {
        (Column::Date, Some(query)) => Value::Date(query.date),
        (Column::Amount, Some(query)) => {
            let pesos = query.amount.to_string().parse();
            pesos.map_or_else(|_| Value::Text(query.amount.to_string()), Value::Number)
        }
        _ => Value::Text(result.asked(column)),
    }
}

fn of_text(result: &ResultRow<'_>, field: ProofField) -> Value {
    Value::Text(result.of_proof(field))
}

fn of_date(result: &ResultRow<'_>, field: ProofField) -> Value {
    let text = result.of_proof(field);
    let date = NaiveDate::parse_from_str(&text, "%Y-%m-%d");
    date.map_or(Value::Text(text), Value::Date)
}

/// The style of a row's state. Only a proof with a valid seal is good.
fn style_of_state(result: &ResultRow<'_>) -> Style {
    match (result.row_state(), result.verdict()) {
        (RowState::Delivered, Some(SealVerdict::Valid)) => Style::Good,
        (RowState::Delivered, Some(SealVerdict::Invalid))
        | (RowState::Faulty | RowState::NotFound | RowState::Failed | RowState::Expired, _) => {
            Style::Bad
        }
        (RowState::Delivered | RowState::Ambiguous | RowState::Waiting, _) => Style::Doubtful,
        _ => Style::Text,
    }
}

/// A value in its usual style.
fn plain(value: Value) -> (Value, Style) {
    let style = match &value {
        Value::Text(_) => Style::Text,
        Value::Number(_) => Style::Amount,
        Value::Date(_) => Style::Date,
        Value::Link(..) => Style::Link,
    };
    (value, style)
}
