//! The way of one GraphQL request: body, text, document, limits, then its execution.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::parser::parse_query;
use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType, Selection,
    SelectionSet, VariableDefinition,
};
use async_graphql::{Positioned, Request, Response, Value, Variables};
use axum::body::Bytes;
use axum::extract::{Extension, State};
use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response as HttpResponse;
use futures::FutureExt as _;
use ports::inbound::{Caller, Person};
use tokio::time::timeout;
use web::{Incoming, RequestContext};

use crate::answer::{self, Addressee};
use crate::ask::Ask;
use crate::code::Code;
use crate::complete::{Asked, complete};
use crate::refusal::{BodyProblem, Refusal};
use crate::schema::{Asker, Schema};
use crate::shape::Shape;
use crate::{Introspection, MAX_BODY_BYTES, arguments, limits, nesting, variables};

/// Longest time that a request is executed.
pub(crate) const MAX_EXECUTION: Duration = Duration::from_secs(5);

/// What the handler stands on.
pub(crate) struct Endpoint {
    pub(crate) schema: Schema,
    pub(crate) shape: Shape,
    pub(crate) introspection: Introspection,
    pub(crate) request_layer: Arc<web::RequestLayer>,
}

/// Answers one request.
pub(crate) async fn answer(
    State(endpoint): State<Arc<Endpoint>>,
    Extension(call): Extension<RequestContext>,
    Extension(incoming): Extension<Incoming>,
    Extension(caller): Extension<Caller>,
    Extension(person): Extension<Person>,
    headers: HeaderMap,
) -> HttpResponse {
    let to = addressee(&call);
    let mut record = Record::default();
    let read = read(&incoming, &headers).await;
    let answered = match read {
        Ok(body) => {
            let asker = Asker {
                caller,
                person,
                language: call.language,
            };
            endpoint.executed(&body, asker, to, &mut record).await
        }
        Err(refusal) => Err(refusal),
    };
    let response = answered.unwrap_or_else(|refusal| {
        record.outcome = Some(refusal.code());
        let mut response = answer::refused(&refusal, to);
        // The rest of the body isn't waited for (RFC 9110, 15.5.9).
        if matches!(refusal, Refusal::Body(BodyProblem::TooSlow)) {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        response
    });
    record.log(&endpoint.request_layer, &call);
    response
}

/// Answers whatever isn't a POST. The router adds `Allow`.
pub(crate) async fn method_not_allowed(Extension(call): Extension<RequestContext>) -> HttpResponse {
    answer::refused(&Refusal::Body(BodyProblem::Method), addressee(&call))
}

fn addressee(call: &RequestContext) -> Addressee<'_> {
    Addressee {
        request_id: &call.request_id,
        language: call.language,
    }
}

async fn read(incoming: &Incoming, headers: &HeaderMap) -> Result<Bytes, Refusal> {
    let read = incoming.read(headers, MAX_BODY_BYTES).await;
    read.map_err(|problem| {
        Refusal::Body(match problem.code() {
            web::Code::UnsupportedMediaType => BodyProblem::MediaType,
            web::Code::PayloadTooLarge => BodyProblem::TooLarge,
            web::Code::RequestTimeout => BodyProblem::TooSlow,
            _ => BodyProblem::Incomplete,
        })
    })
}

impl Endpoint {
    async fn executed(
        &self,
        body: &[u8],
        asker: Asker,
        to: Addressee<'_>,
        record: &mut Record,
    ) -> Result<HttpResponse, Refusal> {
        let Ask {
            query,
            operation_name,
            mut variables,
        } = Ask::read(body)?;
        nesting::check(&query)?;
        let mut document = parse_query(&query)?;
        let (name, operation) = chosen(&document, operation_name.as_deref())?;
        check_variables(operation, &variables)?;
        variables::check(&document, &self.shape)?;
        // The library knows an operation that is alone and has no name by no name.
        let name = name.map(ToOwned::to_owned);
        variables::settle(&mut document, name.as_deref(), &mut variables);
        limits::check(&document, &variables, self.introspection)?;
        variables::declare(&mut document, &self.shape);
        let (_, operation) = chosen(&document, operation_name.as_deref())?;
        arguments::check(&document, operation, &variables, &self.shape)?;
        record.note(name.as_deref(), operation, &document);

        let mut request = Request::new(query).variables(variables.clone()).data(asker);
        request.operation_name = name;
        request.set_parsed_query(document.clone());
        let mut response = self.run(operation.ty, request, to).await?;
        if is_unexecuted(&response) {
            return Err(Refusal::Document(response.errors));
        }
        let question = Asked {
            document: &document,
            operation,
            variables: &variables,
            shape: &self.shape,
        };
        response.data = complete(question, response.data);
        let (response, code) = answer::executed(response, to)?;
        record.outcome = code;
        Ok(response)
    }

