//! Validation of one row of a table.

use chrono::NaiveDate;

use crate::lookups::LookupId;
use crate::own_accounts::OwnAccount;
use crate::participants::Catalogue;
use crate::query::{Field, FieldError, FieldErrorKind, ProofQuery, RawQuery, Token};

use super::bounds::MAX_ID_LENGTH;
use super::cell::{self, Spelling};
use super::column::Column;
use super::error::{CellError, CellErrorKind, CellErrors, RowFault};
use super::own;

/// Data needed to validate a row.
#[derive(Clone, Copy, Debug)]
pub struct RowRules<'a> {
    /// Today in Mexico City.
    pub today: NaiveDate,
    /// Catalogue of the participants that a row may name.
    pub catalogue: &'a Catalogue,
    /// The caller's own accounts, for rows whose account is masked or missing.
    pub own_accounts: &'a [OwnAccount],
}

/// The values of a row before validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawCells<'a> {
    /// The caller's own id of the payment.
    pub id: Token<'a>,
    /// The request fields of the payment.
    pub query: RawQuery<'a>,
    /// Text from which tracking key and account are taken if they are absent.
    pub text: Token<'a>,
    /// Money that left the account, which is the amount if that is absent.
    pub charge: Token<'a>,
    /// Money that came in, likewise.
    pub credit: Token<'a>,
    /// State of the row in the results of a batch.
    pub state: Token<'a>,
    /// Verdict on the seal, likewise.
    pub seal: Token<'a>,
    /// Id of the lookup, likewise.
    pub lookup: Token<'a>,
}

impl<'a> RawCells<'a> {
    /// The value of a column, to be set.
    pub fn get_mut(&mut self, column: Column) -> &mut Token<'a> {
        match column {
            Column::Date => &mut self.query.date,
            Column::TrackingKey => &mut self.query.tracking_key,
            Column::Reference => &mut self.query.reference,
            Column::Account => &mut self.query.account,
            Column::Amount => &mut self.query.amount,
            Column::Issuer => &mut self.query.issuer,
            Column::Receiver => &mut self.query.receiver,
            Column::Id => &mut self.id,
            Column::Text => &mut self.text,
            Column::Charge => &mut self.charge,
            Column::Credit => &mut self.credit,
            Column::State => &mut self.state,
            Column::Seal => &mut self.seal,
            Column::Lookup => &mut self.lookup,
        }
    }

    /// The cells of a row that has the columns of [`OwnColumn::of_api`].
    ///
    /// [`OwnColumn::of_api`]: super::OwnColumn::of_api
    pub fn texts(&mut self) -> Vec<String> {
        let texts = Column::ALL.map(|column| match self.get_mut(column) {
            Token::Text(text) => text.to_string(),
            Token::Number(number) => (*number).to_owned(),
            Token::Absent | Token::Other(_) => String::new(),
        });
        own::kept(&texts, (0..texts.len()).map(|index| (index, true)))
    }
}

/// A validated row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetRow {
    /// Line of the file on which the row begins, from 1.
    pub line: u64,
    /// The caller's own id of the payment; `None` if it is absent or invalid.
    pub id: Option<String>,
    /// The cells of the caller's own columns, shortened in all to a maximum length, without empty ones at the end.
    /// Empty for a row that can't be read.
    pub cells: Vec<String>,
    /// The lookup that asked for the payment before, as the results of a batch tell.
    pub lookup: Option<LookupId>,
    /// The file calls the row delivered with a valid seal, as the results of a batch tell.
    pub is_called_answered: bool,
    /// The query for the payment, or all errors of the row.
    pub query: Result<ProofQuery, CellErrors>,
}

