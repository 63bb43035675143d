//! The people who can sign in. Their subjects never change, so what belongs to them is still theirs
//! after a restart.

/// The subject of the demo person who manages its own keys.
pub const MEMBER: &str = "demo-member";
/// The subject of the demo person who manages everybody's.
pub const ADMIN: &str = "demo-admin";

/// A person who doesn't exist.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DemoPerson {
    pub(crate) subject: &'static str,
    pub(crate) name: &'static str,
    pub(crate) username: &'static str,
    pub(crate) roles: &'static [&'static str],
}

/// Everybody.
pub(crate) const PEOPLE: [DemoPerson; 2] = [
    DemoPerson {
        subject: MEMBER,
        name: "Ana Demo",
        username: "ana.demo",
        roles: &[],
    },
    DemoPerson {
        subject: ADMIN,
        name: "Admin Demo",
        username: "admin.demo",
        roles: &["cep-admin"],
    },
];

/// The person with a subject.
pub(crate) fn person(subject: &str) -> Option<&'static DemoPerson> {
    PEOPLE.iter().find(|person| person.subject == subject)
}
