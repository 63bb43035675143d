//! The first five minutes: a `test` key, and a line that saves a proof with it.

use std::net::SocketAddr;

use anyhow::Result;
use application::NewKey;
use chrono::NaiveDate;
use domain::calendar;
use domain::keys::{Environment, KeyName};

use crate::server::reachable;
use crate::wiring::Gateway;

/// Makes a `test` key on the first start, and returns the welcome that shows it; `None` when there are
/// keys.
///
/// # Errors
/// The key store fails.
pub(crate) async fn welcome(gateway: &Gateway, address: SocketAddr) -> Result<Option<String>> {
    if !gateway.key_store.is_empty().await? {
        return Ok(None);
    }
    let order = NewKey {
        name: KeyName::parse("first test key")?,
        environment: Environment::Test,
        limits: None,
    };
    let key = gateway.keys.create(&gateway.operator, order).await?;
    let curl = curl(
        reachable(address),
        key.secret.reveal(),
        calendar::today(gateway.clock.now()),
    );
    Ok(Some(format!(
        "\nThis is the first start. A test key, which asks a sandbox bank, was made for you; it is shown this \
         once:\n\n  {}\n\nSave a proof with it:\n\n{curl}\n\nMore keys: cep-gateway keys create --name NAME \
         --env test\n",
        key.secret.reveal(),
    )))
}

/// A line that saves a sandbox proof: a BBVA tracking key and a Banamex account, both invented.
fn curl(address: SocketAddr, api_key: &str, today: NaiveDate) -> String {
    let (day, short_day) = (today.format("%Y-%m-%d"), today.format("%y%m%d"));
    format!(
        "curl -fsS http://{address}/v1/cep/xml_auto -o cep.xml -H 'x-api-key: {api_key}' \
         -H 'content-type: application/json' -d '{{\"fecha\":\"{day}\",\
         \"clave_rastreo\":\"MBAN0100{short_day}0000000001\",\"cuenta\":\"002010077777777771\",\"monto\":1234.56}}'"
    )
}
