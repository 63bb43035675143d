//! Problems of GraphQL requests, and user errors of mutations.

use std::time::Duration;

use async_graphql::Enum;

use super::catalogue::catalogue;
use super::code::Code;
use crate::headers::retry_after_seconds;

catalogue! {
    /// A problem of a GraphQL request, of its document, or of one field. Its code is `extensions.code`.
    /// Caller-supplied strings must be shortened first: the message repeats them verbatim.
    pub enum GraphqlProblem -> Code {
        PostOnly = Code::MethodNotAllowed, "graphql-post-only";
        /// The `Content-Type` isn't JSON.
        MediaType = Code::UnsupportedMediaType, "graphql-media-type";
        BodyTooLarge { max_bytes: usize }
            = Code::PayloadTooLarge, "graphql-body-too-large"(max_bytes: max_bytes);
        BodyTimeout = Code::Timeout, "graphql-body-timeout";
        /// The connection failed before the whole body arrived.
        IncompleteBody = Code::InvalidRequest, "graphql-incomplete-body";
        /// The body isn't JSON; line and column count from 1.
        MalformedJson { line: usize, column: usize }
            = Code::InvalidRequest, "graphql-malformed-json"(line: line, column: column);
        /// The body is an array of requests.
        Batch = Code::InvalidRequest, "graphql-batch";
        /// The body is JSON, but not a GraphQL request.
        BodyShape = Code::InvalidRequest, "graphql-body-shape";
        /// An unknown member whose name is close to a known one that is absent.
        MisspeltMember { name: String, meant: &'static str }
            = Code::InvalidRequest, "graphql-misspelt-member"(name: name, meant: meant);
        /// The document can't be parsed; line and column count from 1.
        Syntax { line: usize, column: usize }
            = Code::InvalidRequest, "graphql-syntax"(line: line, column: column);
        /// The document can't be parsed, and the parser gives no position.
        SyntaxUnplaced = Code::InvalidRequest, "graphql-syntax-unplaced";
        /// The document fails validation; `reason` is async-graphql's text, in English.
        InvalidDocument { reason: String }
            = Code::InvalidRequest, "graphql-invalid-document"(reason: reason);
        /// The document has several operations, and the request no `operationName`.
        OperationNameRequired = Code::InvalidRequest, "graphql-operation-name-required";
        /// The document has no operation named `operationName`.
        UnknownOperation = Code::InvalidRequest, "graphql-unknown-operation";
        /// A required variable has no value.
        VariableRequired { name: String }
            = Code::InvalidRequest, "graphql-variable-required"(name: name);
        IntrospectionDisabled = Code::InvalidRequest, "graphql-introspection-disabled";
        /// The execution exceeded its deadline.
        Timeout { seconds: u64 } = Code::Timeout, "graphql-timeout"(seconds: seconds);
        Internal = Code::InternalError, "graphql-internal-error";
        /// A subscription sent by POST; `path` is that of the WebSocket.
        SubscriptionOverPost { path: &'static str }
            = Code::InvalidRequest, "graphql-subscription-over-post"(path: path);
        /// A query or a mutation sent over a WebSocket.
        SubscriptionsOnly = Code::InvalidRequest, "graphql-subscriptions-only";
        /// The session has the maximum number of subscriptions.
        TooManySubscriptions { most: usize }
            = Code::RateLimitExceeded, "graphql-too-many-subscriptions"(most: most);
        /// The session or its account exceeds its request rate.
        SessionBusy { retry_after: Duration }
            = Code::RateLimitExceeded,
            "graphql-session-busy"(seconds: &retry_after_seconds(*retry_after));
        /// The session ended while its WebSocket was open.
        SessionEnded = Code::Unauthenticated, "graphql-session-ended";
        /// The session check failed or timed out.
        SessionUnchecked = Code::ServiceUnavailable, "graphql-session-unchecked";

        /// A fragment spreads itself, directly or through others.
        FragmentCycle = Code::InvalidRequest, "graphql-fragment-cycle";
        /// `first` is outside its range.
        PageSize { field: String, most: u32 }
            = Code::InvalidRequest, "graphql-page-size"(field: field, most: most);
        Cost { most: u64 } = Code::QueryTooComplex, "graphql-cost"(most: most);
        Selections { most: u64 } = Code::QueryTooComplex, "graphql-selections"(most: most);
        /// Selection sets are nested too deeply.
        Levels { most: u64 } = Code::QueryTooComplex, "graphql-levels"(most: most);
        /// Brackets are nested too deeply.
        Nesting { most: u64 } = Code::QueryTooComplex, "graphql-nesting"(most: most);
        Tokens { most: u64 } = Code::QueryTooComplex, "graphql-tokens"(most: most);

        /// The field is reserved for admins.
        Forbidden = Code::Forbidden, "graphql-forbidden";
        /// The resource doesn't exist, or belongs to another account.
        NotFound = Code::NotFound, "graphql-not-found";
        /// An argument has an invalid value; `reason` is async-graphql's text, in English.
        UnreadableArgument { reason: String }
            = Code::InvalidRequest, "graphql-unreadable-argument"(reason: reason);
        /// The argument isn't an integer within its range.
        ArgumentInteger { argument: &'static str, least: i64, most: u64 }
            = Code::InvalidRequest,
            "argument-integer"(argument: argument, least: least, most: most);
        /// The argument isn't a cursor of this list.
        ArgumentCursor { argument: &'static str }
            = Code::InvalidRequest, "argument-wrong-cursor"(argument: argument);
        /// The argument isn't a well-formed id.
        ArgumentMalformedId { argument: &'static str }
            = Code::InvalidRequest, "argument-malformed-id"(argument: argument);
        /// The argument isn't a request id.
        ArgumentRequestId { argument: &'static str }
            = Code::InvalidRequest, "argument-request-id"(argument: argument);
        /// The search text is too long or has control characters.
        ArgumentMalformedText { argument: &'static str }
            = Code::InvalidRequest,
            "argument-malformed-text"(argument: argument, most: &crate::MAX_SEARCH_LENGTH);
        /// A value within the argument is refused; `fault` is a sentence in the caller's language.
        ArgumentValue { argument: String, fault: String }
            = Code::InvalidRequest, "argument-value"(argument: argument, fault: fault);
        /// The period ends before it begins.
        ArgumentBackwards { argument: &'static str }
            = Code::InvalidRequest, "argument-backwards"(argument: argument);
        /// The argument has both `newest` and `from`/`to`, or neither.
        ArgumentRangeEnds { argument: &'static str }
            = Code::InvalidRequest, "argument-range-ends"(argument: argument);
        /// The period contains no slot of the chart.
        ArgumentEmptyPeriod { argument: &'static str }
            = Code::InvalidRequest, "argument-empty-period"(argument: argument);
        /// The period has more slots than a chart allows.
        ArgumentPeriodTooLong { argument: &'static str, slots: usize }
            = Code::InvalidRequest,
            "argument-period-too-long"(argument: argument, slots: slots);
    }
}

/// Kind of refusal of a mutation.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserErrorCode {
    /// A value is out of its range or of the wrong shape; `field` says which.
    Invalid,
    /// It doesn't exist, or it isn't yours.
    NotFound,
    /// Only admins may.
    Forbidden,
    /// The key is revoked, and has to be active for this.
    Revoked,
    /// The key has a successor already.
    AlreadyRotated,
    /// The account has as many active keys as its plan allows.
    TooManyKeys,
    /// The account created or rotated as many keys in an hour as it may.
    TooManyNewKeys,
    /// The lookup has ended, so it can't be canceled.
    LookupFinal,
    /// The lookup hasn't ended, so it can't be erased.
    LookupNotFinal,
    /// The batch has ended, so it can't be canceled.
    BatchFinal,
    /// The batch hasn't ended, so it can't be erased.
    BatchNotFinal,
    /// The account has as many webhooks as it may have.
    TooManyWebhooks,
    /// The webhook is disabled, so nothing is sent to it.
    WebhookDisabled,
    /// The delivery is still tried, so it can't be sent again.
    DeliveryPending,
}

catalogue! {
    /// Reason why a mutation was refused, an entry of `userErrors` in its payload.
    #[derive(Copy)]
    pub enum UserProblem -> UserErrorCode {
        /// The key's name is invalid.
        Name = UserErrorCode::Invalid, "user-name";
        /// The grace period, in hours, is outside its range.
        Grace { most: u32 } = UserErrorCode::Invalid, "user-grace"(most: most);
        /// The limit per minute is outside its range.
        PerMinute { most: u32 } = UserErrorCode::Invalid, "user-per-minute"(most: most);
        /// The monthly quota is outside its range.
        MonthlyQuota { most: u64 } = UserErrorCode::Invalid, "user-monthly-quota"(most: most);
        /// The input names no limit to change.
        NoLimit = UserErrorCode::Invalid, "user-no-limit";
        /// The resource doesn't exist, or belongs to another account.
        NotFound = UserErrorCode::NotFound, "user-not-found";
        /// The mutation is reserved for admins.
        Forbidden = UserErrorCode::Forbidden, "user-forbidden";
        Revoked = UserErrorCode::Revoked, "user-revoked";
        AlreadyRotated = UserErrorCode::AlreadyRotated, "user-already-rotated";
        TooManyKeys { most: u64 }
            = UserErrorCode::TooManyKeys, "user-too-many-keys"(most: most);
        /// The account reached the limit of keys created or rotated in an hour.
        TooManyNewKeys { most: usize, retry_after: Duration }
            = UserErrorCode::TooManyNewKeys,
            "user-too-many-new-keys"(most: most, minutes: &super::minutes(*retry_after));
        LookupFinal = UserErrorCode::LookupFinal, "user-lookup-final";
        LookupNotFinal = UserErrorCode::LookupNotFinal, "user-lookup-not-final";
        BatchFinal = UserErrorCode::BatchFinal, "user-batch-final";
        BatchNotFinal = UserErrorCode::BatchNotFinal, "user-batch-not-final";
        /// The input names no property of the webhook to change.
        NoChange = UserErrorCode::Invalid, "user-no-change";
        /// The webhook would subscribe to the test event, which is only sent on request.
        TestEvent = UserErrorCode::Invalid, "user-test-event";
        TooManyWebhooks { most: usize }
            = UserErrorCode::TooManyWebhooks, "user-too-many-webhooks"(most: most);
        WebhookDisabled = UserErrorCode::WebhookDisabled, "user-webhook-disabled";
        /// The delivery is still being attempted.
        DeliveryPending = UserErrorCode::DeliveryPending, "user-delivery-pending";
    }
}
