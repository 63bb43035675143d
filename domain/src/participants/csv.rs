//! The catalogue as CSV: the compiled-in list, the stored one, and the one that an operator imports.

use chrono::NaiveDate;

use super::{Catalogue, Participant, ParticipantCode, is_name};
use crate::calendar::parse_date;

/// Required columns. [`LISTED_SINCE`] may follow; further columns are ignored as notes.
const COLUMNS: [&str; 6] = [
    "clabe_prefix",
    "participant",
    "institution",
    "name",
    "valid_from",
    "valid_to",
];

/// Optional column: date of the first list with the code, if it became valid on an unknown day.
const LISTED_SINCE: &str = "listed_since";

/// Minimum number of participants in a catalogue; the list of 2026-09-11 has 97.
pub(super) const LEAST_PARTICIPANTS: usize = 60;

/// Reason why a catalogue can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The header row has other columns.
    #[error("the first line must be {}", COLUMNS.join(","))]
    Header,
    /// A row is malformed.
    #[error(
        "line {line} is malformed: it takes the CLABE prefix, the 5-digit code that ends with it, \
         the institution's newest code or nothing, a name, and dates YYYY-MM-DD or nothing"
    )]
    Row {
        /// Number of the line, from 1.
        line: u64,
    },
    /// The catalogue has too few participants.
    #[error("{participants} participants take part on {as_of}; at least {LEAST_PARTICIPANTS} do")]
    TooFew {
        /// Number of participants on the date.
        participants: usize,
        /// Date of the catalogue's newest list.
        as_of: NaiveDate,
    },
}

impl Catalogue {
    /// Parses a catalogue whose newest list is of `as_of`. An empty `institution` means that the
    /// participant's code is the newest of its institution.
    ///
    /// # Errors
    /// See [`CatalogueError`].
    pub fn from_csv(csv: &str, as_of: NaiveDate) -> Result<Self, CatalogueError> {
        // A row may omit the last columns.
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.flexible(true).from_reader(csv.as_bytes());
        let header = reader.headers().map_err(|_| CatalogueError::Header)?;
        if !header.iter().take(COLUMNS.len()).eq(COLUMNS) {
            return Err(CatalogueError::Header);
        }
        let columns = header.len();
        let listed_since = header.iter().position(|name| name == LISTED_SINCE);
        let mut participants = Vec::new();
        for (index, row) in reader.records().enumerate() {
            // The header is the first line; no field of a catalogue has a line break.
            let line = index as u64 + 2;
            let row = row.ok().filter(|row| row.len() <= columns);
            let participant = row.and_then(|row| read(&row, listed_since));
            participants.push(participant.ok_or(CatalogueError::Row { line })?);
        }
        let catalogue = Self {
            participants,
            as_of,
        };
        match catalogue.on(as_of).count() {
            participants if participants < LEAST_PARTICIPANTS => Err(CatalogueError::TooFew {
                participants,
                as_of,
            }),
            _ => Ok(catalogue),
        }
    }

    /// Writes the catalogue without its date, as [`Self::from_csv`] reads it.
    ///
    /// # Panics
    /// Never, because writing to memory can't fail.
    pub fn to_csv(&self) -> String {
        const INFALLIBLE: &str = "writing to memory can't fail";
        let mut writer = csv::Writer::from_writer(Vec::new());
        let columns = COLUMNS.into_iter().chain([LISTED_SINCE]);
        writer.write_record(columns).expect(INFALLIBLE);
        for participant in &self.participants {
            writer.write_record(write(participant)).expect(INFALLIBLE);
        }
        let csv = writer.into_inner().expect(INFALLIBLE);
        String::from_utf8(csv).expect("it is made of strings")
    }
}

