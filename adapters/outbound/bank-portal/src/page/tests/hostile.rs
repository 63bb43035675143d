//! Classification of pages that hide their sentence, and of hostile bytes.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case::comment("<!-- ", " -->")]
#[case::comment_without_end("<!-- ", "")]
#[case::comment_with_a_comment("<!-- <!-- ", " -->")]
#[case::script("<script type=\"a\">", "</script>")]
#[case::script_in_capitals("<SCRIPT>", "</Script >")]
#[case::script_without_end("<script>", "")]
#[case::script_in_a_comment_in_a_script("<script><!-- <script></script>", "</script>")]
#[case::end_of_another_script("<script></scripts>", "</script>")]
#[case::style("<style>", "</style>")]
#[case::noscript("<noscript><p>", "</p></noscript>")]
#[case::iframe("<iframe>", "</iframe>")]
#[case::noembed("<noembed>", "</noembed>")]
#[case::end_tag_without_a_name("</ ", ">")]
#[case::attribute("<input value=\"", "\">")]
#[case::attribute_without_end("<input value='", "")]
#[case::declaration("<!", ">")]
fn a_hidden_sentence_is_ignored(#[case] before: &str, #[case] after: &str) {
    for sentence in [
        "Operación no encontrada. El SPEI no ha recibido una orden de pago que cumpla con el \
         criterio de búsqueda especificado.",
        "No se encontró ningún pago con la información proporcionada. Verifique e intente \
         nuevamente.",
        "ha excedido el número máximo de consultas",
    ] {
        let page = format!("<p>Hola</p>{before}{sentence}{after}<p>Adiós</p>");
        assert_eq!(read(&page), Page::Unknown, "{page}");
    }
}

#[rstest]
#[case::empty_comment("<!-->")]
#[case::comment("<!-- x -->")]
#[case::comment_with_an_exclamation_mark("<!-- x --!>")]
#[case::script("<script>x</script>")]
#[case::script_in_capitals("<SCRIPT>x</SCRIPT >")]
#[case::style("<style>x</style>")]
#[case::noscript("<noscript>x</noscript>")]
#[case::unclosed_element("<div><table><td><title></title>")]
#[case::quote_in_a_tag("<br \">")]
#[case::less_than("1 < 2 <3 <")]
#[case::ampersand("A&B &unknown; &; &#; &#x110000; &#xD800;")]
#[case::quotes("\"'")]
fn markup_before_a_sentence_hides_nothing(#[case] before: &str) {
    assert_eq!(read(&format!("{before}{RECENT}")), Page::NotFound);
}

#[test]
fn a_tag_separates_words_and_a_comment_does_not() {
    assert_eq!(read(&RECENT.replace(' ', "<br>")), Page::NotFound);
    let commented = RECENT.replace("no ", "n<!-- -->o <!-- -->");
    assert_eq!(read(&commented), Page::NotFound);
    assert_eq!(read(&RECENT.replace("no ", "n<br>o ")), Page::Unknown);
}

#[test]
fn an_escaped_comment_hides_nothing() {
    assert_eq!(read(&format!("&lt;!-- {RECENT} --&gt;")), Page::NotFound);
}

/// Returns whether a not-found sentence stands anywhere in a page's source, hidden or not: the
/// whole page is read as one text without tags.
fn holds_not_found(body: &[u8]) -> bool {
    let page = html::decode(body);
    let mut tokenizer = html5gum::Tokenizer::new(page.as_ref());
    tokenizer.set_state(html5gum::State::RcData);
    let source: Vec<u8> = tokenizer
        .filter_map(|Ok(token)| match token {
            html5gum::Token::String(text) => Some(text.value.0),
            _ => None,
        })
        .flatten()
        .collect();
    let text = fold(&collapse(&String::from_utf8_lossy(&source)));
    text.contains(NOT_FOUND_RECENT) || text.contains(NOT_FOUND_HISTORIC)
}

