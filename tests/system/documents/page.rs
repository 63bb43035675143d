//! A page of Markdown: its blocks of commands, its examples and its faults.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use cep_gateway::cli;
use clap::error::ErrorKind;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// First words of lines that are commands: programs, and words of SQL and of Redis. One of them
/// alone is a mention; with arguments it is a command, and belongs in a block.
const COMMANDS: &str = "ACL ALTER CREATE DELETE DROP GRANT INSERT SELECT UPDATE apt apt-get cat chmod chown cp \
    curl docker echo flock install journalctl jq kubectl mv openssl pg_basebackup pg_dump \
    pg_restore printf psql redis-cli sed sqlite3 sudo systemctl useradd";

/// Other names of `sh`. One name keeps a block from being overlooked.
const SHELLS: [&str; 5] = ["bash", "console", "shell", "shell-session", "zsh"];

/// A page, whose blocks of commands are taken one after another.
pub(super) struct Page {
    name: String,
    blocks: VecDeque<Block>,
    /// Reasons why the marked blocks aren't run.
    pub(super) not_run: Vec<String>,
    /// Other blocks: the language, and the text.
    examples: Vec<(String, String)>,
    pub(super) faults: Vec<String>,
}

/// Commands in one block.
pub(super) struct Block {
    heading: String,
    pub(super) text: String,
}

impl Block {
    /// Replaces a placeholder of the page by its real value.
    pub(super) fn with(mut self, shown: &str, real: &str) -> Self {
        assert!(
            self.text.contains(shown),
            "{shown} isn't in:\n{}",
            self.text
        );
        self.text = self.text.replace(shown, real);
        self
    }
}

impl Page {
    /// Reads a page, named by its path from the root.
    pub(super) fn open(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self::parse(name, &text)
    }

    pub(super) fn parse(name: &str, text: &str) -> Self {
        let mut page = Self {
            name: name.to_owned(),
            blocks: VecDeque::new(),
            not_run: Vec::new(),
            examples: Vec::new(),
            faults: Vec::new(),
        };
        let mut heading = String::new();
        let mut mark = None;
        let mut events = Parser::new_ext(text, Options::ENABLE_TABLES);
        while let Some(event) = events.next() {
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    heading = text_until(&mut events, |end| matches!(end, TagEnd::Heading(_)));
                }
                Event::Start(Tag::HtmlBlock) => {
                    page.mark_is_used(mark.take());
                    let html = text_until(&mut events, |end| *end == TagEnd::HtmlBlock);
                    mark = reason(&html);
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let text = text_until(&mut events, |end| *end == TagEnd::CodeBlock);
                    page.take(kind, &heading, text, mark.take());
                }
                Event::Code(code) => page.look_at_mention(&code),
                _ => page.mark_is_used(mark.take()),
            }
        }
        page.mark_is_used(mark);
        page
    }

    fn take(&mut self, kind: CodeBlockKind<'_>, heading: &str, text: String, mark: Option<String>) {
        let language = match kind {
            CodeBlockKind::Fenced(language) => language.into_string(),
            CodeBlockKind::Indented => String::new(),
        };
        match (language.as_str(), mark) {
            ("sh", Some(reason)) => self.not_run.push(reason),
            ("sh", None) => self.blocks.push_back(Block {
                heading: heading.to_owned(),
                text,
            }),
            (_, Some(reason)) => self
                .faults
                .push(format!("no commands follow the mark ({reason})")),
            ("", None) => self
                .faults
                .push(format!("a block without a language:\n{text}")),
            (name, None) if SHELLS.contains(&name) => {
                self.faults.push(format!("`{name}` is to be `sh`:\n{text}"));
            }
            (_, None) => self.examples.push((language, text)),
        }
    }

    fn mark_is_used(&mut self, mark: Option<String>) {
        if let Some(reason) = mark {
            let fault = format!("a mark that no block follows ({reason})");
            self.faults.push(fault);
        }
    }

    /// Checks code within a line: commands belong in blocks, and a mention of our own program must
    /// name a real command.
    fn look_at_mention(&mut self, code: &str) {
        let mut words = code.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "cep-gateway" {
            let known = words.filter(|word| !word.contains('…'));
            let line: Vec<_> = ["cep-gateway"].into_iter().chain(known).collect();
            let asked = cli::parse_from(line.iter().copied().chain(["--help"]));
            if asked.err().map(|error| error.kind()) != Some(ErrorKind::DisplayHelp) {
                self.faults.push(format!("no such command: `{code}`"));
            }
            return;
        }
        let is_script =
            first.contains('/') && Path::new(env!("CARGO_MANIFEST_DIR")).join(first).is_file();
        // `DELETE /keys/{id}` is HTTP, and a mention.
        let is_command = words.next().is_some_and(|second| !second.starts_with('/'));
        if (COMMANDS.split_whitespace().any(|it| it == first) || is_script) && is_command {
            let fault = format!("a command that stands in no block: `{code}`");
            self.faults.push(fault);
        }
    }

    /// Number of blocks that are still to be run.
    pub(super) fn remaining(&self) -> usize {
        self.blocks.len()
    }

    /// The next block of commands, which stands under this heading.
    pub(super) fn next(&mut self, heading: &str) -> Block {
        let name = &self.name;
        let block = self.blocks.pop_front();
        let block = block.unwrap_or_else(|| panic!("{name}: no block follows ({heading})"));
        assert_eq!(block.heading, heading, "{name}:\n{}", block.text);
        block
    }

    /// The one block of another language.
    pub(super) fn example(&self, language: &str) -> &str {
        let mut found = self.examples.iter().filter(|(name, _)| name == language);
        let (_, text) = found.next().expect("there is such a block");
        assert!(found.next().is_none(), "{}: which {language}?", self.name);
        text
    }

    /// Ends the page: asserts that each of its blocks was taken.
    pub(super) fn finish(self) {
        if let Some(Block { heading, text }) = self.blocks.front() {
            panic!("{}, {heading}: not run:\n{text}", self.name);
        }
    }
}

/// The text up to the end of what has begun.
fn text_until<'a>(
    events: &mut impl Iterator<Item = Event<'a>>,
    is_end: impl Fn(&TagEnd) -> bool,
) -> String {
    events
        .take_while(|event| !matches!(event, Event::End(end) if is_end(end)))
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) => Some(text.into_string()),
            _ => None,
        })
        .collect()
}

/// The reason that a mark gives.
fn reason(html: &str) -> Option<String> {
    let comment = html.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let reason = comment.trim().strip_prefix("not run:")?.trim();
    Some(reason.to_owned())
}
