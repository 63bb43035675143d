//! The users who can sign in. Their subjects never change, so that they keep their API keys after a
//! restart.

/// Subject of the demo person without roles.
pub const MEMBER: &str = "demo-member";
/// Subject of the demo administrator.
pub const ADMIN: &str = "demo-admin";

/// A fictitious user.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DemoPerson {
    pub(crate) subject: &'static str,
    pub(crate) name: &'static str,
    pub(crate) username: &'static str,
    pub(crate) roles: &'static [&'static str],
}

/// All users.
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

/// Returns the user with a subject.
pub(crate) fn person(subject: &str) -> Option<&'static DemoPerson> {
    PEOPLE.iter().find(|person| person.subject == subject)
}
