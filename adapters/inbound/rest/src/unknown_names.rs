//! Errors of unknown members and parameters.

use std::borrow::Cow;

use domain::misspelling;
use web::problem::{FieldFault, FieldProblem};

/// Maximum unknown names in a response, and maximum characters of each.
const MAX_REPEATED: usize = 16;
const MAX_LENGTH: usize = 64;

/// Treatment of unknown names that don't seem misspelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownNames {
    /// Unknown names are ignored, since proof requests may have additional members.
    Ignored,
    /// Unknown names are errors, since their sender expects them to have an effect.
    Refused,
}

impl UnknownNames {
    /// The errors of unknown names. A name close to an `absent` known one counts as misspelt, and is always
    /// an error.
    pub(crate) fn faults<'n>(
        self,
        unknown: impl Iterator<Item = &'n str>,
        absent: &[&'static str],
    ) -> Vec<FieldFault> {
        let faults = unknown.filter_map(|name| {
            let problem = match (misspelling::meant(name, absent), self) {
                (Some(meant), _) => FieldProblem::Misspelt { meant },
                (None, Self::Refused) => FieldProblem::Unknown,
                (None, Self::Ignored) => return None,
            };
            Some(FieldFault::new(cut(name), problem))
        });
        faults.take(MAX_REPEATED).collect()
    }
}

fn cut(name: &str) -> Cow<'static, str> {
    name.chars().take(MAX_LENGTH).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(policy: UnknownNames, names: &[&str]) -> Vec<(String, &'static str)> {
        let faults = policy.faults(names.iter().copied(), &["formats", "retry_for"]);
        let faults = faults.into_iter();
        let faults = faults.map(|fault| (fault.field.into_owned(), fault.problem.code()));
        faults.collect()
    }

    #[test]
    fn a_misspelt_name_is_a_fault_everywhere_and_another_one_where_it_is_refused() {
        let names = ["format", "x-trace", "retryFor"];
        let fault = |name: &str, problem| (name.to_owned(), problem);
        let misspelt = [fault("format", "misspelt"), fault("retryFor", "misspelt")];
        assert_eq!(faults(UnknownNames::Ignored, &names), misspelt);
        let all = [
            fault("format", "misspelt"),
            fault("x-trace", "unknown"),
            fault("retryFor", "misspelt"),
        ];
        assert_eq!(faults(UnknownNames::Refused, &names), all);
    }

    #[test]
    fn an_answer_repeats_a_bounded_part_of_the_names() {
        let names = vec!["x".repeat(MAX_LENGTH + 1); MAX_REPEATED + 1];
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let faults = faults(UnknownNames::Refused, &names);
        assert_eq!(faults.len(), MAX_REPEATED);
        assert_eq!(faults[0].0.len(), MAX_LENGTH);
    }
}
