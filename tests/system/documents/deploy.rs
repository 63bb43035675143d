//! `deploy/README.md`: secrets and passwords, as far as they need no container.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use testkit::redis::Redis;
use testkit::tls::Certificates;

use super::page::Page;
use super::shell::Shell;

#[test]
fn secrets_of_one_machine_with_containers() {
    let Some(mut shell) = Shell::open(&["openssl", "redis-cli", "redis-server"]) else {
        return;
    };
    let mut page = Page::open("deploy/README.md");
    let files = Certificates::new(&shell.file("."), "DNS:cep.example.org");
    let files = files.expect("the shell was opened with openssl");
    fs::rename(files.certificate, shell.file("fullchain.pem")).unwrap();
    fs::rename(files.key, shell.file("privkey.pem")).unwrap();
    shell.run(&page.next("One machine with containers").text);
    let mode = |name: &str| {
        let file = fs::metadata(shell.file(name)).unwrap();
        file.permissions().mode() & 0o777
    };
    assert_eq!(mode("deploy/secrets"), 0o700);
    assert_eq!(mode("deploy/secrets/tls.key"), 0o644);

    let acl = shell.file("deploy/secrets/redis.acl");
    let redis = Redis::start(&["--aclfile", acl.to_str().unwrap()]);
    let redis = redis.expect("the shell was opened with redis-server");
    // The page's function runs in the container; this one does the same with the test's server.
    let port = redis.port();
    shell.run(&format!(
        "redis() {{ REDISCLI_AUTH=$(cat deploy/secrets/redis_operator_password) \
           redis-cli -e -p {port} --user operator \"$@\"; }}"
    ));
    let old = password(&mut shell);
    let asks = |password: &str| format!("redis-cli -e -p {port} auth cep {password}");

    shell.run(&asks(&old));
    let mut next = |shell: &mut Shell| shell.run(&page.next("One machine with containers").text);
    assert_eq!(next(&mut shell).trim(), "OK");
    next(&mut shell);
    let new = password(&mut shell);
    assert_ne!(old, new);
    shell.run(&asks(&old));
    shell.run(&asks(&new));
    next(&mut shell);
    shell.run(&asks(&new));
    let said = shell.refused(&asks(&old));
    assert!(said.contains("WRONGPASS"), "{said}");
    page.finish();

    // Except on this machine, Redis speaks TLS.
    shell.run("sed -i 's|^redis:|rediss:|' deploy/secrets/redis_url");
    shell.run("deploy/redis-password add");
    assert_ne!(password(&mut shell), new);
}

/// The gateway's password.
pub(super) fn password(shell: &mut Shell) -> String {
    let found = shell.run("sed -n 's|^rediss\\?://cep:\\(.*\\)@.*|\\1|p' deploy/secrets/redis_url");
    found.trim().to_owned()
}
