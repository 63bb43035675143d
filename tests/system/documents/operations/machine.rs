//! One gateway on one machine, with its data in a folder.

use std::fs;
use std::io::Write;

use reqwest::Method;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

use super::{BACKUP, ROTATING, assert_status, is_good, is_refused, listed, serve};
use crate::documents::page::{Block, Page};
use crate::documents::shell::{Server, Shell};
use crate::gateway::{Key, json_of};
use crate::person::{Demo, Person};

pub(super) struct Machine {
    shell: Shell,
    server: Server,
}

/// Keys that were changed after a backup.
pub(super) struct Lost {
    kept: Key,
    /// Revoked after it: by a command, by a person, by the end of a rotation's time of grace.
    revoked: [Key; 3],
    /// Made after it; the second was revoked, too.
    made: Vec<Key>,
}

impl Machine {
    pub(super) fn start(mut shell: Shell) -> Self {
        let server = serve(&mut shell);
        Self { shell, server }
    }

    fn restart(&mut self) {
        self.shell.stop(&self.server);
        self.server = serve(&mut self.shell);
    }

    pub(super) async fn rotates_its_secret(&mut self, page: &mut Page) {
        let old = self.shell.key();
        self.shell.run(&page.next(ROTATING).text);
        let mode = |name| fs::metadata(name).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(self.shell.file("data/secret")), 0o600);
        self.restart();
        let new = self.shell.key();
        assert_status(&self.server, &old, 200).await;
        assert_status(&self.server, &new, 200).await;
        assert_eq!(self.generation(&old), "1");
        assert_eq!(self.generation(&new), "2");
    }

    fn generation(&mut self, key: &Key) -> String {
        let id = &key.id;
        let asked = format!("SELECT hash_generation FROM api_keys WHERE id = '{id}'");
        let found = self.shell.run(&format!("sqlite3 data/cep.db \"{asked}\""));
        found.trim().to_owned()
    }

    pub(super) async fn repairs_a_mistyped_secret(&mut self, page: &mut Page) {
        let key = self.shell.key();
        let file = self.shell.file("data/secret");
        let secrets = fs::read_to_string(&file).unwrap();
        let write = |new: &str| fs::write(&file, format!("3:{},{secrets}", new.repeat(40)));
        write("m").unwrap();
        self.restart();
        self.shell.stop(&self.server);
        write("r").unwrap();
        let refused = self.shell.refused("cep-gateway keys list");
        assert!(refused.contains("secret of generation 3"), "{refused}");
        self.shell.run(&page.next(ROTATING).text);
        self.server = serve(&mut self.shell);
        assert_status(&self.server, &key, 200).await;
    }

    /// Makes a backup while the gateway serves, with keys in it that are used.
    pub(super) async fn backs_up(&mut self, page: &mut Page) -> Lost {
        let [kept, by_command, by_rotation] = [(); 3].map(|()| self.shell.key());
        let member = self.member().await;
        let by_person = member.create_key("test", "test").await;
        let revoked = [by_command, by_person, by_rotation];
        for key in revoked.iter().chain([&kept]) {
            assert_status(&self.server, key, 200).await;
        }
        let checked = self.shell.run(&page.next(BACKUP).text);
        assert!(checked.starts_with("m00"), "{checked}");
        assert!(checked.ends_with("\nok\n"), "{checked}");
        self.no_copy_is_not_checked();
        let copy = fs::metadata(self.shell.file("copy.db")).unwrap();
        assert_eq!(copy.permissions().mode() & 0o777, 0o600);
        assert_status(&self.server, &kept, 200).await;
        let made = Vec::new();
        Lost {
            kept,
            revoked,
            made,
        }
    }

    /// The check of a copy fails for none and for an empty one.
    fn no_copy_is_not_checked(&mut self) {
        let check = "sqlite3 -readonly empty.db \
             'SELECT max(version) FROM seaql_migrations; PRAGMA integrity_check'";
        fs::write(self.shell.file("empty.db"), "").unwrap();
        self.shell.refused(check);
        self.shell.refused(&check.replace("empty.db", "missing.db"));
    }

    async fn member(&self) -> Person {
        Person::signed_in_at(self.server.url(""), Demo::Member).await
    }

    /// Changes keys after the backup, by the page's command and otherwise.
    pub(super) async fn loses(&mut self, lost: &mut Lost, command: &Block) {
        let [by_command, by_person, by_rotation] = &lost.revoked;
        lost.made = vec![self.shell.key(), self.shell.key()];
        for key in [by_command, &lost.made[1]] {
            self.shell.set(&[("ID", &key.id)]);
            self.shell.run(&command.text);
        }
        let limits = format!("{} --per-minute 120 --monthly-quota 5000", lost.kept.id);
        let set = format!("cep-gateway keys set-limits {limits} 2>> gateway.log");
        self.shell.run(&set);
        let path = format!("/keys/{}", by_person.id);
        let gone = self.member().await.request(Method::DELETE, &path).send();
        json_of(gone.await.unwrap(), 200).await;
        // A time of grace is an hour at least: the line that a rotation writes, of some time ago.
        let line = json!({
            "target": "cep::keys", "action": "key_rotated", "key": by_rotation.id,
            "retires_at": "2026-01-01T00:00:00.000Z",
        });
        let log = self.shell.file("gateway.log");
        let mut log = fs::File::options().append(true).open(log).unwrap();
        writeln!(log, "{line}").unwrap();
        for key in [by_command, by_person, &lost.made[1]] {
            is_refused(&self.server, key).await;
        }
        assert_status(&self.server, &lost.made[0], 200).await;
    }

    pub(super) fn restores(&mut self, lost: &Lost, restore: &Block) {
        let by_command = &lost.revoked[0];
        let before = self.shell.run("cep-gateway keys list --json");
        let said = self.shell.refused(&restore.text);
        assert!(said.contains("failed to get lock"), "{said}");
        assert_eq!(self.shell.run("cep-gateway keys list --json"), before);

        self.shell.stop(&self.server);
        for other in ["missing.db", "empty.db"] {
            let restore = restore.text.replace("copy.db", other);
            self.shell.refused(&restore);
            assert_eq!(self.shell.run("cep-gateway keys list --json"), before);
        }
        assert!(!self.shell.file("missing.db").exists());
        self.shell.run(&restore.text);
        let is_older = is_good(&mut self.shell, by_command);
        assert!(is_older, "the copy is from before");
        for made in &lost.made {
            assert!(listed(&mut self.shell, made).is_none());
        }
    }

    pub(super) async fn revokes_again(&mut self, lost: &Lost, revocations: &Block, limits: &Block) {
        let printed = self.shell.run(&revocations.text);
        let gone = format!("not revoked: {}\n", lost.made[1].id);
        assert!(printed.contains(&gone), "{printed}");
        assert_eq!(printed.matches("not revoked").count(), 1, "{printed}");
        let id = &lost.kept.id;
        self.shell.set(&[("ID", id)]);
        let listed = self.shell.run(&limits.text);
        assert!(listed.contains(r#""per_minute":120"#), "{listed}");
        let asked = format!("SELECT per_minute, monthly_quota FROM api_keys WHERE id = '{id}'");
        let set = self.shell.run(&format!("sqlite3 data/cep.db \"{asked}\""));
        assert_eq!(set.trim(), "120|5000");
        self.server = serve(&mut self.shell);
        assert_status(&self.server, &lost.kept, 200).await;
        for key in lost.revoked.iter().chain(&lost.made) {
            assert_status(&self.server, key, 401).await;
        }
        self.shell.stop(&self.server);
        let check = "sqlite3 data/cep.db 'PRAGMA integrity_check'";
        let whole = self.shell.run(check);
        assert_eq!(whole.trim(), "ok");
    }
}
