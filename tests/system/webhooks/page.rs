//! The receivers of `docs/webhooks.md` take the messages of a gateway, refuse everything else, and go on.

use std::fs;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use reqwest::{Method, RequestBuilder};
use rstest::rstest;
use serde_json::json;
use tempfile::TempDir;

use super::receiver::Message;
use super::{arrived, subscribed};

const SIGNED: [&str; 3] = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/// A language of the page, and how its receiver is run.
#[derive(Clone, Copy)]
struct Language {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// The statement that starts the page's server, and one before it that tells its port.
    starts: &'static str,
    tells: &'static str,
}

const PYTHON: Language = Language {
    name: "python",
    program: "python3",
    arguments: &[],
    starts: "server.serve_forever()",
    tells: "print(f'port:{server.server_port}', flush=True)\n",
};
const JAVASCRIPT: Language = Language {
    name: "js",
    program: "node",
    arguments: &[],
    starts: "server.listen(",
    tells: "server.on('listening', () => console.log(`port:${server.address().port}`));\n",
};
/// Its server tells where it listens.
const PHP: Language = Language {
    name: "php",
    program: "php",
    arguments: &["-S", "127.0.0.1:0"],
    starts: "",
    tells: "",
};

impl Language {
    /// The blocks of the language on the page, as one program.
    fn code(self) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = fs::read_to_string(root.join("docs/webhooks.md")).unwrap();
        let mut wanted = false;
        let mut found = String::new();
        for event in Parser::new(&page) {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name))) => {
                    wanted = &*name == self.name;
                }
                Event::End(TagEnd::CodeBlock) => wanted = false,
                Event::Text(text) if wanted => found.push_str(&text),
                _ => {}
            }
        }
        let starts = found.find(self.starts).expect("the page starts a server");
        found.insert_str(starts, self.tells);
        found
    }

    fn is_installed(self) -> bool {
        Command::new(self.program).arg("--version").output().is_ok()
    }

    /// Starts the receiver with a secret.
    fn start(self, secret: &str) -> Documented {
        let folder = tempfile::tempdir().unwrap();
        let code = folder.path().join("receiver").with_extension(self.name);
        fs::write(&code, self.code()).unwrap();
        let output = folder.path().join("output");
        let writer = fs::File::create_new(&output).unwrap();
        let process = Command::new(self.program)
            .args(self.arguments)
            .arg(&code)
            .env("PORT", "0")
            .env("WEBHOOK_SECRET", secret)
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let mut port = None;
        testkit::until("the receiver tells its port", || {
            let said = fs::read_to_string(&output).unwrap();
            port = said.lines().find_map(port_in);
            port.is_some()
        });
        Documented {
            url: format!("http://127.0.0.1:{}/", port.unwrap()),
            process,
            client: crate::gateway::client(),
            _folder: folder,
        }
    }
}

/// `port:41589`, or `(http://127.0.0.1:41589) started`.
fn port_in(line: &str) -> Option<u16> {
    let after = ["port:", "(http://127.0.0.1:"]
        .iter()
        .find_map(|before| line.split_once(before))?;
    let digits: String = after.1.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// A receiver of the page that runs.
struct Documented {
    url: String,
    process: Child,
    client: reqwest::Client,
    _folder: TempDir,
}

impl Drop for Documented {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Documented {
    /// The message with these headers instead of its own, where they are given.
    fn sending(&self, message: &Message, changed: &[(&str, Option<&[u8]>)]) -> RequestBuilder {
        let mut request = self.client.post(&self.url);
        for name in SIGNED {
            let own = message.header(name);
            let change = changed.iter().find(|(changed, _)| *changed == name);
            if let Some(value) = change.map_or(Some(own.as_bytes()), |(_, to)| *to) {
                request = request.header(name, value);
            }
        }
        request
    }

    async fn status(&self, request: RequestBuilder) -> u16 {
        request.send().await.unwrap().status().as_u16()
    }

    async fn takes(&self, message: &Message) -> u16 {
        let request = self.sending(message, &[]).body(message.body());
        self.status(request).await
    }
}

#[rstest]
#[case::python(PYTHON)]
#[case::javascript(JAVASCRIPT)]
#[case::php(PHP)]
#[tokio::test]
async fn a_receiver_of_the_page_takes_our_messages_alone_and_goes_on(#[case] language: Language) {
    if !language.is_installed() {
        testkit::skip(&format!("{} is not installed", language.program));
        return;
    }
    let (receiver, _gateway, person, webhook) = subscribed().await;
    let post = async |path: &str, status| {
        let path = format!("{}/{path}", webhook.path);
        person.send(Method::POST, &path, &json!({}), status).await
    };
    let rotated = post("secret", 200).await;
    post("test", 202).await;
    let message = &arrived(&receiver, 1).await[0];
    for secret in [&webhook.secret, rotated["secret"].as_str().unwrap()] {
        assert_eq!(language.start(secret).takes(message).await, 204);
    }
    let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert_eq!(language.start(other).takes(message).await, 401);
    goes_on(&language.start(&webhook.secret), message).await;
}

/// Sends what is none of our messages; after each, a message of ours is taken.
async fn goes_on(documented: &Documented, message: &Message) {
    let signature = message.header("webhook-signature");
    let (version, _) = signature.split_once(',').unwrap();
    let of = |encoded: &str| format!("{version},{encoded}").into_bytes();
    let long = b"9".repeat(5_000);
    let hostile: [(&str, Option<&[u8]>); 16] = [
        ("webhook-signature", None),
        ("webhook-timestamp", None),
        ("webhook-id", None),
        ("webhook-signature", Some(b"")),
        ("webhook-signature", Some(b"v1")),
        ("webhook-signature", Some(b"v1,")),
        ("webhook-signature", Some(&of("***not base64***"))),
        ("webhook-signature", Some(&of("AAAA"))),
        ("webhook-signature", Some(&of("\u{f1}\u{f1}"))),
        ("webhook-signature", Some(b"v1,\xff\xfe")),
        ("webhook-timestamp", Some(b"0")),
        ("webhook-timestamp", Some(b"NaN")),
        ("webhook-timestamp", Some("\u{662}\u{663}".as_bytes())),
        ("webhook-timestamp", Some(b"1e99")),
        ("webhook-timestamp", Some(&long)),
        ("webhook-id", Some(b"\xff\xfe")),
    ];
    for change in hostile {
        let request = documented.sending(message, &[change]).body(message.body());
        assert_eq!(documented.status(request).await, 401, "{change:?}");
        assert_eq!(documented.takes(message).await, 204, "after {change:?}");
    }
    let none = SIGNED.map(|name| (name, None));
    let request = documented.sending(message, &none);
    assert_eq!(documented.status(request).await, 401, "nothing is signed");
    let request = documented.sending(message, &[]).body("{}");
    assert_eq!(documented.status(request).await, 401, "another body");
    let huge = documented.sending(message, &[]).body(vec![b'x'; 8 << 20]);
    // It may hang up instead of reading all of it.
    if let Ok(answer) = huge.send().await {
        let status = answer.status().as_u16();
        assert!(matches!(status, 401 | 413), "a huge body: {status}");
    }
    assert_eq!(documented.takes(message).await, 204, "after a huge body");
}
