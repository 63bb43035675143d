//! `cep-gateway participants …`: works on the store directly, also while a server runs on it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use application::{CatalogueRenewal, SharedCatalogue};
use chrono::NaiveDate;
use domain::calendar;
use domain::participants::{Catalogue, Participant, ParticipantCode};
use ports::outbound::Clock as _;

use super::data_dir;
use crate::cli::ParticipantsCommand;
use crate::config::{BankOptions, KeyOptions};
use crate::console::say;
use crate::system::SystemClock;
use crate::wiring;
use crate::wiring::BudgetHolder;

pub(super) async fn run(
    options: KeyOptions,
    bank: BankOptions,
    command: ParticipantsCommand,
) -> Result<()> {
    data_dir::prepare(&options.database)?;
    let work = async |catalogue: &SharedCatalogue, renewal: &CatalogueRenewal, holder| {
        match command {
            ParticipantsCommand::List { csv } => list(&catalogue.catalogue(), csv),
            ParticipantsCommand::Refresh => refresh(renewal, holder).await?,
            ParticipantsCommand::Import { file, as_of } => import(renewal, &file, as_of).await?,
        }
        Ok(())
    };
    wiring::with_participants(&options, &bank, work).await
}

fn list(catalogue: &Catalogue, csv: bool) {
    if csv {
        say(catalogue.to_csv().trim_end());
        return;
    }
    let lines = catalogue.participants().iter().map(line);
    let as_of = format!("Catalogue of participants as of {}", catalogue.as_of());
    say(&std::iter::once(as_of)
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n"));
}

fn line(participant: &Participant) -> String {
    let Participant {
        code,
        clabe_prefix,
        institution,
        name,
        valid_from,
        valid_to,
        listed_since,
    } = participant;
    let mut facts = vec![format!("{code:>5}  {clabe_prefix}  {name}")];
    if institution != code {
        facts.push(format!("one institution with {institution}"));
    }
    facts.extend(valid_from.map(|date| format!("from {date}")));
    facts.extend(listed_since.map(|date| format!("listed since {date}")));
    facts.extend(valid_to.map(|date| format!("until {date}")));
    facts.join("  ")
}

async fn refresh(renewal: &CatalogueRenewal, holder: BudgetHolder) -> Result<()> {
    if holder == BudgetHolder::Server {
        renewal.request_renewal().await?;
        say(
            "The gateway that runs on this database renews the catalogue within half a minute; its log says what came of it.",
        );
        return Ok(());
    }
    let renewed = renewal.renew().await?;
    let codes = |codes: &[ParticipantCode]| match codes {
        [] => "none".to_owned(),
        codes => {
            let codes: Vec<_> = codes.iter().map(ToString::to_string).collect();
            codes.join(", ")
        }
    };
    say(&format!(
        "The catalogue of participants is as of {}. Added: {}. Removed: {}.",
        renewed.catalogue.as_of(),
        codes(&renewed.added),
        codes(&renewed.removed)
    ));
    Ok(())
}

async fn import(renewal: &CatalogueRenewal, file: &Path, as_of: Option<NaiveDate>) -> Result<()> {
    let csv =
        std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let today = calendar::today(SystemClock::new().now());
    let as_of = as_of.unwrap_or(today);
    if as_of > today {
        bail!("--as-of must not be after today in Mexico City ({today})");
    }
    let catalogue =
        Catalogue::from_csv(&csv, as_of).with_context(|| format!("reading {}", file.display()))?;
    renewal.import(catalogue).await?;
    say(&format!(
        "The catalogue of participants is as of {as_of}; running gateways use it within seconds."
    ));
    Ok(())
}
