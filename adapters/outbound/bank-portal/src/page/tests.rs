//! Classification of the portal's pages in all spellings, and with hostile bytes around them.

use std::time::{Duration, Instant};

use chrono::NaiveDate;
use domain::payment::PaymentState;
use proptest::prelude::*;
use rstest::rstest;

use super::*;

const READY: &str = r#"
<h2 style="text-align: center;">Gracias por utilizar el servicio de descarga de CEP</h2>
<div id="dSeleccionaFormato" style="border: 0;">Haga clic sobre el &iacute;cono.<br /><br />
  <a href="descarga.do?formato=PDF" class="boton"><i class="icon-arrow-down"></i>PDF</a>
  <!-- <a href="descarga.do?formato=PDF"><img src="images/btn-pdf.png" /></a>-->
  <a href="descarga.do?formato=XML" class="boton"><i class="icon-arrow-down"></i>XML</a>
</div>"#;
const TOO_MANY: &str = "<h1>Lo sentimos, pero ha excedido el número máximo de consultas en este \
    portal. Favor de intentar nuevamente más tarde.</h1>";
const CAPTCHA: &str = r#"<div id="\#error_div"><p style="padding: 10px;">
    La imagen de seguridad no fue ingresada correctamente. Favor de validar.
    </p></div><input type="hidden" name="varHideCaptcha" value="false"/>"#;
const RECENT: &str = "<strong>Lo sentimos, por el momento no es posible generar el CEP. Operación \
    no encontrada. El SPEI no ha recibido una orden de pago que cumpla con el criterio de búsqueda \
    especificado. Se recomienda verificar la información o consulte con su institución \
    financiera.</strong>";
const HISTORIC: &str = r#"<p>
    [BE] No se encontró ningún pago con la información proporcionada. Verifique e intente nuevamente.
    </p><input type="hidden" name="varHideCaptcha" value="true"/>"#;
const BAD_INPUT: &str = "<p>No existe un criterio (clave de rastreo o número de referencia)</p>";
const CLOSED: &str = "<p>EL HORARIO DE CONSULTA ES DE 6:00 A 22:00</p>";
const FAILED: &str = "<p>OCURRIÓ UN ERROR EN LA CONSULTA</p>";
const LATER: &str = "<p>INTENTE NUEVAMENTE MÁS TARDE</p>";

/// A page of a payment; all nine states are described below its table.
fn known(state: &str) -> String {
    let described: String = PaymentState::ALL
        .map(|state| format!("<h4>{}</h4><p>Texto.</p>", state.label()))
        .concat();
    format!(
        r#"<!-- <strong>se identificó el siguiente pago:</strong> -->
        <strong>Lo sentimos, por el momento no es posible generar el CEP. Con la información
        proporcionada se identificó el siguiente pago:</strong>
        <!--<table class="styled-table"><tr><td>Estado del pago en Banxico</td><td>Cancelado</td>-->
        <table id="xxx" class="styled-table vertical"><tbody>
        <tr><td>Número de Referencia</td><td>1234567</td></tr>
        <tr><td>Instituci&oacute;n emisora del pago</td><td>BANCO UNO</td></tr>
        <tr><td>Estado del pago en Banxico</td><td> {state} </td></tr>
        <tr><td>Fecha y hora de recepción</td><td>06/11/2024 13:23:08</td></tr>
        <tr><td>Fecha y hora de procesamiento</td><td>06/11/2024 13:23:11</td></tr>
        <tr class="columna-monto"><td>Monto</td><td>1.00</td></tr>
        </tbody></table>{described}"#
    )
}

fn read(page: &str) -> Page {
    classify(StatusCode::OK, page.as_bytes())
}

fn payment(state: PaymentState) -> Page {
    let at = |second| {
        NaiveDate::from_ymd_opt(2024, 11, 6).and_then(|day| day.and_hms_opt(13, 23, second))
    };
    Page::Known(Payment {
        state,
        received_at: at(8),
        processed_at: at(11),
    })
}

