//! Scripted bank: answers as a test tells it to, and records its lookups.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::criterion::Criterion;
use domain::pacing::{BankBudget, ThrottleReason};
use domain::payment::{Payment, PaymentState};
use domain::proofs::file::RequestedFiles;
use domain::transfer::Transfer;
use ports::outbound::{Bank, BankAnswer, BankError, BankFiles, Lookup};
use tokio::sync::watch;

use super::{cause, lock};

/// Answer of a scripted bank about one transfer.
#[derive(Clone, Debug)]
pub enum Script {
    /// It issues these files; a lookup gets those it wants.
    Issue(BankFiles),
    /// Several transfers have the reference number: a ZIP of their PDFs.
    Several(Bytes),
    /// It knows the payment and has no proof.
    Know(Payment),
    /// It knows no such payment.
    KnowNothing,
    /// It fails.
    Fail(BankError),
    /// It never answers.
    StaySilent,
}

/// Bank that answers each transfer by its script, and all others by one rule.
pub struct ScriptedBank {
    state: Mutex<State>,
    is_held: watch::Sender<bool>,
}

struct State {
    scripts: HashMap<Transfer, Script>,
    otherwise: Arc<dyn Fn(&Transfer) -> Script + Send + Sync>,
    asked: Vec<Lookup>,
    budget: Option<BankBudget>,
    budget_readings: usize,
}

impl Default for ScriptedBank {
    /// A bank that knows no payment until it gets scripts.
    fn default() -> Self {
        Self::answering(|_| Script::KnowNothing)
    }
}

impl ScriptedBank {
    /// A bank that answers every transfer by this rule unless the transfer has a script.
    pub fn answering(rule: impl Fn(&Transfer) -> Script + Send + Sync + 'static) -> Self {
        Self {
            state: Mutex::new(State {
                scripts: HashMap::new(),
                otherwise: Arc::new(rule),
                asked: Vec::new(),
                budget: None,
                budget_readings: 0,
            }),
            is_held: watch::Sender::new(false),
        }
    }

    /// Answers by another rule from now on, unless the transfer has a script.
    pub fn answer_by(&self, rule: impl Fn(&Transfer) -> Script + Send + Sync + 'static) {
        self.state().otherwise = Arc::new(rule);
    }

    /// Sets the answer for this transfer.
    pub fn script(&self, transfer: Transfer, script: Script) {
        self.state().scripts.insert(transfer, script);
    }

    /// Sets the budget that it reports.
    pub fn set_budget(&self, budget: Option<BankBudget>) {
        self.state().budget = budget;
    }

    /// Number of readings of the budget.
    pub fn budget_readings(&self) -> usize {
        self.state().budget_readings
    }

    /// Delays every answer until [`Self::release`]; a lookup's patience still ends.
    pub fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Releases delayed and later answers.
    pub fn release(&self) {
        self.is_held.send_replace(false);
    }

    /// Number of lookups.
    pub fn times_asked(&self) -> usize {
        self.state().asked.len()
    }

    /// All lookups, in order.
    pub fn asked(&self) -> Vec<Lookup> {
        self.state().asked.clone()
    }

