//! Spanish, the contract's own language.

use chrono::{DateTime, Utc};
use domain::account::AccountError;
use domain::amount::{self, AmountError};
use domain::calendar::DateError;
use domain::hints::Hint;
use domain::inference::InferenceFailure;
use domain::participant::{ParticipantCode, ParticipantError};
use domain::payment::PaymentState;
use domain::query::FieldErrorKind;
use domain::tracking_key::{self, TrackingKeyError};

use super::{Messages, join};
use crate::details::FieldProblem;
use crate::json::{JsonFault, MAX_DEPTH};
use crate::people::input::{InputProblem, MAX_SEARCH_LENGTH};

pub(super) struct Spanish;

impl Messages for Spanish {
    fn invalid_fields(&self, fields: &[&str]) -> String {
        let names = join(fields, "y");
        match fields {
            [_] => format!("La petición no es válida: corrija el campo {names}."),
            _ => format!("La petición no es válida: corrija los campos {names}."),
        }
    }

    fn field_problem(&self, problem: FieldProblem) -> String {
        match problem {
            FieldProblem::Duplicate => "Aparece más de una vez; envíelo una sola vez.".to_owned(),
            FieldProblem::SameInstitution => {
                "El emisor y el receptor son la misma institución.".to_owned()
            }
            FieldProblem::Value(problem) => value_problem(problem),
            FieldProblem::Input(problem) => input_problem(problem),
        }
    }

    fn json_fault(&self, fault: JsonFault) -> String {
        match fault {
            JsonFault::Empty => {
                "El cuerpo está vacío; envíe un objeto JSON con los campos de la petición."
                    .to_owned()
            }
            JsonFault::NotUtf8 { place } => {
                format!("El cuerpo no está en UTF-8 (byte {place}); codifíquelo en UTF-8 sin BOM.")
            }
            JsonFault::ByteOrderMark => "El cuerpo empieza con una marca de orden de bytes (BOM); \
                                         envíelo en UTF-8 sin BOM."
                .to_owned(),
            JsonFault::Malformed { place } => format!(
                "El cuerpo no es JSON válido (byte {place}); revise la sintaxis en ese lugar."
            ),
            JsonFault::NotAnObject { found } => format!(
                "El cuerpo debe ser un objeto JSON, no {}; envíe los campos entre llaves.",
                type_name(found)
            ),
            JsonFault::DuplicateKey { field, place } => format!(
                "El cuerpo repite {} (byte {place}); cada clave puede aparecer una sola vez.",
                field.map_or("una clave".to_owned(), |field| format!("el campo {field}"))
            ),
            JsonFault::TooDeep { place } => format!(
                "El cuerpo tiene más de {MAX_DEPTH} niveles de anidamiento (byte {place}); \
                 envíe un objeto plano."
            ),
        }
    }

    fn same_institution(&self, code: ParticipantCode) -> String {
        format!(
            "El emisor y el receptor son la misma institución ({code}): una transferencia interna \
             no pasa por el SPEI y no tiene comprobante. Revise emisor, receptor y cuenta."
        )
    }

    fn inference_failed(&self, missing: &[&str], endpoints: &[&str]) -> String {
        format!(
            "No se pudo inferir {}. Indique emisor y receptor en {}, o agregue lo que falta a esta \
             misma petición.",
            join(missing, "ni"),
            join(endpoints, "y")
        )
    }

