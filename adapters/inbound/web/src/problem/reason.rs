//! Reasons: the values of `reason` in an error's `details`, in the order of the description.

/// A reason for machines, finer than the code. It never changes with the language.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Reason {
    InvalidFields,
    SameInstitution,
    EmptyBody,
    IncompleteBody,
    NotUtf8,
    MalformedJson,
    NotAnObject,
    DuplicateKey,
    TooDeep,
    NotInSpei,
    ProofNotIssued,
    EmptyChange,
    NotAProof,
    CrossSite,
    AdminsOnly,
    TooManyKeys,
    TooManyNewKeys,
    Revoked,
    AlreadyRotated,
    NotDelivered,
    FileNotKept,
    TooManyWebhooks,
    WebhookDisabled,
    DeliveryPending,
}
