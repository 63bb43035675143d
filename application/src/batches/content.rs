//! Format of a batch's encrypted data: its options, and chunks of rows.

use super::types::FaultyRow;
use std::iter;

use bytes::Bytes;
use domain::batches::RowNumber;
use domain::batches::sheet::{Column, OwnColumn, PassedOver, PassedOverRows};
use domain::lookups::RetryFor;
use domain::proofs::file::RequestedFiles;
use domain::query::ProofQuery;

use crate::lookups::parts::{Damaged, decode, decode_query, encode, encode_query, text};

/// Number of encoded fields of a row, without its cells.
const ROW_PARTS: usize = 10;
/// Begins a chunk whose rows have their cells behind their fields. Older versions stored none.
const WITH_CELLS: &[u8] = b"cells";

/// Options of a batch, which apply to all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BatchContent {
    pub(super) name: Option<String>,
    pub(super) files: RequestedFiles,
    pub(super) retry_for: RetryFor,
    /// The columns of the rows' cells; none of a batch that an older version created.
    pub(super) columns: Vec<OwnColumn>,
    /// Rows of the table that aren't rows of the batch; none of a batch that an older version created.
    pub(super) passed_over: Vec<PassedOverRows>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredRow {
    pub(super) line: u32,
    pub(super) caller_id: Option<String>,
    /// The cells of the caller's columns, as they came; none of a batch that an older version created.
    pub(super) cells: Vec<String>,
    pub(super) kind: RowKind,
}

/// Kind of a row, which decides if it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The row is looked up.
    Ready(ProofQuery),
    /// The participants can't be resolved, so the row isn't looked up.
    Unresolved(ProofQuery),
    /// The row has the same query as an earlier one, whose number and line these are.
    Duplicate {
        query: ProofQuery,
        of: RowNumber,
        line: u32,
    },
    /// The row has errors.
    Faulty(FaultyRow),
}

impl BatchContent {
    /// Default options, for a batch whose options can't be decrypted.
    pub(super) fn unreadable() -> Self {
        Self {
            name: None,
            files: RequestedFiles::Xml,
            retry_for: RetryFor::DEFAULT,
            columns: Vec::new(),
            passed_over: Vec::new(),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let name = self.name.as_deref().unwrap_or_default();
        let files = if self.files.includes_pdf() { "pdf" } else { "" };
        let seconds = self.retry_for.duration().as_secs().to_string();
        let passed_over: Vec<_> = self
            .passed_over
            .iter()
            .flat_map(passed_over_parts)
            .collect();
        let passed_over = encode(passed_over.iter().map(String::as_bytes));
        let columns = self.columns.iter();
        let columns = columns.flat_map(|it| [&*it.header, it.column.map_or("", Column::name)]);
        let options = [name, files, &seconds].map(str::as_bytes).into_iter();
        encode(
            options
                .chain([&*passed_over])
                .chain(columns.map(str::as_bytes)),
        )
    }

    pub(super) fn decode(bytes: Bytes) -> Result<Self, Damaged> {
        let parts = decode(bytes)?;
        let [name, files, seconds, table @ ..] = &parts[..] else {
            return Err(Damaged);
        };
        let (passed_over, columns) = match table {
            [] => (Vec::new(), table),
            [passed_over, columns @ ..] => (decode(passed_over.clone())?, columns),
        };
        let ((columns, []), (passed_over, [])) = (columns.as_chunks(), passed_over.as_chunks())
        else {
            return Err(Damaged);
        };
        let seconds = text(seconds)?.parse().map_err(|_| Damaged)?;
        Ok(Self {
            name: Some(text(name)?.to_owned()).filter(|name| !name.is_empty()),
            files: match text(files)? {
                "" => RequestedFiles::Xml,
                "pdf" => RequestedFiles::Both,
                _ => return Err(Damaged),
            },
            retry_for: RetryFor::from_secs(seconds).map_err(|_| Damaged)?,
            columns: columns.iter().map(own_column).collect::<Result<_, _>>()?,
            passed_over: passed_over
                .iter()
                .map(passed_over_rows)
                .collect::<Result<_, _>>()?,
        })
    }
}

fn own_column([header, column]: &[Bytes; 2]) -> Result<OwnColumn, Damaged> {
    Ok(OwnColumn {
        header: text(header)?.to_owned(),
        column: match text(column)? {
            "" => None,
            // A column that this version doesn't know is none that it uses.
            name => Column::from_name(name),
        },
    })
}

fn passed_over_parts(group: &PassedOverRows) -> [String; 3] {
    let lines = group.lines.iter().map(u32::to_string);
    let lines = lines.collect::<Vec<_>>().join(" ");
    [
        group.reason.name().to_owned(),
        group.rows.to_string(),
        lines,
    ]
}

fn passed_over_rows([reason, rows, lines]: &[Bytes; 3]) -> Result<PassedOverRows, Damaged> {
    let lines = text(lines)?.split_whitespace().map(str::parse);
    Ok(PassedOverRows {
        reason: PassedOver::from_name(text(reason)?).ok_or(Damaged)?,
        rows: text(rows)?.parse().map_err(|_| Damaged)?,
        lines: lines.collect::<Result<_, _>>().map_err(|_| Damaged)?,
    })
}

impl StoredRow {
    fn parts(&self) -> [String; ROW_PARTS] {
        let (kind, place) = match &self.kind {
            RowKind::Ready(_) => ("ready", String::new()),
            RowKind::Unresolved(_) => ("unresolved", String::new()),
            RowKind::Duplicate { of, line, .. } => ("duplicate", format!("{} {line}", of.0)),
            RowKind::Faulty(FaultyRow(faulty)) => ("faulty", faulty.clone()),
        };
        let query = self.kind.query().map(encode_query);
        let [date, tracking_key, account, centavos, issuer, receiver] = query.unwrap_or_default();
        [
            self.line.to_string(),
            self.caller_id.clone().unwrap_or_default(),
            kind.to_owned(),
            place,
            date,
            tracking_key,
            account,
            centavos,
            issuer,
            receiver,
        ]
    }

