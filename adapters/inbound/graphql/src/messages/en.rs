//! English.

use domain::key::MAX_GRACE_HOURS;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use domain::page::MAX_PAGE;
use domain::usage::PeriodError;

use super::Messages;
use crate::field_error::{ArgumentProblem, MAX_SEARCH_CHARS};
use crate::limits::Limit;
use crate::request::MAX_BODY_BYTES;
use crate::request_error::BodyProblem;
use crate::user_problem::UserProblem;

pub(super) struct English;

impl Messages for English {
    fn body_problem(&self, problem: BodyProblem) -> String {
        match problem {
            BodyProblem::Method => {
                "GraphQL is served over POST alone; send the query in a JSON body.".to_owned()
            }
            BodyProblem::MediaType => "The body must be application/json in UTF-8; \
                                       set Content-Type accordingly."
                .to_owned(),
            BodyProblem::TooLarge => {
                format!("The body has more than {MAX_BODY_BYTES} bytes; send a smaller query.")
            }
            BodyProblem::TooSlow => "The body didn't arrive in time; send it again.".to_owned(),
            BodyProblem::Incomplete => {
                "The body ended before its end; send it again in full.".to_owned()
            }
            BodyProblem::NotJson { line, column } => format!(
                "The body is not valid JSON (line {line}, column {column}); check the syntax \
                 there."
            ),
            BodyProblem::Batch => {
                "Batches aren't served; send one operation a request, as an object.".to_owned()
            }
            BodyProblem::Shape => "The body must be an object with the text \"query\" and, as \
                                   needed, the text \"operationName\" and the object \
                                   \"variables\", each once."
                .to_owned(),
        }
    }

    fn syntax(&self, place: Option<(usize, usize)>) -> String {
        match place {
            Some((line, column)) => format!(
                "The query is not valid GraphQL (line {line}, column {column}); check the syntax \
                 there."
            ),
            None => "The query is not valid GraphQL; check its operations, its fragments and the \
                     ends of its strings."
                .to_owned(),
        }
    }

    fn invalid_document(&self, reason: &str) -> String {
        format!("The query doesn't fit the schema: {reason}")
    }

    fn operation_wanted(&self) -> String {
        "The document has several operations; say which one in operationName.".to_owned()
    }

    fn unknown_operation(&self) -> String {
        "The document has no operation of the name in operationName; correct or leave it out."
            .to_owned()
    }

    fn variable_wanted(&self, name: &str) -> String {
        format!("The variable ${name} must have a value; give it in \"variables\".")
    }

    fn fragment_cycle(&self) -> String {
        "A fragment of the query holds itself; take the cycle out.".to_owned()
    }

    fn page_size(&self, field: &str) -> String {
        format!(
            "The argument first of {field} must be a whole number from 1 to {MAX_PAGE}; read more \
             with after."
        )
    }

    fn introspection_is_off(&self) -> String {
        "The schema isn't told here; it comes with the documentation, as schema.graphql.".to_owned()
    }

    fn limit(&self, limit: Limit) -> String {
        let most = limit.most();
        let (what, remedy) = match limit {
            Limit::Depth => (
                "levels of fields",
                "ask for less depth, or in several requests",
            ),
            Limit::IntrospectionDepth => (
                "levels of fields below __schema or __type",
                "ask for less depth",
            ),
            Limit::Cost => (
                "points of complexity",
                "ask for shorter pages or fewer fields",
            ),
            Limit::IntrospectionCost => (
                "points of complexity below __schema and __type",
                "ask for fewer fields",
            ),
            Limit::Selections => (
                "fields and fragments, aliases included",
                "ask for fewer of them",
            ),
            Limit::Directives => ("directives", "use fewer of them"),
            Limit::Fragments => ("fragments", "use fewer of them"),
            Limit::Operations => ("operations", "send only the one that is meant"),
            Limit::Mutations => ("mutations", "send the others in further requests"),
            Limit::Levels => (
                "levels of selections, fragments included",
                "spread fewer of them within each other",
            ),
            Limit::Nesting => ("levels of brackets", "nest them less"),
            Limit::Tokens => ("tokens", "send a shorter query"),
        };
        format!("A query may have at most {most} {what}; {remedy}.")
    }