/// Equivalent spellings of one page.
fn spellings(page: &str) -> Vec<Vec<u8>> {
    let accents = [
        ('á', "&aacute;", "&#225;", 'a'),
        ('é', "&eacute;", "&#xE9;", 'e'),
        ('í', "&iacute;", "&#237;", 'i'),
        ('ó', "&oacute;", "&#xf3;", 'o'),
        ('ú', "&uacute;", "&#0250;", 'u'),
        ('Ó', "&Oacute;", "&#211;", 'O'),
        ('Á', "&Aacute;", "&#xC1;", 'A'),
    ];
    let respelled = |spell: fn((char, &'static str, &'static str, char)) -> String| {
        accents.into_iter().fold(page.to_owned(), |page, accent| {
            page.replace(accent.0, &spell(accent))
        })
    };
    let latin_1 = page
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let spelled = [
        page.to_owned(),
        page.replace('\n', "\r\n"),
        page.replace(' ', " \r\n\t&nbsp; "),
        page.to_uppercase()
            .replace("DESCARGA.DO?FORMATO=", FORMATS_LINK),
        format!("\u{feff}{page}"),
        respelled(|(_, named, _, _)| named.to_owned()),
        respelled(|(_, _, numbered, _)| numbered.to_owned()),
        respelled(|(_, _, _, plain)| plain.to_string()),
        respelled(|(_, _, _, plain)| format!("{plain}\u{301}")),
    ];
    let mut spelled: Vec<_> = spelled.map(String::into_bytes).into();
    spelled.push(latin_1);
    spelled
}

#[rstest]
#[case(TOO_MANY, Page::TooManyQueries)]
#[case(CAPTCHA, Page::CaptchaWanted)]
#[case(RECENT, Page::NotFound)]
#[case(HISTORIC, Page::NotFound)]
#[case(BAD_INPUT, Page::BadInput)]
#[case(CLOSED, Page::Temporary)]
#[case(FAILED, Page::Temporary)]
#[case(LATER, Page::Temporary)]
fn a_page_is_recognised_in_every_spelling_of_its_sentence(#[case] page: &str, #[case] is: Page) {
    for spelling in spellings(page) {
        let shown = String::from_utf8_lossy(&spelling).into_owned();
        assert_eq!(classify(StatusCode::OK, &spelling), is, "{shown}");
    }
}

#[test]
fn a_proof_is_ready_when_its_links_are_there() {
    assert_eq!(read(READY), Page::Ready);
    assert_eq!(read(&READY.replace('\n', "\r\n")), Page::Ready);
    assert_eq!(read(&READY.replace('"', "'")), Page::Ready);
    for (from, to) in [
        ("<br /><br />", "<div><div></div></div></p>"),
        ("<div id", "<div class ID"),
        ("<div id=", "<div id=dSeleccionaFormato id="),
        ("?formato=", "?a=b&amp;descarga.do&quest;formato&equals;"),
    ] {
        assert_eq!(read(&READY.replace(from, to)), Page::Ready, "{to}");
    }
}

#[rstest]
#[case::links_elsewhere(READY.replace("dSeleccionaFormato", "dOtro"))]
#[case::links_after_it(READY.replace("<br /><br />", "</div>"))]
#[case::links_after_nested_elements(READY.replace("<br /><br />", "<div><p></p></div></div>"))]
#[case::links_that_are_no_anchors(READY.replace("<a ", "<link "))]
#[case::id_repeated(READY.replace("<div id", "<div id=\"dOtro\" id"))]
#[case::id_of_an_end_tag(READY.replace("<div", "</p").replace("Haga", "<div>Haga"))]
#[case::links_in_a_comment(READY.replace("<h2", "<!-- <h2").replace("</div>", "</div> -->"))]
#[case::no_links(READY.replace("descarga.do", "otra.do"))]
fn a_proof_is_not_ready_without_its_links(#[case] page: String) {
    assert_eq!(read(&page), Page::Unknown);
}

