//! A headless Chromium, driven over `WebDriver`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use testkit::{eventually, holds_within, skip};

mod driver;
mod session;

use session::Session;

/// Time that a page may take for anything; the usual is milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Downloads have a lower priority than all else that a busy machine does.
const DOWNLOAD_PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const ENTER: &str = "\u{e007}";

/// A browser that a test drives.
pub(crate) struct Browser {
    pub(crate) page: Client,
    session: Session,
}

/// Window width and preferred colour scheme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) scheme: &'static str,
}

impl Look {
    pub(crate) const DESKTOP: Self = Self {
        width: 1440,
        scheme: "light",
    };
    pub(crate) const PHONE_BY_NIGHT: Self = Self {
        width: 390,
        scheme: "dark",
    };
}

/// The path of a program, if it is installed.
fn installed(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::split_paths(&search_path()).collect::<Vec<_>>();
    names
        .iter()
        .flat_map(|name| path.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
}

#[expect(
    clippy::disallowed_methods,
    reason = "where programs are is the machine's to say"
)]
fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

impl Browser {
    /// Starts a browser; `None`, after printing it, when Chromium or its driver isn't installed.
    pub(crate) async fn start(look: Look) -> Option<Self> {
        // The shell draws no windows, and takes two thirds of the time.
        let browsers = [
            "chromium-headless-shell",
            "chromium",
            "chromium-browser",
            "google-chrome",
        ];
        let programs = installed(&browsers).zip(installed(&["chromedriver"]));
        let Some((chromium, chromedriver)) = programs else {
            skip("chromium or chromium-driver is not installed");
            return None;
        };
        let session = Session::take(look, &chromium, &chromedriver).await;
        let page = session.page().await;
        Some(Self { page, session })
    }

    /// Waits for the element with this `data-testid`.
    pub(crate) async fn find(&self, id: &str) -> fantoccini::elements::Element {
        self.find_css(&format!("[data-testid=\"{id}\"]")).await
    }

    /// Waits for the element with this `data-testid`, and returns its text.
    pub(crate) async fn text_of(&self, id: &str) -> String {
        self.find(id).await.text().await.unwrap()
    }

    /// Asserts that the element with this `data-testid` says all of this.
    pub(crate) async fn tells(&self, id: &str, expected: &[&str]) {
        let text = self.text_of(id).await;
        for said in expected {
            assert!(text.contains(said), "{said}: {text}");
        }
    }

    /// The number of elements that match a selector now.
    pub(crate) async fn number_of(&self, selector: &str) -> Value {
        let script = "return document.querySelectorAll(arguments[0]).length";
        self.run(script, vec![json!(selector)]).await
    }

    /// Waits until so many elements match a selector.
    pub(crate) async fn counts(&self, selector: &str, number: usize) {
        let holds = async || self.number_of(selector).await == number;
        eventually(selector, PATIENCE, holds).await;
    }