    fn of_parts(parts: &[Bytes; ROW_PARTS]) -> Result<Self, Damaged> {
        let [line, caller_id, kind, place, query @ ..] = parts;
        let query = || {
            let mut fields = [""; 6];
            for (field, part) in fields.iter_mut().zip(query) {
                *field = text(part)?;
            }
            decode_query(fields)
        };
        let place = text(place)?;
        let kind = match text(kind)? {
            "ready" => RowKind::Ready(query()?),
            "unresolved" => RowKind::Unresolved(query()?),
            "duplicate" => {
                let (of, line) = place.split_once(' ').ok_or(Damaged)?;
                RowKind::Duplicate {
                    query: query()?,
                    of: RowNumber(of.parse().map_err(|_| Damaged)?),
                    line: line.parse().map_err(|_| Damaged)?,
                }
            }
            "faulty" => RowKind::Faulty(FaultyRow(place.to_owned())),
            _ => return Err(Damaged),
        };
        Ok(Self {
            line: text(line)?.parse().map_err(|_| Damaged)?,
            caller_id: Some(text(caller_id)?.to_owned()).filter(|id| !id.is_empty()),
            cells: Vec::new(),
            kind,
        })
    }
}

impl RowKind {
    /// Query of the row; `None` for a row with errors.
    pub(super) fn query(&self) -> Option<&ProofQuery> {
        match self {
            Self::Ready(query) | Self::Unresolved(query) | Self::Duplicate { query, .. } => {
                Some(query)
            }
            Self::Faulty(_) => None,
        }
    }
}

/// Encodes consecutive rows.
pub(super) fn encode_rows(rows: &[StoredRow]) -> Vec<u8> {
    let rows = rows.iter().map(|row| {
        let cells = encode(row.cells.iter().map(String::as_bytes));
        (row.parts(), cells)
    });
    let rows: Vec<_> = rows.collect();
    let parts = rows.iter().flat_map(|(parts, cells)| {
        let parts = parts.iter().map(String::as_bytes);
        parts.chain([&**cells])
    });
    encode(iter::once(WITH_CELLS).chain(parts))
}

pub(super) fn decode_rows(bytes: Bytes) -> Result<Vec<StoredRow>, Damaged> {
    let parts = decode(bytes)?;
    if let Some((first, parts)) = parts.split_first()
        && first == WITH_CELLS
    {
        let (rows, []) = parts.as_chunks::<{ ROW_PARTS + 1 }>() else {
            return Err(Damaged);
        };
        let rows = rows.iter().map(|[parts @ .., cells]| {
            let cells = decode(cells.clone())?;
            let cells = cells.iter().map(|cell| text(cell).map(str::to_owned));
            Ok(StoredRow {
                cells: cells.collect::<Result<_, _>>()?,
                ..StoredRow::of_parts(parts)?
            })
        });
        return rows.collect();
    }
    let (rows, []) = parts.as_chunks::<ROW_PARTS>() else {
        return Err(Damaged);
    };
    rows.iter().map(StoredRow::of_parts).collect()
}

#[cfg(test)]
mod tests {
    use domain::account::Account;
    use domain::amount::Amount;
    use domain::calendar;
    use domain::tracking_key::TrackingKey;
    use proptest::prelude::*;

