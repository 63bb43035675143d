//! Two replicas that share PostgreSQL and Redis.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use testkit::redis::Redis;

use super::{
    BACKUP, MANY, PATIENCE, ROTATING, UPGRADING, assert_status, is_good, is_refused, listed, serve,
    status,
};
use crate::documents::deploy::password;
use crate::documents::page::{Block, Page};
use crate::documents::shell::{Server, Shell};
use crate::gateway::{Key, eventually};
use crate::servers::Servers;

pub(super) struct Replicas {
    shell: Shell,
    both: [Server; 2],
    servers: Servers,
    key: Key,
}

/// Keys that were changed after a backup.
pub(super) struct Lost {
    kept: Key,
    revoked: Key,
    made: Key,
}

/// Requires passwords from the gateway's users: the tests' PostgreSQL trusts every client by
/// default.
fn want_passwords(servers: &Servers) {
    let rules = servers.database.server().folder().join("data/pg_hba.conf");
    let others = fs::read_to_string(&rules).unwrap();
    // Not by SCRAM: its key derivation is slow in a program that isn't optimised.
    let users = "host all cep,cep_b,cep_owner 127.0.0.1/32 password";
    fs::write(&rules, format!("{users}\n{others}")).unwrap();
    let server = servers.database.server();
    server.ask("postgres", "SELECT pg_reload_conf()");
}

impl Replicas {
    /// Makes users, the schema and the first key by the page, and starts two replicas.
    pub(super) async fn start(
        mut shell: Shell,
        mut servers: Servers,
        users_of_redis: &Path,
        page: &mut Page,
    ) -> Self {
        want_passwords(&servers);
        let [database, redis] = [servers.database.server().port(), servers.redis.port()];
        shell.set(&[
            ("PGHOST", "127.0.0.1"),
            ("PGPORT", &database.to_string()),
            ("PGUSER", testkit::postgres::USER),
            ("PGDATABASE", "postgres"),
            ("REDIS_HOST", "127.0.0.1"),
            ("REDIS_PORT", &redis.to_string()),
            ("CEP_DASHBOARD", "off"),
        ]);
        // The tests' PostgreSQL has no TLS.
        let users = page.next(MANY).with("verify-full", "disable");
        shell.run(&users.text);
        // Redis was started with an empty file of users, so that the page could be given its port.
        fs::remove_file(users_of_redis).unwrap();
        symlink(shell.file("deploy/secrets/redis.acl"), users_of_redis).unwrap();
        servers.redis.kill();
        servers.redis.start_again();
        shell.run(&page.next(MANY).text);
        shell.run(&page.next(MANY).text);
        let key = shell.key();
        let both = [serve(&mut shell), serve(&mut shell)];
        let replicas = Self {
            shell,
            both,
            servers,
            key,
        };
        replicas.all_work().await;
        replicas
    }

    /// Returns whether every replica admits by Redis, and none by its local fallback.
    async fn all_work(&self) {
        for replica in &self.both {
            let works = async || {
                let ready = replica.client.get(replica.url("/readyz")).send().await;
                let ready = ready.unwrap().text().await.unwrap();
                status(replica, &self.key).await == 200 && !ready.contains("degraded")
            };
            eventually("a replica works", PATIENCE, works).await;
        }
    }

    async fn restart(&mut self) {
        for replica in &mut self.both {
            self.shell.stop(replica);
            *replica = serve(&mut self.shell);
        }
        self.all_work().await;
    }

    fn text(&self, file: &str) -> String {
        let text = fs::read_to_string(self.shell.file(file)).unwrap();
        text.trim().to_owned()
    }

    pub(super) async fn rotate_their_secret(&mut self, page: &mut Page) {
        self.shell.run(&page.next(ROTATING).text);
        self.restart().await;
        self.shell.run(&page.next(ROTATING).text);
        // The first rollout is what makes the second one safe: one replica is behind.
        self.shell.stop(&self.both[0]);
        self.both[0] = serve(&mut self.shell);
        let new = self.shell.key();
        for replica in &self.both {
            assert_status(replica, &new, 200).await;
        }
        self.restart().await;
        let generation = |key: &Key| {
            let id = &key.id;
            let asked = format!("SELECT hash_generation FROM api_keys WHERE id = '{id}'");
            self.servers.database.server().ask("cep", &asked)
        };
        assert_eq!([&self.key, &new].map(generation), ["1", "2"]);
    }

