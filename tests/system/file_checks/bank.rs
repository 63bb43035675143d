//! Files compared with the bank (`portal=true`).

use super::*;

#[tokio::test]
async fn an_edited_tracking_key_is_told_apart_from_edited_data_by_the_bank() {
    let (gateway, key) = Gateway::with_key();
    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let answer = checked(&gateway, &key, "?portal=true", &good).await;
    assert_eq!(check(&answer, "clave_rastreo")[0], "ok", "{answer}");
    assert_eq!(notices(&answer), [COMPARED]);

    let other = xml(&gateway, &key, 2, AMOUNT).await;
    let [shown, others] = [&good, &other].map(|xml| attribute(xml, "claveRastreo"));
    let edited = good.replace(shown, others);
    let answer = checked(&gateway, &key, "?portal=true", &edited).await;
    assert_eq!(answer["resultado"], "invalid", "{answer}");
    assert_eq!(check(&answer, "sello")[0], "ok");
    for name in ["clave_rastreo", "portal"] {
        let of_key = failed("clave_de_otro_pago", &["clave_rastreo"]);
        assert_eq!(check(&answer, name), of_key);
    }
    assert_eq!(notices(&answer), [DIFFERENT]);
}

/// What each state of a payment means for the file is tested in the domain.
#[tokio::test]
async fn the_bank_tells_what_it_knows_of_the_payment() {
    let (bank, gateway, key) = CountingBank::with_gateway().await;
    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let asked = bank.cycles().len();

    let answer = checked(&gateway, &key, "?portal=false", &good).await;
    assert_eq!(notices(&answer), [NOT_COMPARED]);
    let checks = answer["comprobaciones"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["nombre"] != "portal"));
    assert_eq!(bank.cycles().len(), asked, "nobody is asked");

    let answer = checked(&gateway, &key, "?portal=true", &good).await;
    assert_eq!(check(&answer, "portal")[0], "ok", "{answer}");
    // The proof of the first request is in memory, but the bank may know of a return since.
    let again = gateway.post("xml", &key, &request(1, AMOUNT)).await;
    assert_eq!(again.text().await.unwrap(), good);
    assert_eq!(bank.cycles().len(), asked + 1);

    // The key of the sandbox's certificate counts for nothing here, so the visible fields are asked for.
    assert_eq!(answer["resultado"], "not_checked");
    let name = attribute(&good[good.find("<Beneficiario").unwrap()..], "Nombre");
    let renamed = good.replace(&format!(r#"Nombre="{name}""#), r#"Nombre="OTRA EMPRESA""#);
    let answer = checked(&gateway, &key, "?portal=true", &renamed).await;
    let other = failed("otro_beneficiario", &["beneficiario.nombre"]);
    assert_eq!(check(&answer, "portal"), other);

    let asked = bank.cycles().len();
    let unknown = good.replace(AMOUNT, "404.00");
    let answer = checked(&gateway, &key, "?portal=true", &unknown).await;
    assert_eq!(answer["resultado"], "invalid");
    let unknown = failed("desconocido_para_el_banco", &[]);
    assert_eq!(check(&answer, "portal"), unknown);
    assert_eq!(notices(&answer), [DIFFERENT]);
    assert_eq!(bank.cycles().len(), asked + 1, "one lookup");

    // A bank that fails is an error, as at the other endpoints.
    let failing = good.replace(AMOUNT, "502.00");
    let file = ("?portal=true", "application/xml");
    let answer = send(&gateway, &key, file, failing).await;
    let body = json_of(answer, 502).await;
    assert_eq!(body["error"], "BANK_PROTOCOL_ERROR");
}

#[tokio::test]
async fn an_amount_that_was_changed_beside_a_valid_seal_is_compared_by_the_sealed_one() {
    let (gateway, key) = Gateway::with_key();
    let good = xml(&gateway, &key, 1, AMOUNT).await;
    let forged = with_amount(&good, "404.00");
    let answer = checked(&gateway, &key, "?portal=true", &forged).await;
    assert_eq!(check(&answer, "portal"), failed("otro_monto", &["monto"]));
}