    fn gap(&self, gap: InferenceFailure) -> &'static str {
        match gap {
            InferenceFailure::UnknownClabePrefix => {
                "Ningún participante tiene el prefijo de esta CLABE en esa fecha; revise cuenta y \
                 fecha, o indique receptor."
            }
            InferenceFailure::UnknownCardPrefix => {
                "No se conoce la institución que emitió esta tarjeta; indique receptor."
            }
            InferenceFailure::UnknownTrackingKeyShape => {
                "La forma de la clave de rastreo no corresponde a ningún banco conocido; indique \
                 emisor."
            }
        }
    }

    fn not_in_spei(&self) -> &'static str {
        "No hay comprobante con esos datos. Revise que la fecha sea el día de la transferencia y \
         que el monto, la cuenta y la clave de rastreo sean exactos."
    }

    fn proof_not_issued(&self, state: PaymentState) -> String {
        let label = state.label();
        match state {
            PaymentState::InProcess | PaymentState::Settled | PaymentState::ReturnInProcess => {
                format!(
                    "El pago existe (estado: {label}), pero su comprobante todavía no se ha \
                     emitido; intente de nuevo en unos 30 minutos."
                )
            }
            PaymentState::Cancelled
            | PaymentState::Rejected
            | PaymentState::Returned
            | PaymentState::NotSettled
            | PaymentState::NotFound
            | PaymentState::SentBack => format!(
                "El banco central informa el estado «{label}» y no emite comprobante de ese pago; \
                 aclárelo con el banco emisor."
            ),
        }
    }

    fn hint(&self, hint: &Hint) -> String {
        match *hint {
            Hint::CheckDigit { given, expected } => format!(
                "El dígito verificador de cuenta es {given} y debería ser {expected}; revise los \
                 dígitos."
            ),
            Hint::ReceiverDiffers { given, expected } => format!(
                "La cuenta pertenece a la institución {expected}, no al receptor {given}; pruebe \
                 con receptor {expected}."
            ),
            Hint::CodeNotValidOnDate {
                given,
                expected: Some(expected),
            } => format!(
                "En esa fecha el código {given} no era el de la institución; pruebe con \
                 {expected}."
            ),
            Hint::CodeNotValidOnDate {
                given,
                expected: None,
            } => format!(
                "En esa fecha ningún participante tenía el código {given}; revise fecha y código."
            ),
            Hint::DayAndMonthSwapped { other } => {
                format!("Tal vez el día y el mes están intercambiados; pruebe con fecha {other}.")
            }
            Hint::AmountLooksLikeCentavos => {
                "El monto parece estar en centavos; indíquelo en pesos, con punto decimal."
                    .to_owned()
            }
            Hint::DateInTrackingKey { found } => {
                format!("La clave de rastreo contiene la fecha {found}; pruebe con ella en fecha.")
            }
            Hint::NotABankingDay { operation_date } => format!(
                "La fecha es inhábil; la transferencia se operó el {operation_date}. Indique el \
                 día en que se hizo la transferencia."
            ),
            Hint::MaybeOperationDate { other } => format!(
                "La fecha puede ser la de operación; si la transferencia se hizo antes (después \
                 de las 18:00 o en día inhábil), pruebe con fecha {other}."
            ),
        }
    }

    fn invalid_api_key(&self) -> &'static str {
        "Clave de API inválida. Envíe una clave vigente en un único encabezado x-api-key."
    }

    fn rate_limited(&self, limit: u32, seconds: u64) -> String {
        format!(
            "La clave llegó a su límite de {limit} peticiones por minuto; intente de nuevo en \
             {seconds} s."
        )
    }

    fn quota_exceeded(&self, limit: u64, reset_at: DateTime<Utc>) -> String {
        format!(
            "La clave agotó su cuota de {limit} peticiones del mes; se renueva el {} UTC. Pida un \
             límite mayor si lo necesita antes.",
            reset_at.format("%Y-%m-%d %H:%M")
        )
    }

    fn bank_protocol(&self) -> &'static str {
        "El banco central dio una respuesta que no se entiende; la petición no cuenta en la cuota. \
         Intente más tarde y avise al operador si se repite."
    }

    fn bank_unavailable(&self, seconds: u64) -> String {
        format!(
            "El banco central no está disponible; la petición no cuenta en la cuota. Intente de \
             nuevo en {seconds} s."
        )
    }

    fn bank_throttled(&self, seconds: u64) -> String {
        format!(
            "Por ahora no se puede consultar más al banco central; la petición no cuenta en la \
             cuota. Intente de nuevo en {seconds} s."
        )
    }

    fn bank_timeout(&self) -> &'static str {
        "El banco central no respondió a tiempo; la petición no cuenta en la cuota. Intente de \
         nuevo en unos minutos."
    }

    fn not_ready(&self, components: &[&str]) -> String {
        format!(
            "El servicio no está listo: falla {}. El detalle está en el registro del operador.",
            join(components, "y")
        )
    }

    fn empty_change(&self, fields: &[&str]) -> String {
        format!("La petición no cambia nada; envíe {}.", join(fields, "o"))
    }

    fn no_such_thing(&self) -> &'static str {
        "No existe nada con ese identificador que esta sesión pueda ver; revise el identificador."
    }

    fn admins_only(&self) -> &'static str {
        "Solo los administradores pueden hacer esto; pida el rol al operador."
    }

    fn key_revoked(&self) -> &'static str {
        "La clave está revocada y no vuelve a servir; cree una nueva."
    }

    fn key_rotated(&self) -> &'static str {
        "La clave ya tiene una sucesora; use la sucesora."
    }

    fn too_many_keys(&self, most: u64) -> String {
        format!(
            "La cuenta ya tiene {most} claves activas, el máximo; revoque una que no se use y \
             repita la petición."
        )
    }
}

