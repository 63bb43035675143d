//! Choice of the sheet of a workbook that holds the table.

use super::error::SheetError;
use super::mapping::{ColumnMapping, cut};
use super::open::Sheet;
use super::workbook::{WorkbookError, WorkbookRow};

/// Maximum number of sheets that are listed.
const MAX_LISTED: usize = 20;

/// The sheet of a workbook that holds the table.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenSheet {
    /// Names of all sheets, in the order of the workbook, at most a fixed number, each shortened.
    pub names: Vec<String>,
    /// Name of the chosen one.
    pub name: String,
    /// Its rows.
    pub rows: Vec<WorkbookRow>,
    /// Names of other sheets whose header fits, too; none if the caller named the sheet.
    pub others: Vec<String>,
}

impl ChosenSheet {
    /// Chooses the sheet with the wanted name; without one, the first whose header fits. `read` reads the rows of
    /// the sheet at an index of `names`.
    ///
    /// # Errors
    /// See [`WorkbookError`]. If no sheet fits, the error of the one that lacks the fewest columns.
    pub fn of(
        names: &[String],
        wanted: Option<&str>,
        mapping: &ColumnMapping,
        mut read: impl FnMut(usize) -> Result<Vec<WorkbookRow>, WorkbookError>,
    ) -> Result<Self, WorkbookError> {
        let listed: Vec<_> = names.iter().take(MAX_LISTED).map(|it| cut(it)).collect();
        let mut chosen = |index: usize| {
            let name = names.get(index).cloned().unwrap_or_default();
            Ok(Self {
                names: listed.clone(),
                name,
                rows: read(index)?,
                others: Vec::new(),
            })
        };
        if let Some(wanted) = wanted {
            let mut position = names.iter().map(|name| name.trim() == wanted.trim());
            let index = position.position(|is_wanted| is_wanted);
            return index.map_or_else(
                || {
                    Err(WorkbookError::NoSuchSheet {
                        wanted: cut(wanted),
                        sheets: listed.clone(),
                    })
                },
                &mut chosen,
            );
        }
        let (mut fitting, mut errors) = (None::<Self>, Vec::new());
        for (index, name) in names.iter().enumerate() {
            let sheet = match (chosen(index), &fitting) {
                (Ok(sheet), _) => sheet,
                (Err(error), None) => return Err(error),
                (Err(_), Some(_)) => break,
            };
            let fits = Sheet::of_workbook(&sheet.rows, mapping).map(|table| table.has_rows());
            match (fits, &mut fitting) {
                (Ok(_), None) => fitting = Some(sheet),
                (Ok(true), Some(first)) if first.others.len() < MAX_LISTED => {
                    first.others.push(cut(name));
                }
                (Ok(_), Some(_)) => {}
                (Err(error), _) => errors.push(error),
            }
        }
        if let Some(sheet) = fitting {
            return Ok(sheet);
        }
        let nearest = errors.into_iter().min_by_key(lacking);
        Err(WorkbookError::Sheet {
            error: nearest.unwrap_or(SheetError::Empty),
            sheets: listed,
        })
    }
}

/// Number of columns that a sheet lacks.
fn lacking(error: &SheetError) -> usize {
    match error {
        SheetError::Empty => usize::MAX,
        SheetError::MissingColumns { missing, .. } => missing.len(),
        _ => 0,
    }
}
