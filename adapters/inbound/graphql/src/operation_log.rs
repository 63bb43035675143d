//! Log line of a GraphQL request. It contains neither variables nor argument values.

use async_graphql::parser::types::{
    ExecutableDocument, OperationDefinition, OperationType, Selection, SelectionSet,
};
use web::{Code, RequestContext};

/// Maximum characters of a name, and maximum root fields, in a log line.
const MAX_LOGGED_CHARS: usize = 64;
const MAX_LOGGED_FIELDS: usize = 10;

/// Fields of the log line that are known so far.
#[derive(Default)]
pub(crate) struct OperationLog {
    operation: Option<OperationType>,
    name: Option<String>,
    fields: Vec<String>,
    outcome: Option<Code>,
}

impl OperationLog {
    pub(crate) fn record(
        &mut self,
        name: Option<&str>,
        operation: &OperationDefinition,
        document: &ExecutableDocument,
    ) {
        self.operation = Some(operation.ty);
        self.name = name.map(shortened);
        self.record_fields(&operation.selection_set.node, document);
    }

    /// Records the code of the response's first error; `None` means success.
    pub(crate) fn record_outcome(&mut self, outcome: Option<Code>) {
        self.outcome = outcome;
    }

    fn record_fields(&mut self, selections: &SelectionSet, document: &ExecutableDocument) {
        for selection in &selections.items {
            if self.fields.len() == MAX_LOGGED_FIELDS {
                return;
            }
            match &selection.node {
                Selection::Field(field) => self.fields.push(shortened(&field.node.name.node)),
                Selection::InlineFragment(inline) => {
                    self.record_fields(&inline.node.selection_set.node, document);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if let Some(fragment) = document.fragments.get(name) {
                        self.record_fields(&fragment.node.selection_set.node, document);
                    }
                }
            }
        }
    }

    pub(crate) fn write(&self, request_layer: &web::RequestLayer, context: &RequestContext) {
        let now = request_layer.clock.monotonic();
        let duration = now.saturating_sub(context.started);
        tracing::info!(
            target: "cep::graphql",
            request_id = context.request_id.as_str(),
            kind = self.operation.map(operation_name),
            operation = self.name.as_deref(),
            fields = self.fields.join(","),
            outcome = self.outcome.map_or("ok", Code::name),
            duration_ms = web::milliseconds(duration),
        );
    }
}

/// Truncates a name of a document. The grammar limits names to letters, digits and `_`, so no escaping is
/// needed.
fn shortened(name: impl AsRef<str>) -> String {
    name.as_ref().chars().take(MAX_LOGGED_CHARS).collect()
}

fn operation_name(operation: OperationType) -> &'static str {
    match operation {
        OperationType::Query => "query",
        OperationType::Mutation => "mutation",
        OperationType::Subscription => "subscription",
    }
}
