//! Sessions of Chromium. The tests of a run use those that others have left, since starting Chromium costs more
//! than most tests; a session has no cookie, storage or page of an earlier test.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use fantoccini::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use super::Look;
use super::driver::Driver;

/// Chromium's windows are no narrower; what is narrower is a phone's screen.
const NARROWEST_WINDOW: u32 = 500;

/// A session, and the folder of the files that it saves.
pub(super) struct Session {
    driver: Driver,
    id: String,
    downloads: PathBuf,
    /// Held while the session is this test's.
    _lease: File,
}

impl Session {
    /// A session that nobody uses, or a new one.
    pub(super) async fn take(look: Look, chromium: &Path, chromedriver: &Path) -> Self {
        let driver = Driver::find_or_start(chromedriver);
        let (mut lease, downloads) = (0..)
            .find_map(|number| leased(&driver, look, number))
            .expect("a number is free");
        let mut id = String::new();
        lease.read_to_string(&mut id).unwrap();
        if id.is_empty() || !driver.has_session(&id).await {
            id = started(&driver, look, chromium).await;
            lease.set_len(0).unwrap();
            lease.rewind().unwrap();
            lease.write_all(id.as_bytes()).unwrap();
        }
        let session = Self {
            driver,
            id,
            downloads,
            _lease: lease,
        };
        session.clean().await;
        session
    }

    /// The entries in the browser's console since the last call.
    pub(super) async fn log(&self) -> Value {
        let log = json!({ "type": "browser" });
        self.driver.post(&self.path("/se/log"), &log).await
    }

    fn path(&self, command: &str) -> String {
        format!("/session/{}{command}", self.id)
    }

    pub(super) fn downloads(&self) -> &Path {
        &self.downloads
    }

    /// Sends a command of Chromium's own protocol.
    pub(super) async fn emulate(&self, command: &str, parameters: &Value) {
        let body = json!({ "cmd": command, "params": parameters });
        self.driver
            .post(&self.path("/goog/cdp/execute"), &body)
            .await;
    }

    /// A client, at whose end the session stays.
    pub(super) async fn page(&self) -> Client {
        let driver = self.driver.url("");
        let page = Client::with_existing_session(&driver, &self.id, HttpConnector::new()).await;
        let page = page.unwrap();
        page.persist().await.unwrap();
        page
    }

    /// Takes away what an earlier test has left.
    async fn clean(&self) {
        let _ = fs::remove_dir_all(&self.downloads);
        let blank = json!({ "url": "about:blank" });
        self.driver.post(&self.path("/url"), &blank).await;
        self.emulate("Network.clearBrowserCookies", &json!({}))
            .await;
        self.log().await;
        // Files are saved without a question, in this session's folder.
        let parameters = json!({ "behavior": "allow", "downloadPath": self.downloads });
        self.emulate("Browser.setDownloadBehavior", &parameters)
            .await;
    }
}

impl Drop for Session {
    /// Ends the browser, which would outlive its driver; also after a panic.
    fn drop(&mut self) {
        if !self.driver.is_shared() {
            self.driver.send("DELETE", &self.path(""), &Value::Null);
            return;
        }
        // Another gateway may have the port, and with it the origin.
        let script = "localStorage.clear(); sessionStorage.clear();";
        let forget = json!({ "script": script, "args": [] });
        for (command, body) in [
            ("/execute/sync", forget),
            ("/url", json!({ "url": "about:blank" })),
        ] {
            self.driver.send("POST", &self.path(command), &body);
        }
    }
}

/// The lease of a look's `number`th session, and the folder of what it saves; `None` while another test has it.
fn leased(driver: &Driver, look: Look, number: usize) -> Option<(File, PathBuf)> {
    let name = format!("{}-{}-{number}", look.width, look.scheme);
    let path = driver.folder.join(format!("{name}.session"));
    let mut lease = File::options();
    let lease = lease.read(true).write(true).create(true).truncate(false);
    let lease = lease.open(path).unwrap();
    lease.try_lock().ok()?;
    Some((lease, driver.folder.join(name)))
}

/// The id of a new session.
async fn started(driver: &Driver, look: Look, chromium: &Path) -> String {
    let size = format!("--window-size={},1000", look.width);
    let mut arguments = vec![
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-color-profile=srgb",
        "--force-prefers-reduced-motion",
        "--accept-lang=es-MX,es",
        &size,
    ];
    if look.scheme == "dark" {
        arguments.push("--force-dark-mode");
        arguments.push("--blink-settings=preferredColorScheme=0");
    }
    let mut options = json!({ "binary": chromium, "args": arguments });
    if look.width < NARROWEST_WINDOW {
        let metrics =
            json!({ "width": look.width, "height": 844, "pixelRatio": 1, "touch": false });
        options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
    }
    let wanted = json!({ "capabilities": { "alwaysMatch": {
        "goog:chromeOptions": options,
        "goog:loggingPrefs": { "browser": "ALL" },
    } } });
    let made = driver.post("/session", &wanted).await;
    made["sessionId"].as_str().unwrap().to_owned()
}
