//! Links to the portal that banks print on receipts, mostly as a QR code.

use chrono::NaiveDate;
use url::Url;

use super::page::ReceiptText;
use crate::participants::ParticipantCode;

/// Hosts of the portal.
const HOSTS: [&str; 2] = ["www.banxico.org.mx", "banxico.org.mx"];
/// Paths of such links.
const PATHS: [&str; 2] = ["/cep/go", "/cep-beta/go"];

/// A link to the portal: it names the issuer and a date; the rest is encrypted for the portal, and nobody else can read
/// it. A person may open it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortalLink {
    /// The address, as it was printed.
    pub url: Url,
    /// The issuing institution.
    pub issuer: ParticipantCode,
    /// The date of the key with which the rest is encrypted, if it is one: often the transfer's.
    pub date: Option<NaiveDate>,
}

impl PortalLink {
    /// The first link to the portal among the codes and the words of a receipt.
    pub(super) fn find(text: &ReceiptText) -> Option<Self> {
        let words = text.pages.iter().flat_map(|page| &page.words);
        let words = words
            .map(|word| &*word.text)
            .filter(|text| text.contains("banxico"));
        let codes = text.codes.iter().map(String::as_str);
        codes.chain(words).find_map(Self::parse)
    }

    fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text.trim()).ok()?;
        let is_portal = url.scheme() == "https"
            && url.host_str().is_some_and(|host| HOSTS.contains(&host))
            && url.port().is_none()
            && PATHS.contains(&url.path());
        if !is_portal {
            return None;
        }
        let value = |name: &str| {
            let mut pairs = url.query_pairs();
            pairs
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        let issuer = ParticipantCode::parse(&value("i")?)?;
        let date = value("s").and_then(|date| NaiveDate::parse_from_str(&date, "%Y%m%d").ok());
        Some(Self { url, issuer, date })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://www.banxico.org.mx/cep/go?i=40012&s=20261120&d=a%2Bb", true)]
    #[case("https://banxico.org.mx/cep/go?s=20261120&i=40012&d=x", true)]
    #[case("http://www.banxico.org.mx/cep/go?i=40012&s=20261120&d=x", false)]
    #[case("https://www.banxico.org.mx.example/cep/go?i=40012&s=20261120", false)]
    #[case("https://x@www.banxico.org.mx:8443/cep/go?i=40012&s=20261120", false)]
    #[case("https://www.banxico.org.mx/cep/?i=40012", false)]
    #[case("https://www.banxico.org.mx/cep/go?i=banco", false)]
    #[case("javascript:alert(1)", false)]
    fn a_link_of_the_portal_names_the_issuer(#[case] text: &str, #[case] is_link: bool) {
        let link = PortalLink::parse(text);
        assert_eq!(link.is_some(), is_link, "{link:?}");
        if let Some(link) = link {
            assert_eq!(link.issuer.number(), 40012);
            assert_eq!(
                link.date.map(|date| date.to_string()).as_deref(),
                Some("2026-11-20")
            );
        }
    }
}