    pub(super) async fn rotate_the_databases_password(&mut self, page: &mut Page) {
        let ask = |url: &str| format!("psql --no-psqlrc '{url}' --command 'SELECT 1'");
        let old = ask(&self.text("deploy/secrets/database_url"));
        self.shell.run(&page.next(ROTATING).text);
        let url = self.text("deploy/secrets/database_url");
        let wrong = ask(&url.replace("cep_b:", "cep_b:0"));
        let refused = self.shell.refused(&wrong);
        assert!(refused.contains("password authentication"), "{refused}");
        self.shell.run(&old);
        self.restart().await;
        self.shell.run(&page.next(ROTATING).text);
        let refused = self.shell.refused(&old);
        assert!(refused.contains("not permitted to log in"), "{refused}");
        // New connections, and tables that both users may change.
        self.restart().await;
    }

    pub(super) async fn rotate_redis_password(&mut self, page: &mut Page) {
        let port = self.servers.redis.port();
        let ask = |password: &str| format!("redis-cli -e -p {port} auth cep {password}");
        let old = ask(&password(&mut self.shell));
        self.shell.run(&page.next(ROTATING).text);
        let new = ask(&password(&mut self.shell));
        assert_ne!(old, new);
        self.shell.run(&old);
        self.shell.run(&new);
        self.restart().await;
        self.shell.run(&page.next(ROTATING).text);
        let refused = self.shell.refused(&old);
        assert!(refused.contains("WRONGPASS"), "{refused}");
        self.shell.run(&new);
        self.all_work().await;
    }

    pub(super) fn rotate_a_password_that_stands_in_no_file(&mut self, page: &mut Page) {
        let redis = Redis::start(&[]).expect("another one runs");
        redis.tell(&["ACL", "SETUSER", "cep", "on", ">first", "+time"]);
        let port = redis.port();
        let ask = |password: &str| format!("redis-cli -e -p {port} auth cep {password}");
        // In a subshell, so that the address of this Redis isn't kept.
        let run = |shell: &mut Shell, text: &str| {
            let told = format!("REDIS_PORT={port} OLD=first NEW=second");
            shell.run(&format!("(\n{told}\n{text}\n)"))
        };
        run(&mut self.shell, &page.next(ROTATING).text);
        self.shell.run(&ask("first"));
        self.shell.run(&ask("second"));
        run(&mut self.shell, &page.next(ROTATING).text);
        let refused = self.shell.refused(&ask("first"));
        assert!(refused.contains("WRONGPASS"), "{refused}");
        self.shell.run(&ask("second"));
    }

    pub(super) async fn upgrade(&mut self, page: &mut Page) {
        self.shell.run(&page.next(UPGRADING).text);
        self.all_work().await;
    }

    /// Makes a backup while the replicas serve.
    pub(super) async fn back_up(&mut self, page: &mut Page) -> Lost {
        let [kept, revoked] = [(); 2].map(|()| self.shell.key());
        for key in [&kept, &revoked] {
            assert_status(&self.both[0], key, 200).await;
        }
        self.shell.run(&page.next(BACKUP).text);
        let made = self.shell.key();
        Lost {
            kept,
            revoked,
            made,
        }
    }

    pub(super) async fn lose(&mut self, lost: &Lost) {
        let id = &lost.revoked.id;
        let revoke = format!("cep-gateway keys revoke {id} 2>> gateway.log");
        self.shell.run(&revoke);
        for replica in &self.both {
            is_refused(replica, &lost.revoked).await;
            assert_status(replica, &lost.made, 200).await;
        }
    }

    pub(super) fn restore(&mut self, lost: &Lost, restore: &Block) {
        for replica in &self.both {
            self.shell.stop(replica);
        }
        let redis = "REDISCLI_AUTH=$(cat deploy/secrets/redis_operator_password) \
             redis-cli -e -p \"$REDIS_PORT\" --user operator info keyspace";
        assert!(self.shell.run(redis).contains("db0:"));
        self.shell.run(&restore.text);
        assert!(!self.shell.run(redis).contains("db0:"), "Redis is empty");
        let is_older = is_good(&mut self.shell, &lost.revoked);
        assert!(is_older, "the copy is from before");
        assert!(listed(&mut self.shell, &lost.made).is_none());
    }

    pub(super) async fn revoke_again(&mut self, lost: &Lost, revocations: &Block) {
        let printed = self.shell.run(&revocations.text);
        assert!(!printed.contains("not revoked"), "{printed}");
        for replica in &mut self.both {
            *replica = serve(&mut self.shell);
        }
        self.all_work().await;
        for replica in &self.both {
            assert_status(replica, &lost.kept, 200).await;
            assert_status(replica, &lost.revoked, 401).await;
            assert_status(replica, &lost.made, 401).await;
            self.shell.stop(replica);
        }
    }
}
