//! nginx with Lua, doing the gateway's work without the journal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use testkit::free_port;

use super::keys::Keys;
use super::servers::{SECRET, Server};

const CONFIGURATION: &str = include_str!("../../nginx/nginx.conf");
const GATE: &str = include_str!("../../nginx/gate.lua");
/// The very script that the gateway runs in Redis.
pub(super) const ADMIT: &str = concat!(
    include_str!("../../../adapters/outbound/limiter-redis/src/scripts/common.lua"),
    include_str!("../../../adapters/outbound/limiter-redis/src/scripts/admit.lua")
);

/// The Debian packages that are missing for it.
pub(super) fn missing() -> Vec<&'static str> {
    let (modules, lua) = (modules(), Path::new("/usr/share/lua/5.1"));
    let here = [
        ("nginx", PathBuf::from("/usr/sbin/nginx")),
        (
            "libnginx-mod-http-lua",
            modules.join("ngx_http_lua_module.so"),
        ),
        ("libnginx-mod-http-ndk", modules.join("ndk_http_module.so")),
        ("lua-nginx-redis", lua.join("nginx/redis.lua")),
        ("lua-cjson", lua.join("cjson/util.lua")),
    ];
    let missing = here.into_iter().filter(|(_, file)| !file.exists());
    missing.map(|(package, _)| package).collect()
}

pub(super) struct Settings<'a> {
    pub(super) keys: &'a Keys,
    pub(super) proof: &'a [u8],
    pub(super) redis: u16,
    /// The script's hash there.
    pub(super) script: &'a str,
    pub(super) workers: usize,
    /// Idle connections to Redis that each worker keeps.
    pub(super) connections: usize,
}

pub(super) fn start(folder: &Path, settings: &Settings<'_>) -> Result<Server> {
    let folder = folder.join("nginx");
    fs::create_dir(&folder)?;
    let port = free_port();
    let configuration = [
        ("@MODULES@", modules().display().to_string()),
        ("@FOLDER@", folder.display().to_string()),
        ("@WORKERS@", settings.workers.to_string()),
        ("@CONNECTIONS@", settings.connections.to_string()),
        ("@SECRET@", SECRET.to_owned()),
        ("@SCRIPT@", settings.script.to_owned()),
        ("@REDIS@", settings.redis.to_string()),
        ("@PORT@", port.to_string()),
    ]
    .into_iter()
    .fold(CONFIGURATION.to_owned(), |text, (name, value)| {
        text.replace(name, &value)
    });
    let write = |name: &str, content: &[u8]| {
        fs::write(folder.join(name), content).with_context(|| format!("writing nginx's {name}"))
    };
    write("nginx.conf", configuration.as_bytes())?;
    write("gate.lua", GATE.as_bytes())?;
    write("keys", settings.keys.for_nginx()?.as_bytes())?;
    write("proof", settings.proof)?;
    let mut command = Command::new("/usr/sbin/nginx");
    command.arg("-c").arg(folder.join("nginx.conf"));
    command.arg("-e").arg(folder.join("error.log"));
    Server::start(command, port)
}

fn modules() -> PathBuf {
    PathBuf::from("/usr/lib/nginx/modules")
}
