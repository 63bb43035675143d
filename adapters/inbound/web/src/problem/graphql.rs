//! Problems of GraphQL requests, and refusals of its mutations.

use std::time::Duration;

use super::catalogue::catalogue;
use super::code::Code;
use crate::headers::retry_after_seconds;

catalogue! {
    /// A problem of a GraphQL request, of its query, or of one of its fields. Its code is
    /// `extensions.code`. Texts of the caller's must be short: they are repeated as they are.
    pub enum GraphqlProblem -> Code {
        /// Not a POST.
        PostOnly = Code::MethodNotAllowed, "graphql-post-only";
        /// A body that isn't declared as JSON.
        MediaType = Code::UnsupportedMediaType, "graphql-media-type";
        /// A body that is too large.
        BodyTooLarge { max_bytes: usize }
            = Code::PayloadTooLarge, "graphql-body-too-large"(max_bytes: max_bytes);
        /// A body that didn't arrive in time.
        BodyTimeout = Code::Timeout, "graphql-body-timeout";
        /// A body that ended early.
        IncompleteBody = Code::InvalidRequest, "graphql-incomplete-body";
        /// A body that isn't JSON; the place counts from 1.
        MalformedJson { line: usize, column: usize }
            = Code::InvalidRequest, "graphql-malformed-json"(line: line, column: column);
        /// Several requests in one body.
        Batch = Code::InvalidRequest, "graphql-batch";
        /// A body of other members, or of other types, than a request.
        BodyShape = Code::InvalidRequest, "graphql-body-shape";
        /// A member that is probably meant to be one of a request's that is absent.
        MisspeltMember { name: String, meant: &'static str }
            = Code::InvalidRequest, "graphql-misspelt-member"(name: name, meant: meant);
        /// A query that can't be parsed; the place counts from 1.
        Syntax { line: usize, column: usize }
            = Code::InvalidRequest, "graphql-syntax"(line: line, column: column);
        /// A query that can't be parsed, without a known place.
        SyntaxUnplaced = Code::InvalidRequest, "graphql-syntax-unplaced";
        /// A query that doesn't fit the schema; the reason is the library's, in English.
        InvalidDocument { reason: String }
            = Code::InvalidRequest, "graphql-invalid-document"(reason: reason);
        /// Several operations, and no `operationName`.
        OperationNameRequired = Code::InvalidRequest, "graphql-operation-name-required";
        /// An `operationName` that the document lacks.
        UnknownOperation = Code::InvalidRequest, "graphql-unknown-operation";
        /// A variable without a value.
        VariableRequired { name: String }
            = Code::InvalidRequest, "graphql-variable-required"(name: name);
        /// A query for the schema, which isn't served.
        IntrospectionDisabled = Code::InvalidRequest, "graphql-introspection-disabled";
        /// No answer in time.
        Timeout { seconds: u64 } = Code::Timeout, "graphql-timeout"(seconds: seconds);
        /// A fault of the gateway.
        Internal = Code::InternalError, "graphql-internal-error";
        /// A subscription that isn't sent over a WebSocket.
        SubscriptionOverPost { path: &'static str }
            = Code::InvalidRequest, "graphql-subscription-over-post"(path: path);
        /// Another operation over a WebSocket.
        SubscriptionsOnly = Code::InvalidRequest, "graphql-subscriptions-only";
        /// A session that has as many subscriptions as it may have.
        TooManySubscriptions { most: usize }
            = Code::RateLimitExceeded, "graphql-too-many-subscriptions"(most: most);
        /// A session, or its account, that sends too many requests.
        SessionBusy { retry_after: Duration }
            = Code::RateLimitExceeded,
            "graphql-session-busy"(seconds: &retry_after_seconds(*retry_after));
        /// A session that ended while its connection lasted.
        SessionEnded = Code::Unauthenticated, "graphql-session-ended";
        /// A session that can't be checked now.
        SessionUnchecked = Code::ServiceUnavailable, "graphql-session-unchecked";

        /// A fragment that spreads itself.
        FragmentCycle = Code::InvalidRequest, "graphql-fragment-cycle";
        /// A `first` outside its range.
        PageSize { field: String, most: u32 }
            = Code::InvalidRequest, "graphql-page-size"(field: field, most: most);
        /// Too many levels of fields.
        Depth { most: u64 } = Code::QueryTooComplex, "graphql-depth"(most: most);
        /// Too many levels of fields below `__schema` and `__type`.
        IntrospectionDepth { most: u64 }
            = Code::QueryTooComplex, "graphql-introspection-depth"(most: most);
        /// Too many points of complexity.
        Cost { most: u64 } = Code::QueryTooComplex, "graphql-cost"(most: most);
        /// Too many points of complexity below `__schema` and `__type`.
        IntrospectionCost { most: u64 }
            = Code::QueryTooComplex, "graphql-introspection-cost"(most: most);
        /// Too many fields and fragments.
        Selections { most: u64 } = Code::QueryTooComplex, "graphql-selections"(most: most);
        /// Too many directives.
        Directives { most: u64 } = Code::QueryTooComplex, "graphql-directives"(most: most);
        /// Too many fragments.
        Fragments { most: u64 } = Code::QueryTooComplex, "graphql-fragments"(most: most);
        /// Too many operations.
        Operations { most: u64 } = Code::QueryTooComplex, "graphql-operations"(most: most);
        /// Too many mutations.
        Mutations { most: u64 } = Code::QueryTooComplex, "graphql-mutations"(most: most);
        /// Not one field of a subscription.
        Subscriptions { most: u64 }
            = Code::QueryTooComplex, "graphql-subscriptions"(most: most);
        /// Too many levels of selection sets.
        Levels { most: u64 } = Code::QueryTooComplex, "graphql-levels"(most: most);
        /// Too many levels of brackets.
        Nesting { most: u64 } = Code::QueryTooComplex, "graphql-nesting"(most: most);
        /// Too many tokens.
        Tokens { most: u64 } = Code::QueryTooComplex, "graphql-tokens"(most: most);

        /// A field for admins.
        Forbidden = Code::Forbidden, "graphql-forbidden";
        /// A resource that doesn't exist, or isn't the caller's.
        NotFound = Code::NotFound, "graphql-not-found";
        /// An argument that can't be read; the reason is the library's, in English.
        UnreadableArgument { reason: String }
            = Code::InvalidRequest, "graphql-unreadable-argument"(reason: reason);
        /// Not a whole number of the range.
        ArgumentInteger { argument: &'static str, least: i64, most: u64 }
            = Code::InvalidRequest,
            "argument-integer"(argument: argument, least: least, most: most);
        /// Not a cursor of the list.
        ArgumentCursor { argument: &'static str }
            = Code::InvalidRequest, "argument-wrong-cursor"(argument: argument);
        /// A text that is no id of ours.
        ArgumentMalformedId { argument: &'static str }
            = Code::InvalidRequest, "argument-malformed-id"(argument: argument);
        /// A text that is no request id.
        ArgumentRequestId { argument: &'static str }
            = Code::InvalidRequest, "argument-request-id"(argument: argument);
        /// A text that no list is searched for.
        ArgumentMalformedText { argument: &'static str }
            = Code::InvalidRequest,
            "argument-malformed-text"(argument: argument, most: &crate::MAX_SEARCH_LENGTH);
        /// A span that ends before it begins.
        ArgumentBackwards { argument: &'static str }
            = Code::InvalidRequest, "argument-backwards"(argument: argument);
        /// Neither or both of `newest` and the pair of `from` and `to`.
        ArgumentRangeEnds { argument: &'static str }
            = Code::InvalidRequest, "argument-range-ends"(argument: argument);
        /// A period without a slot.
        ArgumentEmptyPeriod { argument: &'static str }
            = Code::InvalidRequest, "argument-empty-period"(argument: argument);
        /// A period of more slots than a chart has.
        ArgumentPeriodTooLong { argument: &'static str, slots: usize }
            = Code::InvalidRequest,
            "argument-period-too-long"(argument: argument, slots: slots);
    }
}

/// The kind of a mutation's refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserErrorCode {
    /// A member of the input has a value that can't be.
    Invalid,
    /// The resource doesn't exist, or isn't the caller's.
    NotFound,
    /// Only admins may.
    Forbidden,
    /// The key is revoked.
    Revoked,
    /// The key has a successor.
    AlreadyRotated,
    /// The account has as many keys as it may have.
    TooManyKeys,
    /// The account created or rotated as many keys in an hour as it may.
    TooManyNewKeys,
    /// The lookup has ended.
    LookupFinal,
    /// The lookup hasn't ended.
    LookupNotFinal,
    /// The batch has ended.
    BatchFinal,
    /// The batch hasn't ended.
    BatchNotFinal,
    /// The account has as many webhooks as it may have.
    TooManyWebhooks,
    /// The webhook is disabled.
    WebhookDisabled,
    /// The delivery is still tried.
    DeliveryPending,
}

catalogue! {
    /// A reason why a mutation was refused, which its payload tells as data in `userErrors`.
    #[derive(Copy)]
    pub enum UserProblem -> UserErrorCode {
        /// Not a name of a key.
        Name = UserErrorCode::Invalid, "user-name";
        /// A time of grace outside its range, in hours.
        Grace { most: u32 } = UserErrorCode::Invalid, "user-grace"(most: most);
        /// Requests a minute outside their range.
        PerMinute { most: u32 } = UserErrorCode::Invalid, "user-per-minute"(most: most);
        /// A monthly quota outside its range.
        MonthlyQuota { most: u64 } = UserErrorCode::Invalid, "user-monthly-quota"(most: most);
        /// A change of nothing.
        NoLimit = UserErrorCode::Invalid, "user-no-limit";
        /// Both a plan and single limits.
        PlanAndLimits = UserErrorCode::Invalid, "user-plan-and-limits";
        /// A resource that doesn't exist, or isn't the caller's.
        NotFound = UserErrorCode::NotFound, "user-not-found";
        /// A mutation for admins.
        Forbidden = UserErrorCode::Forbidden, "user-forbidden";
        /// A revoked key.
        Revoked = UserErrorCode::Revoked, "user-revoked";
        /// A key that has a successor.
        AlreadyRotated = UserErrorCode::AlreadyRotated, "user-already-rotated";
        /// An account with as many keys as it may have.
        TooManyKeys { most: u64 }
            = UserErrorCode::TooManyKeys, "user-too-many-keys"(most: most);
        /// An account that created or rotated as many keys in an hour as it may.
        TooManyNewKeys { most: usize, retry_after: Duration }
            = UserErrorCode::TooManyNewKeys,
            "user-too-many-new-keys"(most: most, minutes: &super::minutes(*retry_after));
        /// A lookup that has ended can't be canceled.
        LookupFinal = UserErrorCode::LookupFinal, "user-lookup-final";
        /// A lookup that hasn't ended can't be erased.
        LookupNotFinal = UserErrorCode::LookupNotFinal, "user-lookup-not-final";
        /// A batch that has ended can't be canceled.
        BatchFinal = UserErrorCode::BatchFinal, "user-batch-final";
        /// A batch that hasn't ended can't be erased.
        BatchNotFinal = UserErrorCode::BatchNotFinal, "user-batch-not-final";
        /// A change of a webhook that changes nothing.
        NoChange = UserErrorCode::Invalid, "user-no-change";
        /// A subscription to tests.
        TestEvent = UserErrorCode::Invalid, "user-test-event";
        /// An account with as many webhooks as it may have.
        TooManyWebhooks { most: usize }
            = UserErrorCode::TooManyWebhooks, "user-too-many-webhooks"(most: most);
        /// A webhook that nothing is sent to.
        WebhookDisabled = UserErrorCode::WebhookDisabled, "user-webhook-disabled";
        /// A delivery that hasn't ended.
        DeliveryPending = UserErrorCode::DeliveryPending, "user-delivery-pending";
    }
}