    fn timeout(&self, seconds: u64) -> String {
        format!(
            "The answer wasn't found within {seconds} seconds; ask for less, or try again. Of a \
             mutation look first whether it was done."
        )
    }

    fn forbidden(&self) -> String {
        "Only admins may ask this.".to_owned()
    }

    fn not_found(&self) -> String {
        "What the arguments name doesn't exist, or isn't yours; check the ids.".to_owned()
    }

    fn invalid_argument(&self, argument: &str, problem: ArgumentProblem) -> String {
        match problem {
            ArgumentProblem::PageSize => {
                format!("{argument} must be a whole number from 1 to {MAX_PAGE}.")
            }
            ArgumentProblem::Cursor => format!(
                "{argument} is no cursor of this list; use a cursor or endCursor of its pages, in \
                 the same order, or leave it out."
            ),
            ArgumentProblem::Id => format!("{argument} is no id; use one that a list here shows."),
            ArgumentProblem::RequestId => format!(
                "{argument} is no request id: those have 1 to 64 characters out of \
                 A-Z a-z 0-9 . _ : -"
            ),
            ArgumentProblem::SearchText => {
                format!("{argument} may have at most {MAX_SEARCH_CHARS} characters.")
            }
            ArgumentProblem::Backwards => format!("{argument} must be before to."),
            ArgumentProblem::RangeEnds => {
                format!("{argument} needs either newest, or from and to, and not both.")
            }
            ArgumentProblem::Period(PeriodError::Backwards) => {
                format!("{argument} holds no slot: from must be before to, and newest at least 1.")
            }
            ArgumentProblem::Period(PeriodError::TooLong(granularity)) => format!(
                "{argument} holds more than {} slots; ask for a shorter time or for longer slots.",
                granularity.most_slots()
            ),
        }
    }

    fn unreadable_argument(&self, reason: &str) -> String {
        format!("An argument can't be read: {reason}")
    }

    fn internal_error(&self) -> String {
        "Something failed on our side; try again, and if it stays so, tell us the request_id."
            .to_owned()
    }

    fn user_problem(&self, problem: UserProblem) -> String {
        match problem {
            UserProblem::Name => "A name has 1 to 100 characters, none of them a control \
                                  character."
                .to_owned(),
            UserProblem::Grace => {
                format!("The time of grace is 0 to {MAX_GRACE_HOURS} hours.")
            }
            UserProblem::PerMinute => {
                format!("Requests a minute are a number from 1 to {MAX_PER_MINUTE}.")
            }
            UserProblem::MonthlyQuota => format!(
                "The monthly quota is a number from 1 to {MAX_MONTHLY_QUOTA}, or null for no cap."
            ),
            UserProblem::NoLimit => {
                "Nothing would change: give perMinute, monthlyQuota or plan.".to_owned()
            }
            UserProblem::PlanAndLimits => {
                "A plan brings its own limits: give either plan, or perMinute and monthlyQuota."
                    .to_owned()
            }
            UserProblem::NotFound => "It doesn't exist, or isn't yours; check the id.".to_owned(),
            UserProblem::Forbidden => "Only admins may do this.".to_owned(),
            UserProblem::Revoked => {
                "The key is revoked, and there is no way back; use an active one.".to_owned()
            }
            UserProblem::AlreadyRotated => {
                "The key has a successor already; rotate that one instead.".to_owned()
            }
            UserProblem::TooManyKeys { most } => format!(
                "An account has at most {most} active keys; revoke one that isn't used any more."
            ),
        }
    }
}
