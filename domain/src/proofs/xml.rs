//! Parsing of a proof's XML.

use chrono::NaiveTime;
use roxmltree::{Document, Node, NodeType, ParsingOptions};

use super::party::{Party, given};
use super::{MAX_BYTES, OriginalChain, Proof, ProofError};
use crate::amount::centavos_from_bank_spelling;
use crate::calendar;
use crate::participants::ParticipantCode;

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
    if root.tag_name().name() != "SPEI_Tercero" {
        return Err(ProofError::Root);
    }
    proof(root)
}

/// Attributes of the elements of a proof, by element.
const ELEMENTS: [(&str, &[&str]); 3] = [
    (
        "SPEI_Tercero",
        &[
            "FechaOperacion",
            "Hora",
            "ClaveSPEI",
            "sello",
            "numeroCertificado",
            "cadenaCDA",
            "claveRastreo",
        ],
    ),
    (
        "Beneficiario",
        &[
            "BancoReceptor",
            "Nombre",
            "TipoCuenta",
            "Cuenta",
            "RFC",
            "Concepto",
            "IVA",
            "MontoPago",
        ],
    ),
    (
        "Ordenante",
        &["BancoEmisor", "Nombre", "TipoCuenta", "Cuenta", "RFC"],
    ),
];

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
    let name = node.tag_name();
    let known = ELEMENTS.iter().find(|(known, _)| *known == name.name());
    let Some((known, attributes)) = known else {
        return false;
    };
    let is_in_place = if *known == ELEMENTS[0].0 {
        node == root
    } else {
        node.parent() == Some(root)
    };
    is_in_place
        && name.namespace().is_none()
        && node.namespaces().all(|it| it.name() == Some("xml"))
        && node
            .attributes()
            .all(|it| it.namespace().is_none() && attributes.contains(&it.name()))
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
    let beneficiary = child(root, "Beneficiario")?.ok_or(ProofError::Missing {
        name: "Beneficiario",
    })?;
    let payer = child(root, "Ordenante")?;
    let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M:%S").ok();
    Ok(Proof {
        operation_date: read_as(root, "FechaOperacion", |text| {
            calendar::parse_date(text).ok()
        })?,
        credit_time: read_as(root, "Hora", time)?,
        receiver: read_as(root, "ClaveSPEI", ParticipantCode::parse)?,
        tracking_key: required(root, "claveRastreo")?.to_owned(),
        centavos: read_as(beneficiary, "MontoPago", centavos_from_bank_spelling)?,
        concept: given(optional(beneficiary, "Concepto")).map(str::to_owned),
        vat_centavos: centavos_from_bank_spelling(optional(beneficiary, "IVA")),
        payer: payer.map_or_else(Party::default, |payer| party(payer, "BancoEmisor")),
        beneficiary: party(beneficiary, "BancoReceptor"),
        certificate_number: required(root, "numeroCertificado")?.to_owned(),
        seal: required(root, "sello")?.to_owned(),
        chain: OriginalChain::parse(required(root, "cadenaCDA")?)?,
    })
}

fn party(node: Node<'_, '_>, institution: &str) -> Party {
    Party::from_texts(
        [institution, "Nombre", "TipoCuenta", "Cuenta", "RFC"].map(|name| optional(node, name)),
    )
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

fn read_as<T>(
    node: Node<'_, '_>,
    name: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, ProofError> {
    read(required(node, name)?.trim()).ok_or(ProofError::Unreadable { name })
}