    async fn answer(&self, lookup: &Lookup) -> Result<BankAnswer, BankError> {
        let mut is_held = self.is_held.subscribe();
        // The sender lives as long as `self`.
        let _ = is_held.wait_for(|is_held| !is_held).await;
        // A rule may panic, as a test tells it to: it isn't called under the lock.
        let script = self.state().scripts.get(&lookup.transfer).cloned();
        let otherwise = Arc::clone(&self.state().otherwise);
        match script.unwrap_or_else(|| otherwise(&lookup.transfer)) {
            Script::Issue(files) => Ok(BankAnswer::Issued(only(lookup.wanted, files))),
            Script::Several(zip) => Ok(BankAnswer::Several(zip)),
            Script::Know(payment) => Ok(BankAnswer::NotIssued(payment)),
            Script::KnowNothing => Ok(BankAnswer::NotFound),
            Script::Fail(error) => Err(error),
            Script::StaySilent => std::future::pending().await,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Leaves the files that are wanted.
fn only(wanted: RequestedFiles, files: BankFiles) -> BankFiles {
    BankFiles {
        xml: files.xml.filter(|_| wanted != RequestedFiles::Pdf),
        pdf: files.pdf.filter(|_| wanted.includes_pdf()),
    }
}

/// An XML and a PDF that prove `transfer`: the XML repeats its data, the seal is no signature.
pub fn unsealed_proof(transfer: &Transfer) -> BankFiles {
    let date = transfer.date();
    let (day, chain_day) = (date.format("%Y-%m-%d"), date.format("%d%m%Y"));
    let (issuer, receiver) = (transfer.issuer(), transfer.receiver());
    let (account, amount) = (transfer.account().as_str(), transfer.amount());
    let key = match transfer.criterion() {
        Criterion::TrackingKey(key) => key.as_str().replace('&', "&amp;"),
        Criterion::Reference(reference) => format!("REFERENCE{reference}"),
    };
    let (certificate, seal) = ("00001000000500000001", "c2luIHNlbGxv");
    // The oldest generation: 18 fields.
    let chain = format!(
        "||1|{chain_day}|{chain_day}|105336|{receiver}|BANCO {issuer}|PAGADOR|40|NA|NA|\
         BANCO {receiver}|BENEFICIARIO|40|{account}|NA|PRUEBA|0.00|{amount}|{certificate}||{seal}"
    );
    let xml = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<SPEI_Tercero FechaOperacion="{day}" Hora="10:53:36" ClaveSPEI="{receiver}" sello="{seal}" numeroCertificado="{certificate}" cadenaCDA="{chain}" claveRastreo="{key}">
    <Beneficiario BancoReceptor="BANCO {receiver}" Nombre="BENEFICIARIO" TipoCuenta="40" Cuenta="{account}" RFC="NA" Concepto="PRUEBA" IVA="0.00" MontoPago="{amount}"/>
    <Ordenante BancoEmisor="BANCO {issuer}" Nombre="PAGADOR" TipoCuenta="40" Cuenta="NA" RFC="NA"/>
</SPEI_Tercero>
"#
    );
    BankFiles {
        xml: Some(Bytes::from(xml)),
        pdf: Some(Bytes::from_static(b"%PDF-1.4\n%%EOF\n")),
    }
}

/// The rule of the sandbox: the amount chooses the answer; any other transfer has a proof.
#[expect(
    clippy::inconsistent_digit_grouping,
    reason = "pesos_centavos, as they are written in the form"
)]
pub fn by_amount(transfer: &Transfer) -> Script {
    let unavailable = |text| BankError::Unavailable {
        retry_after: Duration::from_secs(30),
        cause: cause(text),
    };
    let throttled = |reason| BankError::Throttled {
        retry_after: Duration::from_mins(2),
        reason,
    };
    let known = |state| {
        Script::Know(Payment {
            state,
            received_at: transfer.date().and_hms_opt(10, 53, 33),
            processed_at: transfer.date().and_hms_opt(10, 53, 36),
        })
    };
    match transfer.amount().centavos() {
        300_00 if transfer.tracking_key().is_none() => {
            Script::Several(Bytes::from_static(b"PK\x05\x06"))
        }
        404_00 | 404_01 => Script::KnowNothing,
        404_02 => known(PaymentState::Settled),
        404_03 => known(PaymentState::Returned),
        404_04 => known(PaymentState::InProcess),
        404_05 => known(PaymentState::Canceled),
        404_06 => known(PaymentState::Rejected),
        404_07 => known(PaymentState::ReturnInProcess),
        404_08 => known(PaymentState::NotSettled),
        404_09 => known(PaymentState::NotFound),
        404_10 => known(PaymentState::SentBack),
        429_00 => Script::Fail(throttled(ThrottleReason::TooManyQueriesPage)),
        429_01 => Script::Fail(throttled(ThrottleReason::CaptchaPage)),
        500_00 => Script::Fail(unavailable("HTTP 500")),
        502_00 => Script::Fail(BankError::Protocol {
            cause: cause("an unknown page"),
        }),
        503_00 => Script::Fail(unavailable("the connection was closed")),
        504_00 => Script::StaySilent,
        _ => Script::Issue(unsealed_proof(transfer)),
    }
}