    /// Waits for the first element that matches a selector.
    pub(crate) async fn find_css(&self, selector: &str) -> fantoccini::elements::Element {
        let found = self
            .page
            .wait()
            .at_most(PATIENCE)
            .every(Duration::from_millis(50))
            .for_element(Locator::Css(selector))
            .await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{selector}: {error}\n{}", self.text().await),
        }
    }

    /// Returns whether there is an element with this `data-testid` now.
    pub(crate) async fn has(&self, id: &str) -> bool {
        self.number_of(&format!("[data-testid=\"{id}\"]")).await != 0
    }

    /// Clicks the element with this `data-testid`, once it can be clicked.
    pub(crate) async fn click(&self, id: &str) {
        self.click_css(&format!("[data-testid=\"{id}\"]")).await;
    }

    /// Clicks these elements, one after the other.
    pub(crate) async fn clicks(&self, ids: &[&str]) {
        for id in ids {
            self.click(id).await;
        }
    }

    /// Clicks an element, and waits for another one, which comes of it.
    pub(crate) async fn click_until(&self, id: &str, shown: &str) {
        self.click(id).await;
        self.find(shown).await;
    }

    /// Clicks the first element that matches a selector, once it can be clicked.
    pub(crate) async fn click_css(&self, selector: &str) {
        let mut refused = None;
        let clicked = holds_within(PATIENCE, async || {
            // A page that is rendered again replaces the element that was just found.
            refused = self.find_css(selector).await.click().await.err();
            refused.is_none()
        });
        assert!(clicked.await, "{selector}: {refused:?}");
    }

    /// Presses Enter on the element with this `data-testid`.
    pub(crate) async fn enter(&self, id: &str) {
        self.find(id).await.send_keys(ENTER).await.unwrap();
    }

    /// Presses Tab until the element with this `data-testid` has the focus.
    pub(crate) async fn tab_to(&self, id: &str) {
        for _ in 0..80 {
            if self.focused().await == id {
                return;
            }
            self.press("\u{e004}").await;
        }
        panic!("Tab doesn't lead to {id}, but to {}", self.focused().await);
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(crate) async fn press(&self, keys: &str) {
        let mut actions = KeyActions::new("keyboard".to_owned());
        for value in keys.chars() {
            actions = actions
                .then(KeyAction::Down { value })
                .then(KeyAction::Up { value });
        }
        self.page.perform_actions(actions).await.unwrap();
    }

    /// The `data-testid` of the element that has the focus, or the name of its tag.
    pub(crate) async fn focused(&self) -> String {
        let script = "const { dataset, tagName } = document.activeElement;\
            return dataset.testid ?? tagName";
        let focused = self.run(script, vec![]).await;
        focused.as_str().unwrap().to_owned()
    }

    pub(crate) async fn fill(&self, id: &str, text: &str) {
        let field = self.find(id).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    pub(crate) async fn choose_files(&self, id: &str, paths: &[&Path]) {
        let paths: Vec<_> = paths.iter().map(|path| path.to_str().unwrap()).collect();
        let field = self.find(id).await;
        field.send_keys(&paths.join("\n")).await.unwrap();
    }

    /// Waits for a saved file with this ending, and returns its content.
    pub(crate) async fn saved_file(&self, ending: &str) -> Vec<u8> {
        let folder = self.session.downloads();
        let mut found = None;
        let what = format!("a {ending} file is saved");
        eventually(&what, DOWNLOAD_PATIENCE, async || {
            let files = std::fs::read_dir(folder).into_iter().flatten();
            let mut paths = files.map(|file| file.unwrap().path());
            // A file that is being written has another ending; its name is taken by an empty file meanwhile.
            let saved = paths.find(|path| path.to_str().unwrap().ends_with(ending));
            let content = saved.map(|path| std::fs::read(path).unwrap());
            found = content.filter(|content| !content.is_empty());
            found.is_some()
        })
        .await;
        found.unwrap()
    }

    /// Waits until the page's visible text contains this.
    pub(crate) async fn sees(&self, text: &str) {
        let mut seen = String::new();
        let is_seen = holds_within(PATIENCE, async || {
            seen = self.text().await;
            seen.contains(text)
        });
        assert!(is_seen.await, "the page doesn't say {text:?}:\n{seen}");
    }

    pub(crate) async fn text(&self) -> String {
        let text = "return document.body ? document.body.innerText : ''";
        let text = self.run(text, vec![]).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    pub(crate) async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.page.execute(script, arguments).await.unwrap()
    }

    /// The violations that axe-core finds, of every impact, with their places; empty is good.
    async fn accessibility_faults(&self, axe: &str) -> Vec<String> {
        // Once a page: it is half a megabyte.
        if self.run("return 'axe' in window", vec![]).await == json!(false) {
            self.run(axe, vec![]).await;
        }
        let script = "const done = arguments[arguments.length - 1];\
            axe.run(document, { resultTypes: ['violations'] }).then(\
              found => done(found.violations.map(fault => fault.id + ': ' + fault.nodes.map(node => node.html).join(' | '))),\
              error => done(['axe failed: ' + error]))";
        let faults = self.page.execute_async(script, vec![]).await.unwrap();
        serde_json::from_value(faults).unwrap()
    }

    /// Asserts that axe-core finds nothing, and that the page is no wider than its window.
    pub(crate) async fn assert_sound(&self, axe: &str, what: &str) {
        let faults = self.accessibility_faults(axe).await;
        assert_eq!(faults, Vec::<String>::new(), "{what}");
        let overflow = "return document.documentElement.scrollWidth > window.innerWidth";
        let overflow = self.run(overflow, vec![]).await;
        assert_eq!(overflow, json!(false), "{what} is too wide");
    }

    /// Shows the page as in a window of this look, in this language.
    pub(crate) async fn show_as(&self, look: Look, language: &str) {
        let scheme = json!([{ "name": "prefers-color-scheme", "value": look.scheme }]);
        let media = json!({ "features": scheme });
        let metrics = json!({
            "width": look.width, "height": 1000, "deviceScaleFactor": 1, "mobile": false,
        });
        let emulate = async |what: &str, by: &Value| self.session.emulate(what, by).await;
        emulate("Emulation.setEmulatedMedia", &media).await;
        emulate("Emulation.setDeviceMetricsOverride", &metrics).await;
        self.find("language").await;
        // A script's click, since a dialog may be open before the button.
        let script = "if (document.documentElement.lang !== arguments[0]) \
            document.querySelector('[data-testid=language]').click();";
        self.run(script, vec![json!(language)]).await;
        let shown = "return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, \
            document.documentElement.lang]";
        let expected = json!([look.width, look.scheme == "dark", language]);
        assert_eq!(self.run(shown, vec![]).await, expected);
    }

    /// Errors in the browser's console since the last call: scripts that failed, what the page's
    /// policy forbade, what couldn't be loaded.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let log = self.session.log().await;
        let entries = log.as_array().unwrap().iter();
        let severe = entries.filter(|entry| entry["level"] == "SEVERE");
        let messages = severe.map(|entry| entry["message"].as_str().unwrap().to_owned());
        messages.collect()
    }
}

/// axe-core's script; `None`, after printing it, when it isn't installed.
pub(crate) fn axe() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/system/axe/node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(&path).ok();
    if axe.is_none() {
        skip(&format!(
            "{} is missing; scripts/test installs it",
            path.display()
        ));
    }
    axe
}
