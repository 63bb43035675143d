//! Pages: their characteristic sentences and recorded sizes.

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::Value;

use crate::portal::support::{Answer, Form, NOON, Portal};

const NOT_FOUND: &str = "Operación no encontrada. El SPEI no ha recibido una orden de pago que \
    cumpla con el criterio de búsqueda especificado. Se recomienda verificar la información o \
    consulte con su institución financiera.";
const NOT_FOUND_HISTORIC: &str = "[BE] No se encontró ningún pago con la información \
    proporcionada. Verifique e intente nuevamente.";
const TOO_MANY: &str = "ha excedido el n&uacute;mero m&aacute;ximo de consultas en este portal";
const CAPTCHA: &str = "La imagen de seguridad no fue ingresada correctamente. Favor de validar.";
const IDENTIFIED: &str =
    "Con la información proporcionada se identificó el siguiente pago:</strong>";
const APOLOGY: &str = "Lo sentimos, por el momento no es posible generar el CEP. Con la";

/// The answer of a new portal.
async fn answered(form: &Form) -> Answer {
    Portal::start().await.answer(form).await
}

#[rstest]
#[case::ready("1234.56", r#"<a href="descarga.do?formato=XML""#, 1_508)]
#[case::not_found_recent("404.00", NOT_FOUND, 4_353)]
#[case::not_found_historic("404.01", NOT_FOUND_HISTORIC, 432)]
#[case::too_many_queries("429.00", TOO_MANY, 2_406)]
#[case::captcha_wanted("429.01", CAPTCHA, 405)]
#[case::ready_for_a_mix_up("502.01", r#"<a href="descarga.do?formato=XML""#, 1_508)]
#[tokio::test]
async fn a_page_has_its_sentence_and_its_recorded_size(
    #[case] amount: &str,
    #[case] sentence: &str,
    #[case] size: usize,
) {
    let answer = answered(&Form::of(amount)).await;
    assert_eq!((answer.status, answer.body.len()), (200, size));
    assert!(answer.text().contains(sentence), "{}", answer.text());
    assert_eq!(answer.header("content-type"), "text/html; charset=UTF-8");
    assert_eq!(answer.header("content-length"), size.to_string());
    let is_repeated = answer.text().contains("<!-- <div class=\"info\"");
    assert_eq!(is_repeated, sentence == NOT_FOUND);
    let count = answer.text().matches(sentence).count();
    assert!(!is_repeated || count == 2, "{count}");
}

#[rstest]
#[case("404.02", "Liquidado")]
#[case("404.03", "Devuelto")]
#[case("404.04", "En proceso")]
#[case("404.05", "Cancelado")]
#[case("404.06", "Rechazado")]
#[case("404.07", "En proceso de devolución")]
#[case("404.08", "No liquidado")]
#[case("404.09", "No encontrado")]
#[case("404.10", "Retornado")]
#[tokio::test]
async fn a_payment_without_a_proof_is_named_with_its_state(
    #[case] amount: &str,
    #[case] state: &str,
) {
    let answer = answered(&Form::of(amount).with("criterio", "A&B'")).await;
    let text = answer.text();
    assert!(text.contains(APOLOGY));
    for (name, value) in [
        ("Clave de Rastreo", "A&amp;B'"),
        ("Instituci&oacute;n emisora del pago", "BBVA MEXICO"),
        ("Instituci&oacute;n receptora del pago", "BANAMEX"),
        ("Estado del pago en Banxico", state),
        ("Cuenta Beneficiaria", "002010077777777771"),
        ("Monto", amount),
    ] {
        let row = format!("<td>{name}</td><td>{value}</td>");
        assert!(text.contains(&row), "{row}");
    }
    assert_eq!(text.matches("<h4>").count(), 9);
    assert!(!text.contains("{{"));
    assert!((18_700..18_900).contains(&answer.body.len()));
    assert_eq!(answer.header("transfer-encoding"), "chunked");
}

#[tokio::test]
async fn a_payment_of_today_was_not_processed_in_the_future() {
    let portal = Portal::start().await;
    for number in 0..20 {
        let form = Form::of("404.02").with("criterio", &format!("KEY{number}"));
        let answer = portal.answer(&form).await;
        let (_, rest) = answer.text().split_once("procesamiento</td><td>").unwrap();
        assert!(&rest[..19] <= "20/11/2026 12:00:00", "{}", &rest[..19]);
    }
}

#[tokio::test]
async fn a_state_query_gets_no_apology() {
    let answer = answered(&Form::new().with("tipoConsulta", "0")).await;
    assert_eq!(answer.text().matches(IDENTIFIED).count(), 2);
    assert!(!answer.text().contains("Lo sentimos"));
    assert!(answer.text().contains("<td>Liquidado</td>"));
}

#[rstest]
#[case::no_criterion(Form::new().without("criterio"), "No existe un criterio (clave de rastreo")]
#[case::no_kind(Form::new().without("tipoCriterio"), "No existe un criterio (clave de rastreo")]
#[case::no_date(Form::new().without("fecha"), "OCURRIO UN ERROR EN LA CONSULTA")]
#[case::iso_date(Form::new().with("fecha", "2026-11-20"), "OCURRIO UN ERROR EN LA CONSULTA")]
#[tokio::test]
async fn an_invalid_form_gets_its_page(#[case] form: Form, #[case] sentence: &str) {
    let answer = answered(&form).await;
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains(sentence), "{}", answer.text());
}

#[tokio::test]
async fn a_server_error_is_the_application_servers_own_page() {
    let answer = answered(&Form::of("500.00")).await;
    assert_eq!((answer.status, answer.body.len()), (500, 833));
    assert_eq!(answer.header("connection"), "close");
}

#[tokio::test]
async fn an_unknown_page_has_no_known_sentence() {
    let answer = answered(&Form::of("502.00")).await;
    assert_eq!(answer.status, 200);
    for known in [
        NOT_FOUND,
        NOT_FOUND_HISTORIC,
        TOO_MANY,
        CAPTCHA,
        IDENTIFIED,
        "dSeleccionaFormato",
        "No existe un criterio",
        "INTENTE NUEVAMENTE",
        "OCURRIO UN ERROR",
        "HORARIO DE CONSULTA",
    ] {
        assert!(!answer.text().contains(known), "{known}");
    }
}

#[tokio::test]
async fn a_response_has_the_configured_latency() {
    let latency = Duration::from_millis(60);
    let portal = Portal::start_at(NOON, latency).await;
    let asked = Instant::now();
    portal.answer(&Form::new()).await;
    assert!(asked.elapsed() >= latency);
}

#[rstest]
#[case("04-08-2026", "90638", "40638")]
#[case("05-08-2026", "40638", "90638")]
#[tokio::test]
async fn the_catalogue_is_that_of_the_date(
    #[case] date: &str,
    #[case] listed: &str,
    #[case] missing: &str,
) {
    let portal = Portal::start().await;
    let path = format!("instituciones.do?fecha={date}");
    let answer = portal.visitor().get(&path).await;
    let catalogue: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(catalogue["overrideCaptcha"], false);
    for list in ["instituciones", "institucionesMISPEI"] {
        let list = catalogue[list].as_array().unwrap();
        assert_eq!(list[0], serde_json::json!(["40133", "ACTINVER"]));
        let has = |code: &str| list.iter().any(|entry| entry[0] == code);
        assert!(has(listed) && !has(missing));
    }
}
