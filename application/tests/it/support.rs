//! A gatekeeper, processes and their world, with fakes that fail or wait when told to.

pub(crate) mod fixture;
pub(crate) mod payments;
mod seals;
mod store;
mod timer;
pub(crate) mod world;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use application::{Caller, KeyError, RequestedScope};
use chrono::{DateTime, Utc};
use domain::audit::AuditContext;
use domain::keys::KeyId;
use domain::limits::Limits;
use domain::people::customer::{Owner, Role};
use domain::request::RequestId;
use ports::outbound::{JournalError, KeyChange, KeyStore, Scope};
use testkit::fakes::MemoryStore;
use uuid::Uuid;

pub(crate) use seals::ScriptedSeals;
pub(crate) use store::WatchedKeys;
pub(crate) use testkit::people::hasher;
pub(crate) use timer::ManualTimer;

/// The noon at which every test begins.
pub(crate) fn noon() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

pub(crate) fn limits(per_minute: u32, quota: Option<u64>) -> Limits {
    Limits::new(per_minute, quota).unwrap()
}

/// The machine's operator, as the command line has it.
pub(crate) fn operator() -> Caller {
    Caller {
        owner: Owner::operator(),
        role: Role::Admin,
        request_id: RequestId::parse("cli-1").unwrap(),
    }
}

pub(crate) fn person(subject: &str, role: Role) -> Caller {
    Caller {
        owner: Owner {
            issuer: "https://identity.example".to_owned(),
            subject: subject.to_owned(),
        },
        role,
        request_id: RequestId::parse(&format!("request-of-{subject}")).unwrap(),
    }
}

pub(crate) static ANA: LazyLock<Caller> = LazyLock::new(|| person("ana", Role::Member));
pub(crate) static LUIS: LazyLock<Caller> = LazyLock::new(|| person("luis", Role::Member));
pub(crate) static ADMIN: LazyLock<Caller> = LazyLock::new(|| person("root", Role::Admin));

pub(crate) const OWN: RequestedScope = RequestedScope::Own;

#[track_caller]
pub(crate) fn assert_not_found<T>(result: Result<T, KeyError>) {
    let error = result.err();
    assert!(matches!(error, Some(KeyError::NotFound)), "{error:?}");
}

#[track_caller]
pub(crate) fn assert_forbidden<T>(result: Result<T, KeyError>) {
    let error = result.err();
    assert!(matches!(error, Some(KeyError::Forbidden)), "{error:?}");
}

/// The context of a change by another process; each time another.
pub(crate) fn act() -> AuditContext {
    static ACTS: AtomicUsize = AtomicUsize::new(1);
    let number = ACTS.fetch_add(1, Ordering::SeqCst);
    AuditContext {
        id: Uuid::from_u128(number as u128),
        at: noon(),
        actor: Owner::operator(),
        request_id: RequestId::parse("elsewhere").unwrap(),
    }
}

/// Another process on the same data.
pub(crate) trait Elsewhere {
    async fn change_key(&self, id: KeyId, change: KeyChange);

    async fn revoke_key(&self, id: KeyId) {
        self.change_key(id, KeyChange::Revoke).await;
    }

    async fn set_key_limits(&self, id: KeyId, limits: Limits) {
        let change = KeyChange::SetLimits(limits.into());
        self.change_key(id, change).await;
    }
}

impl Elsewhere for MemoryStore {
    async fn change_key(&self, id: KeyId, change: KeyChange) {
        let changed = self.change(Scope::Everybody, id, &change, &act()).await;
        changed.unwrap();
    }
}

/// The error of a journal whose disk is full.
pub(crate) fn disk_full() -> JournalError {
    JournalError::Store {
        cause: Arc::new(std::io::Error::other("the disk is full")),
    }
}
