//! Spanish, the contract's own language.

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

pub(super) struct Spanish;

impl Messages for Spanish {
    fn body_problem(&self, problem: BodyProblem) -> String {
        match problem {
            BodyProblem::Method => {
                "GraphQL solo se atiende por POST; envíe la consulta en un cuerpo JSON.".to_owned()
            }
            BodyProblem::MediaType => "El cuerpo debe ser application/json en UTF-8; indíquelo en \
                                       Content-Type."
                .to_owned(),
            BodyProblem::TooLarge => format!(
                "El cuerpo tiene más de {MAX_BODY_BYTES} bytes; envíe una consulta más pequeña."
            ),
            BodyProblem::TooSlow => "El cuerpo no llegó a tiempo; envíelo de nuevo.".to_owned(),
            BodyProblem::Incomplete => {
                "El cuerpo se interrumpió antes de su final; envíelo de nuevo completo.".to_owned()
            }
            BodyProblem::NotJson { line, column } => format!(
                "El cuerpo no es JSON válido (línea {line}, columna {column}); revise la sintaxis \
                 en ese lugar."
            ),
            BodyProblem::Batch => "No se atienden lotes; envíe una operación por petición, como \
                                   objeto."
                .to_owned(),
            BodyProblem::Shape => "El cuerpo debe ser un objeto con el texto \"query\" y, según \
                                   haga falta, el texto \"operationName\" y el objeto \
                                   \"variables\", cada uno una sola vez."
                .to_owned(),
        }
    }

    fn syntax(&self, place: Option<(usize, usize)>) -> String {
        match place {
            Some((line, column)) => format!(
                "La consulta no es GraphQL válido (línea {line}, columna {column}); revise la \
                 sintaxis en ese lugar."
            ),
            None => "La consulta no es GraphQL válido; revise sus operaciones, sus fragmentos y \
                     el final de sus textos."
                .to_owned(),
        }
    }

    fn invalid_document(&self, reason: &str) -> String {
        format!("La consulta no corresponde al esquema: {reason}")
    }

    fn operation_wanted(&self) -> String {
        "El documento tiene varias operaciones; indique cuál en operationName.".to_owned()
    }

    fn unknown_operation(&self) -> String {
        "El documento no tiene ninguna operación con el nombre de operationName; corríjalo u \
         omítalo."
            .to_owned()
    }

    fn variable_wanted(&self, name: &str) -> String {
        format!("La variable ${name} debe tener un valor; indíquelo en \"variables\".")
    }

    fn fragment_cycle(&self) -> String {
        "Un fragmento de la consulta se contiene a sí mismo; elimine el ciclo.".to_owned()
    }

    fn page_size(&self, field: &str) -> String {
        format!(
            "El argumento first de {field} debe ser un número entero de 1 a {MAX_PAGE}; lea más \
             con after."
        )
    }

    fn introspection_is_off(&self) -> String {
        "Aquí no se describe el esquema; viene con la documentación, como schema.graphql."
            .to_owned()
    }

    fn limit(&self, limit: Limit) -> String {
        let most = limit.most();
        let (what, remedy) = match limit {
            Limit::Depth => (
                "niveles de campos",
                "pida menos profundidad, o en varias peticiones",
            ),
            Limit::IntrospectionDepth => (
                "niveles de campos bajo __schema o __type",
                "pida menos profundidad",
            ),
            Limit::Cost => (
                "puntos de complejidad",
                "pida páginas más cortas o menos campos",
            ),
            Limit::IntrospectionCost => (
                "puntos de complejidad bajo __schema y __type",
                "pida menos campos",
            ),
            Limit::Selections => ("campos y fragmentos, alias incluidos", "pida menos"),
            Limit::Directives => ("directivas", "use menos"),
            Limit::Fragments => ("fragmentos", "use menos"),
            Limit::Operations => ("operaciones", "envíe solo la que quiere ejecutar"),
            Limit::Mutations => ("mutaciones", "envíe las demás en otras peticiones"),
            Limit::Levels => (
                "niveles de selecciones, fragmentos incluidos",
                "anide menos fragmentos",
            ),
            Limit::Nesting => ("niveles de llaves y corchetes", "anide menos"),
            Limit::Tokens => ("símbolos", "envíe una consulta más corta"),
        };
        format!("Una consulta puede tener como máximo {most} {what}; {remedy}.")
    }