    use super::*;

    fn query(centavos: u64) -> ProofQuery {
        ProofQuery {
            date: calendar::parse_date("2026-11-20").unwrap(),
            criterion: TrackingKey::parse("MBAN01002611200001234567")
                .unwrap()
                .into(),
            account: Account::parse("002010077777777771").unwrap(),
            others: Vec::new(),
            completion: None,
            amount: Amount::from_centavos(centavos).unwrap(),
            issuer: None,
            receiver: None,
        }
    }

    fn kinds() -> impl Strategy<Value = RowKind> {
        prop_oneof![
            (1..u64::MAX).prop_map(|centavos| RowKind::Ready(query(centavos))),
            (1..u64::MAX).prop_map(|centavos| RowKind::Unresolved(query(centavos))),
            (1..u64::MAX, any::<u32>(), any::<u32>()).prop_map(|(centavos, of, line)| {
                RowKind::Duplicate {
                    query: query(centavos),
                    of: RowNumber(of),
                    line,
                }
            }),
            "\\PC*".prop_map(|faulty| RowKind::Faulty(FaultyRow(faulty))),
        ]
    }

    fn rows() -> impl Strategy<Value = Vec<StoredRow>> {
        let cells = proptest::collection::vec("\\PC{0,20}", 0..5);
        let row = (
            any::<u32>(),
            proptest::option::of("\\PC{1,40}"),
            cells,
            kinds(),
        );
        let row = row.prop_map(|(line, caller_id, cells, kind)| StoredRow {
            line,
            caller_id,
            cells,
            kind,
        });
        proptest::collection::vec(row, 0..10)
    }

    proptest! {
        #[test]
        fn rows_come_back(rows in rows()) {
            prop_assert_eq!(decode_rows(encode_rows(&rows).into()), Ok(rows));
        }

        #[test]
        fn rows_of_an_older_version_have_no_cells(rows in rows()) {
            let parts: Vec<_> = rows.iter().flat_map(StoredRow::parts).collect();
            let stored = encode(parts.iter().map(String::as_bytes));
            let rows: Vec<_> = rows.into_iter().map(|row| StoredRow { cells: Vec::new(), ..row }).collect();
            prop_assert_eq!(decode_rows(stored.into()), Ok(rows));
        }

        #[test]
        fn the_content_comes_back(
            name in proptest::option::of("\\PC{1,100}"),
            seconds in 0..=259_200_u64,
            with_pdf: bool,
            passed_over in proptest::collection::vec((any::<u64>(), proptest::sample::select(&PassedOver::ALL[..])), 0..9),
            headers in proptest::collection::vec(("\\PC{0,20}", proptest::option::of(proptest::sample::select(&Column::ALL[..]))), 0..5),
        ) {
            let content = BatchContent {
                name,
                files: if with_pdf { RequestedFiles::Both } else { RequestedFiles::Xml },
                retry_for: RetryFor::from_secs(seconds).unwrap(),
                passed_over: PassedOverRows::grouped(&passed_over),
                columns: headers.into_iter().map(|(header, column)| OwnColumn { header, column }).collect(),
            };
            prop_assert_eq!(BatchContent::decode(content.encode().into()), Ok(content));
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes: Vec<u8>) {
            let _ = BatchContent::decode(bytes.clone().into());
            let _ = decode_rows(bytes.into());
        }
    }
}
