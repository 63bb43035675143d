//! Classification of the portal's pages, in all spellings.

use chrono::NaiveDate;
use domain::payment::PaymentState;
use rstest::rstest;

use super::*;

mod hostile;

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
    let lower = format!("{known}{RECENT}{HISTORIC}{BAD_INPUT}{LATER}");
    assert_eq!(read(&lower), payment(PaymentState::Returned));
    for (other, is) in [
        (TOO_MANY, Page::TooManyQueries),
        (CAPTCHA, Page::CaptchaWanted),
        (READY, Page::Ready),
    ] {
        assert_eq!(read(&format!("{known}{other}")), is);
    }
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
