//! Messages of errors. Each language implements one trait, so that none can lack a message. A
//! message says what was wrong with which input and what to do next.

use web::Language;

use crate::field_error::ArgumentProblem;
use crate::limits::Limit;
use crate::request_error::BodyProblem;
use crate::user_problem::UserProblem;

mod en;
mod es;

/// The messages of one language.
pub(crate) trait Messages: Sync {
    fn body_problem(&self, problem: BodyProblem) -> String;
    fn syntax(&self, place: Option<(usize, usize)>) -> String;
    fn invalid_document(&self, reason: &str) -> String;
    fn operation_wanted(&self) -> String;
    fn unknown_operation(&self) -> String;
    fn variable_wanted(&self, name: &str) -> String;
    fn fragment_cycle(&self) -> String;
    fn page_size(&self, field: &str) -> String;
    fn introspection_is_off(&self) -> String;
    fn limit(&self, limit: Limit) -> String;
    fn timeout(&self, seconds: u64) -> String;
    fn forbidden(&self) -> String;
    fn not_found(&self) -> String;
    fn invalid_argument(&self, argument: &str, problem: ArgumentProblem) -> String;
    fn unreadable_argument(&self, reason: &str) -> String;
    fn internal_error(&self) -> String;
    fn user_problem(&self, problem: UserProblem) -> String;
}

pub(crate) fn of(language: Language) -> &'static dyn Messages {
    match language {
        Language::Spanish => &es::Spanish,
        Language::English => &en::English,
    }
}