/// Parses one row; `listed_since` is the index of that column. `None` if the row is malformed.
fn read(row: &csv::StringRecord, listed_since: Option<usize>) -> Option<Participant> {
    let date = |text: &str| match text {
        "" => Some(None),
        text => parse_date(text).ok().map(Some),
    };
    let code = ParticipantCode::parse(row.get(1)?)?;
    let participant = Participant {
        code,
        clabe_prefix: row.get(0)?.to_owned(),
        institution: match row.get(2)? {
            "" => code,
            newest => ParticipantCode::parse(newest)?,
        },
        name: row.get(3)?.to_owned(),
        valid_from: date(row.get(4)?)?,
        valid_to: date(row.get(5)?)?,
        listed_since: date(listed_since.and_then(|index| row.get(index)).unwrap_or(""))?,
    };
    let is_sound = participant.clabe_prefix == code.clabe_prefix() && is_name(&participant.name);
    is_sound.then_some(participant)
}

fn write(participant: &Participant) -> [String; 7] {
    let date = |date: Option<NaiveDate>| date.map_or_else(String::new, |date| date.to_string());
    let institution = match participant.institution {
        own if own == participant.code => String::new(),
        newest => newest.to_string(),
    };
    [
        participant.clabe_prefix.clone(),
        participant.code.to_string(),
        institution,
        participant.name.clone(),
        date(participant.valid_from),
        date(participant.valid_to),
        date(participant.listed_since),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn a_catalogue_is_read_as_it_was_written() {
        let embedded = Catalogue::embedded();
        let read = Catalogue::from_csv(&embedded.to_csv(), embedded.as_of());
        assert_eq!(read.as_ref(), Ok(embedded));
    }

    #[rstest]
    #[case::of_a_prefix("002,40012,,BBVA,,")]
    #[case::of_a_code("012,4012,,BBVA,,")]
    #[case::of_an_institution("012,40012,BBVA,BBVA,,")]
    #[case::of_a_name("012,40012,,,,")]
    #[case::of_a_long_name("012,40012,,Lorem ipsum dolor sit amet consectetur elit,,")]
    #[case::of_a_date("012,40012,,BBVA,2026-02-30,")]
    #[case::of_columns("012,40012,,BBVA")]
    #[case::of_more_columns("012,40012,,BBVA,,,")]
    fn a_malformed_row_is_named(#[case] row: &str) {
        let csv = format!("{}\n002,40002,,BANAMEX,,\n{row}\n", COLUMNS.join(","));
        let read = Catalogue::from_csv(&csv, Catalogue::embedded().as_of());
        assert_eq!(read, Err(CatalogueError::Row { line: 3 }));
    }

    #[rstest]
    #[case::given("171,40171,,PLATA,,,2026-10-06,note", Some("2026-10-06"))]
    #[case::empty("171,40171,,PLATA,,,,note", None)]
    #[case::left_out("171,40171,,PLATA,,", None)]
    fn a_row_may_say_since_when_it_is_listed(#[case] row: &str, #[case] since: Option<&str>) {
        let embedded = Catalogue::embedded().to_csv();
        let (_, rest) = embedded.split_once('\n').unwrap();
        let rest: Vec<_> = rest
            .lines()
            .filter(|row| !row.starts_with("171,"))
            .collect();
        let header = format!("{},{LISTED_SINCE},note", COLUMNS.join(","));
        let csv = format!("{header}\n{row}\n{}\n", rest.join("\n"));
        let read = Catalogue::from_csv(&csv, Catalogue::embedded().as_of()).unwrap();
        let plata = read.participants().first().unwrap();
        let listed_since = plata.listed_since.map(|day| day.to_string());
        assert_eq!(listed_since.as_deref(), since);
    }

    #[test]
    fn another_header_and_a_short_list_are_refused() {
        let as_of = Catalogue::embedded().as_of();
        assert_eq!(Catalogue::from_csv("", as_of), Err(CatalogueError::Header));
        let short = format!("{}\n002,40002,,BANAMEX,,\n", COLUMNS.join(","));
        let too_few = CatalogueError::TooFew {
            participants: 1,
            as_of,
        };
        assert_eq!(Catalogue::from_csv(&short, as_of), Err(too_few));
    }
}
