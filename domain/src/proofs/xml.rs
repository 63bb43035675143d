//! Parsing of a proof's XML.

use roxmltree::{Document, Node, NodeType, ParsingOptions};

use super::field::{BENEFICIARY, PAYER, ProofField, ROOT};
use super::value::{Spelling, Value};
use super::{MAX_BYTES, OriginalChain, Proof, ProofError};

/// A proof has three elements and the white space between them; the rest allows for comments.
const MAX_NODES: u32 = 64;
/// A proof has about 20 attributes with two quotes each; the rest allows for apostrophes in names. The
/// parser compares each attribute with all before it, so without this limit 5 MiB of attributes would
/// take minutes.
const MAX_QUOTES: usize = 1024;

/// Parses a proof without comparing its parts.
pub(super) fn read(xml: &[u8]) -> Result<Proof, ProofError> {
    let text = checked_text(xml)?;
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(proof_error)?;
    let root = document.root_element();
    if root.tag_name().name() != ROOT {
        return Err(ProofError::Root);
    }
    proof(root)
}

/// Attributes of the root that aren't fields of the JSON.
const CERTIFICATE: &str = "numeroCertificado";
const SEAL: &str = "sello";
const CHAIN: &str = "cadenaCDA";

/// Returns `true` if the file has content that banks don't write: other elements or attributes,
/// namespaces, text, comments, processing instructions, or another declared encoding. A viewer may show
/// it, and no seal covers it.
pub(super) fn holds_more(xml: &[u8]) -> bool {
    let Ok(text) = checked_text(xml) else {
        return false;
    };
    let Ok(document) = Document::parse(text) else {
        return false;
    };
    let root = document.root_element();
    let is_known = |node: Node<'_, '_>| match node.node_type() {
        NodeType::Root => true,
        NodeType::Element => is_known_element(node, root),
        NodeType::Text => node.text().is_none_or(|text| text.trim().is_empty()),
        NodeType::PI | NodeType::Comment => false,
    };
    declares_another_encoding(text) || !document.descendants().all(is_known)
}

fn is_known_element(node: Node<'_, '_>, root: Node<'_, '_>) -> bool {
    let element = node.tag_name();
    let is_in_place = match element.name() {
        ROOT => node == root,
        PAYER | BENEFICIARY => node.parent() == Some(root),
        _ => false,
    };
    let is_known = |name| {
        let attribute = Some((element.name(), name));
        let is_field = ProofField::ALL.iter().any(|it| it.attribute() == attribute);
        is_field || node == root && [CERTIFICATE, SEAL, CHAIN].contains(&name)
    };
    is_in_place
        && element.namespace().is_none()
        && node.namespaces().all(|it| it.name() == Some("xml"))
        && node
            .attributes()
            .all(|it| it.namespace().is_none() && is_known(it.name()))
}

/// Returns `true` if the XML declaration names an encoding other than UTF-8, which a viewer would use.
fn declares_another_encoding(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let declaration = text
        .strip_prefix("<?xml")
        .and_then(|rest| rest.split_once("?>"));
    let declared = declaration.and_then(|(declaration, _)| declaration.split_once("encoding"));
    declared.is_some_and(|(_, encoding)| {
        let encoding = encoding.trim_start().trim_start_matches('=').trim_start();
        let quoted = encoding
            .get(1..)
            .and_then(|rest| rest.split(['"', '\'']).next());
        !quoted.is_some_and(|name| name.eq_ignore_ascii_case("UTF-8"))
    })
}

/// Checks size, encoding and document type; returns the text.
fn checked_text(xml: &[u8]) -> Result<&str, ProofError> {
    if xml.len() > MAX_BYTES {
        return Err(ProofError::TooLarge { bytes: xml.len() });
    }
    let text = std::str::from_utf8(xml).map_err(|_| ProofError::NotUtf8)?;
    if text.contains("<!DOCTYPE") {
        return Err(ProofError::DocumentType);
    }
    let quotes = text.bytes().filter(|b| matches!(b, b'"' | b'\''));
    if quotes.count() > MAX_QUOTES {
        return Err(ProofError::TooComplex);
    }
    Ok(text)
}

/// Converts a parser error; its message is dropped because it may quote the document.
fn proof_error(error: roxmltree::Error) -> ProofError {
    match error {
        roxmltree::Error::DtdDetected => ProofError::DocumentType,
        roxmltree::Error::NodesLimitReached => ProofError::TooComplex,
        error => {
            let place = error.pos();
            ProofError::NotXml {
                line: place.row,
                column: place.col,
            }
        }
    }
}

fn proof(root: Node<'_, '_>) -> Result<Proof, ProofError> {
    let beneficiary = child(root, BENEFICIARY)?.ok_or(ProofError::Missing { name: BENEFICIARY })?;
    let payer = child(root, PAYER)?;
    let chain = OriginalChain::parse(required(root, CHAIN)?)?;
    let mut values = chain.values();
    for field in ProofField::ALL {
        let Some((element, name)) = field.attribute() else {
            continue;
        };
        let node = match element {
            PAYER => payer,
            BENEFICIARY => Some(beneficiary),
            _ => Some(root),
        };
        let text = node.map_or("", |node| optional(node, name));
        let value = Value::read(field, text, Spelling::Xml);
        if field.is_required() && value.is_none() {
            return Err(match text {
                "" => ProofError::Missing { name },
                _ => ProofError::Unreadable { name },
            });
        }
        values.set(field, value);
    }
    Ok(Proof {
        values,
        certificate_number: required(root, CERTIFICATE)?.to_owned(),
        seal: required(root, SEAL)?.to_owned(),
        chain,
    })
}

/// The child with this name; `None` if there is none, an error if there are several.
fn child<'a, 'input>(
    root: Node<'a, 'input>,
    name: &'static str,
) -> Result<Option<Node<'a, 'input>>, ProofError> {
    let mut named = root
        .children()
        .filter(|node| node.tag_name().name() == name);
    let first = named.next();
    match named.next() {
        Some(_) => Err(ProofError::Repeated { name }),
        None => Ok(first),
    }
}

fn optional<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}

fn required<'a>(node: Node<'a, '_>, name: &'static str) -> Result<&'a str, ProofError> {
    match optional(node, name) {
        "" => Err(ProofError::Missing { name }),
        text => Ok(text),
    }
}