fn value_problem(problem: FieldErrorKind) -> String {
    match problem {
        FieldErrorKind::Missing => "Este campo es obligatorio; agréguelo.".to_owned(),
        FieldErrorKind::WrongType { expected, found } => {
            format!("Debe ser {}, no {}.", type_name(expected), type_name(found))
        }
        FieldErrorKind::Date(error) => match error {
            DateError::Malformed => "Escríbala como AAAA-MM-DD, por ejemplo 2025-02-03.".to_owned(),
            DateError::NoSuchDay => "Ese día no existe en el calendario.".to_owned(),
            DateError::InFuture { today } => {
                format!("No puede ser posterior a hoy en la Ciudad de México ({today}).")
            }
        },
        FieldErrorKind::TrackingKey(error) => match error {
            TrackingKeyError::Empty => "No puede estar vacía.".to_owned(),
            TrackingKeyError::TooLong { length } => format!(
                "Puede tener hasta {} caracteres y tiene {length}.",
                tracking_key::MAX_LENGTH
            ),
            TrackingKeyError::Character { character, place } => format!(
                "El carácter U+{:04X} en el lugar {place} no se acepta; use letras sin acento, \
                 dígitos y signos ASCII, sin < > \" \\.",
                u32::from(character)
            ),
        },
        FieldErrorKind::Account(error) => match error {
            AccountError::NotDigits => "Sólo puede tener dígitos, espacios y guiones.".to_owned(),
            AccountError::Length { digits } => {
                format!("Debe tener 18 dígitos (CLABE) o 16 (tarjeta) y tiene {digits}.")
            }
        },
        FieldErrorKind::Amount(error) => match error {
            AmountError::NotDecimal => {
                "Debe ser un número decimal sin separador de miles, por ejemplo 1234.56.".to_owned()
            }
            AmountError::Exponent => {
                "No se acepta notación científica; escriba el número completo.".to_owned()
            }
            AmountError::NotPositive => "Debe ser mayor que cero.".to_owned(),
            AmountError::TooManyDecimals => "Puede tener hasta dos decimales.".to_owned(),
            AmountError::TooLarge => format!(
                "Puede tener hasta {} dígitos antes del punto.",
                amount::MAX_INTEGER_DIGITS
            ),
        },
        FieldErrorKind::Participant(error) => match error {
            ParticipantError::Malformed => {
                "Debe ser el código de 5 dígitos de un participante (2001 es el banco central)."
                    .to_owned()
            }
            ParticipantError::Unknown => {
                "Ningún participante tiene ese código; revise el catálogo de participantes."
                    .to_owned()
            }
        },
    }
}

fn input_problem(problem: InputProblem) -> String {
    match problem {
        InputProblem::Unknown => "No se conoce; quítelo o revise cómo se escribe.".to_owned(),
        InputProblem::NotOneOf(words) => format!("Debe ser {}.", join(words, "o")),
        InputProblem::NotWithin { least, most } => {
            format!("Debe ser un número entero entre {least} y {most}, con cifras solamente.")
        }
        InputProblem::Name => {
            "Debe tener de 1 a 100 caracteres, ninguno de ellos invisible o de control.".to_owned()
        }
        InputProblem::Search => format!(
            "Puede tener hasta {MAX_SEARCH_LENGTH} caracteres, ninguno de ellos de control."
        ),
        InputProblem::Instant => {
            "Escríbalo según RFC 3339, por ejemplo 2026-11-20T12:00:00Z.".to_owned()
        }
        InputProblem::Id => "Debe ser un UUID.".to_owned(),
        InputProblem::Cursor => "No es un lugar de esta lista; use el valor de next de la página \
                                 anterior, con los mismos filtros y el mismo orden."
            .to_owned(),
        InputProblem::Beside(other) => {
            format!("No puede ir junto con {other}; envíe uno de los dos.")
        }
        InputProblem::Without(other) => format!("Necesita también {other}; agréguelo."),
        InputProblem::Backwards => "Debe ser anterior a to.".to_owned(),
        InputProblem::TooLong(granularity) => format!(
            "El periodo pasa de {} intervalos; pida uno más corto o intervalos más largos \
             (granularity).",
            granularity.most_slots()
        ),
    }
}

/// A JSON type with its article.
fn type_name(name: &str) -> &str {
    match name {
        "string" => "un texto",
        "number" => "un número",
        "boolean" => "un booleano",
        "array" => "una lista",
        "object" => "un objeto",
        "null" => "null",
        other => other,
    }
}