/// Fragments of pages, to be concatenated at random.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let marks = ["<!--", "-->", "<", ">", "\"", "'", "&", ";", "&#", "=", "/"];
    let tags = [
        "<script>",
        "</script>",
        "<style ",
        "</style>",
        "<table>",
        "<tr>",
        "<td>",
        "</td>",
        "</table>",
        "<a href=",
        "id=",
    ];
    let texts = [
        "<div id=\"dSeleccionaFormato\">",
        "Estado del pago en Banxico",
        "Liquidado",
        TOO_MANY,
        CAPTCHA,
        READY,
        RECENT,
        HISTORIC,
        BAD_INPUT,
        LATER,
    ];
    let texts = [&marks[..], &tags, &texts].concat();
    prop_oneof![
        proptest::sample::select(texts).prop_map(|text| text.as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..20),
        Just(known("Liquidado").into_bytes()),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_classified_without_panic_and_never_not_found(
        status in 100_u16..600, body: Vec<u8>,
    ) {
        let page = classify(StatusCode::from_u16(status).unwrap(), &body);
        prop_assert_ne!(page, Page::NotFound);
        prop_assert_ne!(page, Page::Ready);
    }

    #[test]
    fn a_page_without_the_sentence_is_never_not_found(
        fragments in proptest::collection::vec(fragment(), 0..12),
    ) {
        let body = fragments.concat();
        if classify(StatusCode::OK, &body) == Page::NotFound {
            prop_assert!(holds_not_found(&body));
        }
    }

    #[test]
    fn bytes_around_a_hidden_sentence_never_uncover_it(
        before: Vec<u8>, after: Vec<u8>, hidden in proptest::sample::select(&[RECENT, HISTORIC][..]),
    ) {
        // A tag that is still open would swallow the beginning of what hides the sentence.
        let before: Vec<u8> = before.into_iter().filter(|byte| *byte != b'<').collect();
        for (open, close) in [("<!--", "-->"), ("<script>", "</script>"), ("<style>", "</style>")] {
            let hidden = format!("{open}{}{close}", hidden.replace(['<', '>'], ""));
            let body = [&before, hidden.as_bytes(), &after].concat();
            prop_assert_eq!(classify(StatusCode::OK, &body), Page::Unknown);
        }
    }

    #[test]
    fn text_around_a_page_does_not_change_what_it_says(
        before in "[ -%'-;=?-~\\n]{0,60}", after in "[ -;=?-~\\n]{0,60}",
    ) {
        for (page, is) in [
            (TOO_MANY.to_owned(), Page::TooManyQueries),
            (CAPTCHA.to_owned(), Page::CaptchaWanted),
            (READY.to_owned(), Page::Ready),
            (RECENT.to_owned(), Page::NotFound),
            (HISTORIC.to_owned(), Page::NotFound),
            (known("Liquidado"), payment(PaymentState::Settled)),
        ] {
            prop_assert_eq!(read(&format!("{before}{page}{after}")), is);
        }
    }
}

#[rstest]
#[case::open_tags("<a ")]
#[case::less_than("<")]
#[case::comments("<!--")]
#[case::declarations("<!")]
#[case::scripts("<script>")]
#[case::almost_ends("<script></scrip ")]
#[case::quotes("<a \"")]
#[case::ampersands("&")]
#[case::containers("<div id=dSeleccionaFormato>")]
#[case::attributes("<a = = = = ")]
#[case::kept_attributes("<a id=x href=y ")]
#[case::character_references("&CounterClockwiseContourIntegra")]
#[case::escaped_scripts("<script><!--<script>")]
#[case::raw_text("<title></titl")]
#[case::cells("<table><tr><td>")]
#[case::invalid("\u{fffd}<")]
fn half_a_megabyte_of_anything_is_classified_in_linear_time(#[case] fragment: &str) {
    let body = fragment.repeat(512 * 1024 / fragment.len());
    let started = Instant::now();
    classify(StatusCode::OK, body.as_bytes());
    // Milliseconds; a quadratic tokenizer would take minutes.
    assert!(started.elapsed() < Duration::from_secs(5));
}