    fn timeout(&self, seconds: u64) -> String {
        format!(
            "No hubo respuesta en {seconds} segundos; pida menos o intente de nuevo. Si era una \
             mutación, compruebe antes si se realizó."
        )
    }

    fn forbidden(&self) -> String {
        "Solo los administradores pueden consultarlo.".to_owned()
    }

    fn not_found(&self) -> String {
        "Lo que indican los argumentos no existe o no es suyo; revise los identificadores."
            .to_owned()
    }

    fn invalid_argument(&self, argument: &str, problem: ArgumentProblem) -> String {
        match problem {
            ArgumentProblem::PageSize => {
                format!("{argument} debe ser un número entero de 1 a {MAX_PAGE}.")
            }
            ArgumentProblem::Cursor => format!(
                "{argument} no es un cursor de esta lista; use un cursor o endCursor de sus \
                 páginas, con el mismo orden, u omítalo."
            ),
            ArgumentProblem::Id => {
                format!(
                    "{argument} no es un identificador; use uno de los que muestran las listas."
                )
            }
            ArgumentProblem::RequestId => format!(
                "{argument} no es un id de petición: tienen de 1 a 64 caracteres de \
                 A-Z a-z 0-9 . _ : -"
            ),
            ArgumentProblem::SearchText => {
                format!("{argument} puede tener como máximo {MAX_SEARCH_CHARS} caracteres.")
            }
            ArgumentProblem::Backwards => format!("{argument} debe ser anterior a to."),
            ArgumentProblem::RangeEnds => {
                format!("{argument} necesita newest, o bien from y to, pero no ambas cosas.")
            }
            ArgumentProblem::Period(PeriodError::Backwards) => format!(
                "{argument} no contiene ningún intervalo: from debe ser anterior a to, y newest \
                 al menos 1."
            ),
            ArgumentProblem::Period(PeriodError::TooLong(granularity)) => format!(
                "{argument} contiene más de {} intervalos; pida menos tiempo o intervalos más \
                 largos.",
                granularity.most_slots()
            ),
        }
    }

    fn unreadable_argument(&self, reason: &str) -> String {
        format!("No se puede leer un argumento: {reason}")
    }

    fn internal_error(&self) -> String {
        "Algo falló de nuestro lado; intente de nuevo y, si persiste, indíquenos el request_id."
            .to_owned()
    }

    fn user_problem(&self, problem: UserProblem) -> String {
        match problem {
            UserProblem::Name => {
                "Un nombre tiene de 1 a 100 caracteres, ninguno de control.".to_owned()
            }
            UserProblem::Grace => format!("El plazo de gracia es de 0 a {MAX_GRACE_HOURS} horas."),
            UserProblem::PerMinute => {
                format!("Las peticiones por minuto son un número de 1 a {MAX_PER_MINUTE}.")
            }
            UserProblem::MonthlyQuota => format!(
                "La cuota mensual es un número de 1 a {MAX_MONTHLY_QUOTA}, o null para no tener \
                 tope."
            ),
            UserProblem::NoLimit => {
                "No cambiaría nada: indique perMinute, monthlyQuota o plan.".to_owned()
            }
            UserProblem::PlanAndLimits => {
                "Un plan trae sus propios límites: indique plan, o bien perMinute y monthlyQuota."
                    .to_owned()
            }
            UserProblem::NotFound => "No existe o no es suyo; revise el identificador.".to_owned(),
            UserProblem::Forbidden => "Solo los administradores pueden hacerlo.".to_owned(),
            UserProblem::Revoked => {
                "La clave está revocada y no hay vuelta atrás; use una activa.".to_owned()
            }
            UserProblem::AlreadyRotated => {
                "La clave ya tiene una sucesora; rote esa en su lugar.".to_owned()
            }
            UserProblem::TooManyKeys { most } => format!(
                "Una cuenta tiene como máximo {most} claves activas; revoque una que ya no use."
            ),
        }
    }
}