#[test]
fn a_payments_state_is_read_from_its_table_alone() {
    for state in PaymentState::ALL {
        assert_eq!(read(&known(state.label())), payment(state));
        let label = state.label().replace('ó', "&oacute;");
        assert_eq!(read(&known(&label)), payment(state));
        let page = known(state.label()).replace('\n', "\r\n").to_uppercase();
        assert_eq!(read(&page), payment(state));
    }
}

#[rstest]
#[case::a_new_state(known("Extraviado"))]
#[case::no_table(known("Liquidado").replace("table", "div"))]
#[case::no_state(known("Liquidado").replace("Estado del pago", "Pago"))]
#[case::two_states(format!(
    "{}<table><tr><td>Estado del pago en Banxico</td><td>Devuelto</td></tr></table>",
    known("Liquidado"),
))]
fn a_payment_without_one_known_state_is_an_unknown_page(#[case] page: String) {
    assert_eq!(read(&page), Page::Unknown);
}

#[test]
fn a_time_that_cannot_be_read_is_left_out() {
    let page = known("Liquidado").replace("06/11/2024 13:23:08", "-");
    let Page::Known(payment) = read(&page) else {
        panic!("a payment is known");
    };
    assert_eq!(payment.received_at, None);
    assert!(payment.processed_at.is_some());
}

#[rstest]
#[case(TOO_MANY, &[CAPTCHA, READY, RECENT, HISTORIC, LATER], Page::TooManyQueries)]
#[case(CAPTCHA, &[READY, RECENT, HISTORIC, LATER], Page::CaptchaWanted)]
#[case(READY, &[RECENT, HISTORIC, LATER], Page::Ready)]
#[case(RECENT, &[BAD_INPUT, LATER], Page::NotFound)]
#[case(BAD_INPUT, &[CLOSED, FAILED, LATER], Page::BadInput)]
fn the_sentence_of_higher_precedence_decides(
    #[case] page: &str,
    #[case] others: &[&str],
    #[case] is: Page,
) {
    for other in others {
        assert_eq!(read(&format!("{other}{page}")), is);
    }
    let known = known("Devuelto");
    assert_eq!(
        read(&format!("{known}{RECENT}{HISTORIC}{BAD_INPUT}{LATER}")),
        payment(PaymentState::Returned)
    );
    for (other, is) in [
        (TOO_MANY, Page::TooManyQueries),
        (CAPTCHA, Page::CaptchaWanted),
        (READY, Page::Ready),
    ] {
        assert_eq!(read(&format!("{known}{other}")), is);
    }
}

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
    assert_eq!(
        read(&RECENT.replace("no ", "n<!-- -->o <!-- -->")),
        Page::NotFound
    );
    assert_eq!(read(&RECENT.replace("no ", "n<br>o ")), Page::Unknown);
}

#[test]
fn an_escaped_comment_hides_nothing() {
    assert_eq!(read(&format!("&lt;!-- {RECENT} --&gt;")), Page::NotFound);
}

#[rstest]
#[case(500, Page::ServerError)]
#[case(503, Page::ServerError)]
#[case(429, Page::TooManyQueries)]
#[case(302, Page::Unknown)]
#[case(403, Page::Unknown)]
#[case(404, Page::Unknown)]
fn a_status_decides_before_the_page(#[case] status: u16, #[case] is: Page) {
    let status = StatusCode::from_u16(status).unwrap();
    for page in [READY, RECENT, HISTORIC, ""] {
        assert_eq!(classify(status, page.as_bytes()), is);
    }
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
    let texts = [
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<style ",
        "</style>",
        "<",
        ">",
        "\"",
        "'",
        "&",
        ";",
        "&#",
        "<table>",
        "<tr>",
        "<td>",
        "</td>",
        "</table>",
        "<a href=",
        "id=",
        "=",
        "/",
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
    prop_oneof![
        proptest::sample::select(texts.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
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