#[async_trait]
impl Bank for ScriptedBank {
    async fn fetch(&self, lookup: &Lookup) -> Result<BankAnswer, BankError> {
        self.state().asked.push(lookup.clone());
        tokio::time::timeout(lookup.patience, self.answer(lookup))
            .await
            .unwrap_or(Err(BankError::Timeout))
    }

    async fn budget(&self) -> Option<BankBudget> {
        let mut state = self.state();
        state.budget_readings += 1;
        state.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::pacing::QueueLength;
    use domain::proofs::Proof;
    use ports::contract::bank::{lookup, scene, transfer};

    ports::bank!(bank_that_answers_by_amount());

    fn bank_that_answers_by_amount() -> Arc<dyn Bank> {
        Arc::new(ScriptedBank::answering(by_amount))
    }

    #[test]
    fn an_unsealed_proof_is_read_as_the_answer_to_its_transfer() {
        let transfer = transfer(scene::ISSUED, "A&B'0001");
        let xml = unsealed_proof(&transfer).xml.unwrap();
        let proof = Proof::parse(&xml).unwrap();
        assert_eq!(proof.answers(&transfer), Ok(()));
        assert!(proof.chain.is_of_known_length());
    }

    #[tokio::test]
    async fn a_scripted_transfer_has_its_own_answer_and_is_counted() {
        let bank = ScriptedBank::default();
        let question = lookup(scene::ISSUED, RequestedFiles::Xml);
        let files = unsealed_proof(&question.transfer);
        bank.script(question.transfer.clone(), Script::Issue(files.clone()));
        let answer = bank.fetch(&question).await.unwrap();
        assert_eq!(answer, BankAnswer::Issued(BankFiles { pdf: None, ..files }));
        let other = lookup(scene::ISSUED + 1, RequestedFiles::Xml);
        assert_eq!(bank.fetch(&other).await.unwrap(), BankAnswer::NotFound);
        assert_eq!(bank.times_asked(), 2);
        assert_eq!(bank.asked()[1].transfer, other.transfer);
    }

    #[tokio::test]
    async fn a_budget_is_what_it_is_set_to_and_its_readings_are_counted() {
        let bank = ScriptedBank::default();
        assert_eq!(bank.budget().await, None);
        let budget = BankBudget {
            per_minute: 30,
            remaining: 4,
            waiting: QueueLength::default(),
            paused_for: Some(Duration::from_secs(9)),
        };
        bank.set_budget(Some(budget));
        assert_eq!(bank.budget().await, Some(budget));
        assert_eq!(bank.budget_readings(), 2);
    }

    #[tokio::test]
    async fn a_held_bank_answers_when_it_is_released() {
        let bank = ScriptedBank::default();
        bank.hold();
        let question = lookup(scene::ISSUED, RequestedFiles::Xml);
        let impatient = Lookup {
            patience: Duration::from_millis(20),
            ..question.clone()
        };
        let answer = bank.fetch(&impatient).await;
        assert!(matches!(answer, Err(BankError::Timeout)));
        let asking = async { bank.fetch(&question).await.unwrap() };
        let releasing = async { bank.release() };
        let (answer, ()) = tokio::join!(asking, releasing);
        assert_eq!(answer, BankAnswer::NotFound);
    }
}
