//! The paths: where each is read, and what it has to tell.

use std::collections::BTreeMap;
use std::io::{Cursor, read_to_string};

use domain::batches::sheet::{WorkbookCell, WorkbookRow};
use ports::outbound::WorkbookReader as _;
use serde_json::{Value, json};
use workbook_files::WorkbookFiles;
use zip::ZipArchive;

use super::told::{
    Told, of_graphql, of_graphql_row, of_line, of_lookup, of_message, of_page, of_row, of_workbook,
};
use super::{PATIENCE, Scene};
use crate::browser::Browser;
use crate::gateway::{eventually, soon};

/// A way by which the owner of a lookup hears of its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// `GET /v1/cep/lookups/{id}`.
    Lookup,
    /// A line of a batch's results, in JSON.
    Row,
    /// A line of a batch's results, in CSV.
    Csv,
    /// A row of the workbook of a batch's results.
    Workbook,
    /// A line of `resumen.csv` and the place of the row's file in a batch's ZIP.
    Zip,
    /// The message to a webhook.
    Webhook,
    /// GraphQL's lookup.
    GraphqlLookup,
    /// GraphQL's row of a batch.
    GraphqlRow,
    /// The page of a lookup.
    LookupPage,
    /// A row in the page of a batch.
    RowPage,
}

const NAMES: &[&str] = &["state", "reason", "seal"];
const ADVICE: &[&str] = &[
    "hints",
    "candidates",
    "what_to_do",
    "inferred.emisor",
    "inferred.receptor",
];
const CODE: &[&str] = &["payment.state"];
const WORD: &[&str] = &["payment.text"];
const TIMES: &[&str] = &["payment.received_at", "payment.processed_at"];

impl Path {
    pub(super) const ALL: [Self; 10] = [
        Self::Lookup,
        Self::Row,
        Self::Csv,
        Self::Workbook,
        Self::Zip,
        Self::Webhook,
        Self::GraphqlLookup,
        Self::GraphqlRow,
        Self::LookupPage,
        Self::RowPage,
    ];

    /// Facts that this path tells of a lookup.
    fn of_lookup(self) -> impl Iterator<Item = &'static str> {
        let lists: &[&[&str]] = match self {
            // For programs.
            Self::Lookup | Self::Row | Self::GraphqlLookup | Self::GraphqlRow => {
                &[NAMES, ADVICE, CODE, WORD, TIMES]
            }
            Self::Csv | Self::Workbook | Self::Zip => &[NAMES, ADVICE, CODE],
            // For people, to whom the bank's word is the state.
            Self::LookupPage => &[NAMES, ADVICE, WORD],
            // The banks stand in the row's lookup.
            Self::RowPage => &[NAMES, &["hints", "what_to_do"], WORD],
            // Without data of the payment.
            Self::Webhook => &[NAMES],
        };
        lists.iter().flat_map(|list| list.iter().copied())
    }

    /// Facts that this path tells of a question of which no lookup is made.
    fn of_refusal(self) -> &'static [&'static str] {
        match self {
            Self::Lookup => &["reason", "errors"],
            Self::Row
            | Self::Csv
            | Self::Workbook
            | Self::Zip
            | Self::GraphqlRow
            | Self::RowPage => &["errors"],
            Self::Webhook | Self::GraphqlLookup | Self::LookupPage => &[],
        }
    }

    /// Facts that the first told, and this path doesn't.
    pub(super) fn lacks(self, first: &Told, told: &Told) -> Vec<&'static str> {
        let facts: Vec<_> = if first.contains_key("state") {
            self.of_lookup().collect()
        } else {
            self.of_refusal().to_vec()
        };
        let is_lacking = |fact: &&'static str| {
            first.get(fact).is_some_and(|value| {
                let found = told.get(fact);
                !found.is_some_and(|found| says(fact, value, found))
            })
        };
        facts.into_iter().filter(is_lacking).collect()
    }
}

/// Returns `true` if a fact is told as it was first.
fn says(fact: &str, first: &str, told: &str) -> bool {
    match fact {
        "state" | "reason" | "seal" | "payment.state" => told == first,
        // Each transfer has its own.
        "payment.received_at" | "payment.processed_at" => !told.is_empty(),
        _ => first.lines().all(|line| told.contains(line)),
    }
}

