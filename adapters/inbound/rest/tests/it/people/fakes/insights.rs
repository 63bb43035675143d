//! Fake of the reading of accounts, use and the audit log.

use super::*;

#[async_trait]
impl Insights for FakePeople {
    async fn customer(&self, _: &Caller) -> Result<Customer, KeyError> {
        unreachable!("no route of this crate asks for the viewer")
    }

    async fn limit_status(&self, _: &KeyOverview) -> Result<LimitStatus, KeyError> {
        unreachable!("no route of this crate asks what is left")
    }

    async fn usage(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &UsageQuery,
    ) -> Result<UsageReport, KeyError> {
        self.note(caller, &(reach, ask))?;
        admins_only(caller)?;
        let slots: Vec<_> = ask.period.slots().collect();
        let counts: Vec<u64> = (0..).take(slots.len()).collect();
        let labels = match ask.breakdown {
            Breakdown::Total => vec![SeriesLabel::Total],
            Breakdown::Key => vec![SeriesLabel::Key(KeyId(id(ACTIVE_KEY))), SeriesLabel::Others],
            Breakdown::Endpoint => vec![SeriesLabel::Endpoint(Endpoint::XmlAuto)],
            Breakdown::Outcome => vec![
                SeriesLabel::Outcome(Outcome::Delivered),
                SeriesLabel::Outcome(Outcome::BankTimeout),
            ],
        };
        let mut latencies = Latencies::default();
        latencies.record(Duration::from_millis(300));
        let mut totals = Totals::default();
        totals.add(Outcome::Delivered, 3, &latencies);
        totals.add(Outcome::BankTimeout, 1, &latencies);
        totals.add(Outcome::RateLimited, 2, &Latencies::default());
        let series = |label| Series {
            label,
            counts: counts.clone(),
        };
        Ok(UsageReport {
            series: labels.into_iter().map(series).collect(),
            slots,
            totals,
        })
    }

    async fn requests(
        &self,
        _: &Caller,
        _: RequestedScope,
        _: &RequestQuery,
    ) -> Result<Page<RequestRecord>, KeyError> {
        unreachable!("no route of this crate lists requests")
    }

    async fn bank(&self, _: Environment) -> BankHealth {
        unreachable!("no route of this crate asks for the bank's health")
    }

    async fn customers(
        &self,
        caller: &Caller,
        text: Option<&str>,
        ask: &PageRequest,
    ) -> Result<Page<CustomerOverview>, KeyError> {
        self.note(caller, &(text, ask))?;
        admins_only(caller)?;
        let overview = |customer: Customer| CustomerOverview {
            customer,
            active_keys: 1,
            month: Month::of(now()),
            used: MonthlyUse {
                charged: 12,
                refunded: 2,
            },
        };
        let items = customers().into_iter();
        let items = items.map(|customer| (customer.id.0, customer.created_at, overview(customer)));
        Ok(page(items.collect(), ask))
    }

    async fn audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        ask: &PageRequest,
    ) -> Result<AuditPage, KeyError> {
        self.note(caller, &(filter, ask))?;
        admins_only(caller)?;
        let entry = |number, action, key, change: (&str, Option<&str>, Option<&str>)| AuditEntry {
            act: AuditContext {
                id: Uuid::from_u128(number),
                at: now(),
                actor: owner("admin"),
                request_id: RequestId::parse("earlier-1").unwrap(),
            },
            action,
            customer: CustomerId(id(ACCOUNT)),
            key,
            changes: vec![FieldChange {
                field: change.0.to_owned(),
                before: change.1.map(str::to_owned),
                after: change.2.map(str::to_owned),
            }],
        };
        let key = Some(KeyId(id(ACTIVE_KEY)));
        let entries = [
            entry(
                2,
                Action::PlanSet,
                None,
                ("plan", Some("startup"), Some("enterprise")),
            ),
            entry(
                1,
                Action::KeyRevoked,
                key,
                ("revoked_at", None, Some("2026-11-20T12:00:00.000Z")),
            ),
        ];
        let items = entries.map(|entry| (entry.act.id, entry.act.at, entry));
        Ok(page(items.into(), ask))
    }
}