impl SheetRow {
    /// Validates a row. Missing institutions are inferred later.
    pub fn of_cells(
        line: u64,
        mut cells: RawCells<'_>,
        spelling: Spelling,
        rules: RowRules<'_>,
    ) -> Self {
        let mut errors = Vec::new();
        for column in Column::ALL {
            let token = cells.get_mut(column);
            if let Err(problem) = cell::clean(column, token, spelling, rules.catalogue) {
                // The value is treated as absent, so that it gets no further error.
                *token = Token::Absent;
                errors.push(CellError::of(column, problem));
            }
        }
        choose_criterion(&mut cells.query);
        let id = check_id(cells.id).map_err(|problem| {
            errors.push(CellError::of(Column::Id, problem));
        });
        let query = match query(&cells.query, rules) {
            Ok(query) if errors.is_empty() => Ok(query),
            query => {
                for error in query.err().unwrap_or_default() {
                    let error = CellError::from(error);
                    if errors.iter().all(|known| known.column != error.column) {
                        errors.push(error);
                    }
                }
                errors.sort_by_key(|error| {
                    Column::ALL.iter().position(|it| Some(*it) == error.column)
                });
                Err(CellErrors(errors))
            }
        };
        Self {
            line,
            id: id.ok().flatten(),
            cells: Vec::new(),
            lookup: match cells.lookup {
                Token::Text(text) => LookupId::parse(text.trim()),
                _ => None,
            },
            is_called_answered: false,
            query,
        }
    }

    /// Adds faults of the whole row to the errors of its cells.
    #[must_use]
    pub fn with_faults(mut self, faults: impl IntoIterator<Item = RowFault>) -> Self {
        let mut faults = faults.into_iter().map(CellError::from).peekable();
        if faults.peek().is_some() {
            let errors = self.query.err().map(|CellErrors(errors)| errors);
            let errors = errors.into_iter().flatten().chain(faults);
            self.query = Err(CellErrors(errors.collect()));
        }
        self
    }

    /// Builds the result for a row that can't be read.
    pub fn unreadable(line: u64, fault: RowFault) -> Self {
        Self {
            line,
            id: None,
            cells: Vec::new(),
            lookup: None,
            is_called_answered: false,
            query: Err(fault.into()),
        }
    }
}

/// Leaves the tracking key, which finds the transfer alone; many tables have both. A dash or a word in its place is
/// none.
fn choose_criterion(query: &mut RawQuery<'_>) {
    let is_placeholder = |key: &Token<'_>| matches!(key, Token::Text(text) if !text.contains(|c: char| c.is_ascii_digit()));
    if query.reference != Token::Absent && is_placeholder(&query.tracking_key) {
        query.tracking_key = Token::Absent;
    } else if query.tracking_key != Token::Absent {
        query.reference = Token::Absent;
    }
}

/// Validates the fields of a payment, and completes its account.
fn query(raw: &RawQuery<'_>, rules: RowRules<'_>) -> Result<ProofQuery, Vec<FieldError>> {
    let own = rules.own_accounts;
    let given = ProofQuery::parse_given(raw, rules.today, rules.catalogue);
    let given = given.map_err(|mut errors| {
        let is_completed = |error: &FieldError| {
            !own.is_empty() && *error == FieldErrorKind::Missing.of(Field::Account)
        };
        errors.retain(|error| !is_completed(error));
        errors
    })?;
    given
        .complete(own, rules.catalogue)
        .map_err(|error| vec![error])
}

/// Validates the caller's id. Surrounding blanks are dropped; an empty id is treated as absent.
fn check_id(token: Token<'_>) -> Result<Option<String>, CellErrorKind> {
    let text = match token {
        Token::Absent => return Ok(None),
        Token::Text(text) => text,
        Token::Number(number) => number.into(),
        Token::Other(found) => {
            return Err(FieldErrorKind::WrongType {
                expected: "string",
                found,
            }
            .into());
        }
    };
    let id = text.trim();
    if id.chars().any(char::is_control) {
        return Err(CellErrorKind::IdCharacter);
    }
    match id.chars().count() {
        0 => Ok(None),
        length if length > MAX_ID_LENGTH => Err(CellErrorKind::IdTooLong { length }),
        _ => Ok(Some(id.to_owned())),
    }
}