/// Facts that the paths showed of all outcomes.
pub(super) struct Seen {
    lookups: Vec<Value>,
    rows: Vec<Value>,
    csv: Vec<BTreeMap<String, String>>,
    workbook: Vec<BTreeMap<String, String>>,
    summary: Vec<BTreeMap<String, String>>,
    /// Names of the files in the ZIP.
    files: Vec<String>,
    messages: Vec<Value>,
    graphql_rows: Vec<Value>,
    page_rows: Option<Vec<Value>>,
}

impl Seen {
    pub(super) async fn read(scene: &Scene, stored: &[Value], batch: &str) -> Self {
        let mut lookups = Vec::new();
        for answer in stored {
            lookups.push(match answer["id"].as_str() {
                Some(id) => scene.read(&format!("/v1/cep/lookups/{id}")).await,
                None => answer.clone(),
            });
        }
        let rows = scene.text(&format!("{batch}/results?format=ndjson")).await;
        let rows = String::from_utf8(rows).unwrap();
        let rows = rows.lines().map(|row| serde_json::from_str(row).unwrap());
        let csv = scene.text(&format!("{batch}/results?format=csv")).await;
        let workbook = scene.text(&format!("{batch}/results?format=xlsx")).await;
        let zip = scene.text(&format!("{batch}/files.zip")).await;
        let mut zip = ZipArchive::new(Cursor::new(zip)).unwrap();
        let files = zip.file_names().map(|name| name.unwrap().into_owned());
        let files = files.collect();
        let summary = read_to_string(zip.by_name("resumen.csv").unwrap()).unwrap();
        let id = batch.rsplit('/').next().unwrap();
        let mut graphql_rows = scene.person.ask(ROWS, json!({ "id": id })).await;
        let graphql_rows = graphql_rows["batchRows"]["nodes"].take();
        let page_rows = match &scene.browser {
            Some(browser) => Some(page_rows(scene, browser, id, stored.len()).await),
            None => None,
        };
        let told = lookups.iter().filter(|it| it["state"].is_string()).count();
        eventually("the ends are told", PATIENCE, async || {
            let alone = scene.receiver.bodies().into_iter();
            alone.filter(|it| it["data"]["batch_id"].is_null()).count() >= told
        })
        .await;
        Self {
            lookups,
            rows: rows.collect(),
            csv: lines(&String::from_utf8(csv).unwrap()),
            workbook: workbook_rows(workbook),
            summary: lines(&summary),
            files,
            messages: scene.receiver.bodies(),
            graphql_rows: serde_json::from_value(graphql_rows).unwrap(),
            page_rows,
        }
    }

    /// Facts of the outcome at a place of the table; `None` where the path has nothing of it.
    pub(super) async fn told(&self, scene: &Scene, path: Path, place: usize) -> Option<Told> {
        let lookup = &self.lookups[place];
        let id = lookup["id"].as_str();
        Some(match path {
            Path::Lookup => of_lookup(lookup),
            Path::Row => of_row(&self.rows[place]),
            Path::Csv => of_line(&self.csv[place]),
            Path::Workbook => of_workbook(&self.workbook[place]),
            Path::Zip => {
                let told = of_line(&self.summary[place]);
                self.assert_set_apart(place, told.get("seal").map(String::as_str));
                told
            }
            Path::Webhook => {
                let mut messages = self.messages.iter();
                of_message(messages.find(|message| message["data"]["id"].as_str() == id)?)
            }
            Path::GraphqlLookup => {
                let found = scene.person.ask(LOOKUP, json!({ "id": id? })).await;
                of_graphql(&found["lookup"])
            }
            Path::GraphqlRow => of_graphql_row(&self.graphql_rows[place]),
            Path::LookupPage => of_page(&lookup_page(scene, scene.browser.as_ref()?, id?).await),
            Path::RowPage => of_page(&self.page_rows.as_ref()?[place]),
        })
    }

