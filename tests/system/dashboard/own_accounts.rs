//! "Own accounts", and a receipt whose masked account is one of them.

use serde_json::json;

use super::member_with;
use crate::browser::Look;
use crate::gateway::soon;

/// A receipt that shows the last digits of the account.
fn masked(digits: &str) -> String {
    format!(
        "Monto: $1,234.56\nFecha: 20/11/2026\nCuenta destino: •••• {digits}\n\
        Banco destino: BANAMEX\nClave de rastreo: MBAN01002611200001234567"
    )
}

#[tokio::test]
async fn an_own_account_completes_the_masked_one_of_a_receipt() {
    let Some(page) = member_with(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    // It is added beside the receipt that lacks it.
    page.open_verify().await;
    page.pastes(&masked("7771")).await;
    page.must_complete_the_account("****7771").await;
    page.click("receipt-add-account").await;
    page.fill("own-account-name", "Ventas").await;
    page.fill("own-account-cuenta", "002010077777777772").await;
    page.click("add-own-account-confirm").await;
    page.sees("dígito contradice").await;
    page.fill("own-account-cuenta", "002010077777777771").await;
    page.click("add-own-account-confirm").await;
    page.dialog_closes().await;
    let own = json!({ "value": "002010077777777771", "invalid": false });
    soon("the own account stands in the form", async || {
        page.fields_of_receipt().await["cuenta"] == own
    })
    .await;
    page.proves("$1,234.56").await;

    // An account that ends otherwise completes nothing.
    page.open_verify().await;
    page.pastes(&masked("9999")).await;
    page.must_complete_the_account("****9999").await;

    page.open("/accounts").await;
    page.tells("own-accounts-table", &["Ventas", "BANAMEX"])
        .await;
    page.click("remove-own-account").await;
    page.click("remove-own-account-confirm").await;
    page.dialog_closes().await;
    page.counts("[data-testid=own-account-row]", 0).await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