    /// Runs a request to its end, for up to [`MAX_EXECUTION`]. A mutation goes on when nobody waits
    /// for it any more: one that is cut off could leave half of its work.
    async fn run(
        &self,
        kind: OperationType,
        request: Request,
        to: Addressee<'_>,
    ) -> Result<Response, Refusal> {
        let schema = self.schema.clone();
        let execution = async move { schema.execute(request).await };
        let execution = AssertUnwindSafe(execution).catch_unwind();
        let finished = match kind {
            OperationType::Mutation => {
                let task = self.request_layer.tasks.spawn(execution);
                let waited = timeout(MAX_EXECUTION, task).await;
                waited.map(|task| task.unwrap_or_else(|error| Err(Box::new(error))))
            }
            OperationType::Query | OperationType::Subscription => {
                timeout(MAX_EXECUTION, execution).await
            }
        };
        match finished {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(_)) => {
                tracing::error!(request_id = %to.request_id, "a GraphQL request panicked");
                Err(Refusal::Internal)
            }
            Err(_) => Err(Refusal::Timeout {
                seconds: MAX_EXECUTION.as_secs(),
            }),
        }
    }
}

/// Whether the library refused a request before it executed anything: an error of a field has the
/// path of the field.
fn is_unexecuted(response: &Response) -> bool {
    !response.errors.is_empty() && response.errors.iter().all(|error| error.path.is_empty())
}

/// The operation that is to be executed, and its name.
fn chosen<'a>(
    document: &'a ExecutableDocument,
    wanted: Option<&str>,
) -> Result<(Option<&'a str>, &'a OperationDefinition), Refusal> {
    match (&document.operations, wanted) {
        (DocumentOperations::Single(operation), None) => Ok((None, &operation.node)),
        (DocumentOperations::Single(_), Some(_)) => Err(Refusal::UnknownOperation),
        (DocumentOperations::Multiple(operations), Some(wanted)) => operations
            .get_key_value(wanted)
            .map(|(name, operation)| (Some(name.as_str()), &operation.node))
            .ok_or(Refusal::UnknownOperation),
        (DocumentOperations::Multiple(operations), None) => {
            let mut operations = operations.iter();
            match (operations.next(), operations.next()) {
                (Some((name, operation)), None) => Ok((Some(name.as_str()), &operation.node)),
                _ => Err(Refusal::OperationWanted),
            }
        }
    }
}

/// Whether every variable that must have a value has one (GraphQL, October 2021, 6.1.2). The library
/// finds out field by field, when earlier mutations are done already.
fn check_variables(operation: &OperationDefinition, variables: &Variables) -> Result<(), Refusal> {
    let lacks_value = |definition: &&Positioned<VariableDefinition>| {
        let definition = &definition.node;
        let value = variables.get(&definition.name.node);
        let fits = match value {
            Some(Value::Null) => definition.var_type.node.nullable,
            Some(_) => true,
            None => definition.var_type.node.nullable || definition.default_value.is_some(),
        };
        !fits
    };
    let definitions = &operation.variable_definitions;
    match definitions.iter().find(lacks_value) {
        Some(definition) => Err(Refusal::Variable(definition.node.name.node.to_string())),
        None => Ok(()),
    }
}

/// What the log says of a request: never a variable, never a value.
#[derive(Default)]
struct Record {
    kind: Option<OperationType>,
    name: Option<String>,
    fields: Vec<String>,
    outcome: Option<Code>,
}

/// Longest name, and most root fields, that the log says.
const MAX_LOGGED_CHARS: usize = 64;
const MAX_LOGGED_FIELDS: usize = 10;

impl Record {
    fn note(
        &mut self,
        name: Option<&str>,
        operation: &OperationDefinition,
        document: &ExecutableDocument,
    ) {
        self.kind = Some(operation.ty);
        self.name = name.map(logged);
        self.note_fields(&operation.selection_set.node, document);
    }

    fn note_fields(&mut self, selections: &SelectionSet, document: &ExecutableDocument) {
        for selection in &selections.items {
            if self.fields.len() == MAX_LOGGED_FIELDS {
                return;
            }
            match &selection.node {
                Selection::Field(field) => self.fields.push(logged(&field.node.name.node)),
                Selection::InlineFragment(inline) => {
                    self.note_fields(&inline.node.selection_set.node, document);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if let Some(fragment) = document.fragments.get(name) {
                        self.note_fields(&fragment.node.selection_set.node, document);
                    }
                }
            }
        }
    }

    fn log(&self, request_layer: &web::RequestLayer, call: &RequestContext) {
        let spent = request_layer.clock.monotonic().saturating_sub(call.started);
        tracing::info!(
            target: "cep::graphql",
            request_id = call.request_id.as_str(),
            kind = self.kind.map(kind_name),
            operation = self.name.as_deref(),
            fields = self.fields.join(","),
            outcome = self.outcome.map_or("ok", Code::name),
            duration_ms = web::milliseconds(spent),
        );
    }
}

/// A name out of a document. The grammar lets it hold letters, digits and `_` alone.
fn logged(name: impl AsRef<str>) -> String {
    name.as_ref().chars().take(MAX_LOGGED_CHARS).collect()
}

fn kind_name(kind: OperationType) -> &'static str {
    match kind {
        OperationType::Query => "query",
        OperationType::Mutation => "mutation",
        OperationType::Subscription => "subscription",
    }
}