    /// Asserts that the row's file is where its seal belongs, or isn't there.
    fn assert_set_apart(&self, place: usize, seal: Option<&str>) {
        let number = format!("{:05}_", place + 1);
        let mut files = self.files.iter();
        let folder = files.find_map(|name| name.split_once(&number).map(|(folder, _)| folder));
        let expected = seal.map(|seal| match seal {
            "invalid" => "sello_invalido/",
            _ => "",
        });
        assert_eq!(folder, expected, "{:?}", self.files);
    }
}

const ROWS: &str = "query($id: ID!) { batchRows(id: $id, first: 50) { nodes {
    state errors { field message }
    lookup {
        state reason seal whatToDo hints { code message } candidates { claveRastreo ordenante concepto }
        payment { state text receivedAt processedAt }
        inferred { emisor { participant { code } } receptor { participant { code } } }
    }
} } }";

const LOOKUP: &str = "query($id: ID!) { lookup(id: $id) {
    state reason seal whatToDo hints { code message } candidates { claveRastreo ordenante concepto }
    payment { state text receivedAt processedAt }
    inferred { emisor { participant { code } } receptor { participant { code } } }
} }";

/// Text that an element shows. A file with an invalid seal is distrusted in words; where the page has no verdict, the
/// advice says that a seal wasn't checked.
const SHOWN: &str = "
    const shown = (element, state) => {
      const text = element.textContent;
      const badge = element.querySelector('[data-testid=seal-badge]');
      const words = text.includes('sello no válido') ? 'invalid' : text.includes('sello no se pudo') ? 'not_checked' : 'valid';
      const outcome = element.querySelector('.outcome');
      const reason = outcome && [...outcome.classList].find((name) => name.startsWith('outcome-'));
      return {
        text, state, reason: reason?.slice('outcome-'.length) ?? null,
        seal: badge?.dataset.verdict ?? (state === 'DELIVERED' ? words : null),
      };
    };";

/// The page of a lookup, once it shows its state.
async fn lookup_page(scene: &Scene, browser: &Browser, id: &str) -> Value {
    let url = scene.gateway.url(&format!("/dashboard/lookups/{id}"));
    browser.page.goto(&url).await.unwrap();
    let state = browser.find("lookup-state").await;
    let state = state.attr("data-state").await.unwrap().unwrap();
    let script = format!("{SHOWN} return shown(document.querySelector('main'), arguments[0]);");
    browser.run(&script, vec![json!(state)]).await
}

/// The rows in the page of a batch, once it shows so many.
async fn page_rows(scene: &Scene, browser: &Browser, id: &str, number: usize) -> Vec<Value> {
    let url = scene.gateway.url(&format!("/dashboard/batches/{id}"));
    browser.page.goto(&url).await.unwrap();
    let script = format!(
        "{SHOWN} return [...document.querySelectorAll('[data-testid=batch-payment]')]
           .map((row) => shown(row, row.dataset.state));"
    );
    let mut rows = Vec::new();
    soon("the rows are shown", async || {
        let shown = browser.run(&script, vec![]).await;
        rows = shown.as_array().cloned().unwrap_or_default();
        rows.len() == number
    })
    .await;
    rows
}

/// Lines of a table after its header, by the names of their columns.
fn lines(table: &str) -> Vec<BTreeMap<String, String>> {
    let table = table.trim_start_matches('\u{feff}').as_bytes();
    let lines = csv::Reader::from_reader(table).into_deserialize();
    lines.map(Result::unwrap).collect()
}

/// The rows of a workbook, each by its headers.
fn workbook_rows(workbook: Vec<u8>) -> Vec<BTreeMap<String, String>> {
    let mut workbook = WorkbookFiles.open(workbook.into()).unwrap();
    let mut rows = workbook.rows(0).unwrap().into_iter();
    let texts = |row: WorkbookRow| -> BTreeMap<usize, String> {
        let cells = row
            .cells
            .into_iter()
            .filter_map(|(column, cell)| match cell {
                WorkbookCell::Text(text) => Some((column, text)),
                WorkbookCell::Number(_) | WorkbookCell::Date(_) => None,
            });
        cells.collect()
    };
    let headers = texts(rows.next().unwrap());
    let by_header = |row| {
        let cells = texts(row).into_iter();
        cells
            .map(|(column, text)| (headers[&column].clone(), text))
            .collect()
    };
    rows.map(by_header).collect()
}
