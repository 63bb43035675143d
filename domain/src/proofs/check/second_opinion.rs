//! Second opinion on the seal of a file, by the central bank's validator.

use chrono::NaiveDate;

use super::{Check, CheckName, CheckReason, CheckReport, CheckResult};
use crate::calendar;
use crate::keys::Environment;
use crate::seals::{
    NoOpinion, NotChecked, SealOpinion, SealVerdict, SecondOpinion, UncheckedSeal, VALIDATED_DAYS,
    Verdict,
};

impl CheckReport {
    /// The seal that a second opinion would be about.
    ///
    /// # Errors
    /// [`NoOpinion::NotNeeded`] if the gateway knows who made the seal, [`NoOpinion::UnreadableSeal`].
    pub fn disputable_seal(&self) -> Result<UncheckedSeal, NoOpinion> {
        let proof = self.proof.as_ref().ok_or(NoOpinion::UnreadableSeal)?;
        match self.verdict {
            _ if self.by_sandbox.is_some() => Err(NoOpinion::NotNeeded),
            Verdict::Valid(_) | Verdict::Invalid => Err(NoOpinion::NotNeeded),
            Verdict::NotChecked(NotChecked::Unreadable) => Err(NoOpinion::UnreadableSeal),
            Verdict::NotChecked(NotChecked::UnknownCertificate) => {
                UncheckedSeal::of(proof).map_err(|_| NoOpinion::UnreadableSeal)
            }
        }
    }

    /// Returns `true` for an XML on whose seal there may be a second opinion.
    pub fn is_disputable_xml(&self) -> bool {
        self.is_xml() && self.disputable_seal().is_ok()
    }

    /// Checks that the file may be sent to the validator. `xml` is its content, `today` the date in Mexico City.
    ///
    /// # Errors
    /// [`NoOpinion::NotXml`], [`NoOpinion::OutOfRange`] or [`NoOpinion::UnsafeText`].
    pub fn check_validatable(&self, xml: &[u8], today: NaiveDate) -> Result<(), NoOpinion> {
        let proof = self.proof.as_ref().ok_or(NoOpinion::NotXml)?;
        if !self.is_xml() {
            return Err(NoOpinion::NotXml);
        }
        let date = proof.chain.operation_date();
        let is_possible = date <= calendar::next_banking_day(today);
        if !is_possible || !calendar::is_younger_than(date, VALIDATED_DAYS, today) {
            return Err(NoOpinion::OutOfRange);
        }
        // The validator repeats texts of the file in its page, where they may be read as tags.
        let structure = self.check(CheckName::Structure).map(|check| check.result);
        if structure != Some(CheckResult::Ok) || holds_tag_signs(xml) {
            return Err(NoOpinion::UnsafeText);
        }
        Ok(())
    }

    /// Adds the second opinion. A verdict decides the check of the seal, unless the gateway has a verdict of
    /// its own; the other checks remain. In the test environment it is the verdict of the sandbox's validator,
    /// which knows the sandbox's certificates alone.
    pub fn add_second_opinion(&mut self, environment: Environment, opinion: SecondOpinion) {
        let opinion = self.disputable_seal().and(opinion);
        self.second_opinion = Some(opinion);
        if opinion.is_ok() && environment == Environment::Test {
            self.by_sandbox = Some(self.verdict);
        }
        let name = CheckName::Seal;
        let decided = match opinion {
            Ok(SealOpinion::Valid) => Check::ok(name),
            Ok(SealOpinion::Invalid) => {
                Check::failed(name, CheckReason::RefusedByValidator, Vec::new())
            }
            Err(_) => return,
        };
        for check in self.checks.iter_mut().filter(|check| check.name == name) {
            *check = decided.clone();
        }
    }

    /// The verdict of the validator on the seal; `None` if the gateway's own holds.
    pub fn verdict_of_validator(&self) -> Option<SealVerdict> {
        Some(match self.second_opinion?.ok()? {
            SealOpinion::Valid => SealVerdict::Valid,
            SealOpinion::Invalid => SealVerdict::Invalid,
        })
    }

    fn is_xml(&self) -> bool {
        self.check(CheckName::Attributes).is_some()
    }
}

/// Returns `true` if an attribute has a character that begins or ends a tag. Only for an XML whose structure is
/// a proof's: there, each `<` begins a tag, and each tag ends with one `>`.
fn holds_tag_signs(xml: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(xml) else {
        return true;
    };
    let count = |sign| text.matches(sign).count();
    count('<') != count('>') || ["&lt;", "&gt;", "&#"].iter().any(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use chrono::Days;
    use rstest::rstest;

    use super::super::CheckOutcome;
    use super::*;
    use crate::proofs::Proof;
    use crate::proofs::notice::Notice;
    use crate::seals::SealHash;

    const TODAY: NaiveDate = NaiveDate::from_ymd_opt(2026, 11, 20).expect("a day");

    fn xml() -> String {
        let seal = "AAAA".repeat(85) + "AAA=";
        let chain = format!(
            "||1|20112026|20112026|105336|40002|BBVA MEXICO|ANA PRUEBA|40|012180000000000017|ND|BANAMEX|EJEMPLO|40|\
             002010077777777771|ND|renta|0.00|1234.56|00001000000500000001||{seal}"
        );
        format!(
            "<SPEI_Tercero FechaOperacion=\"2026-11-20\" Hora=\"10:53:36\" ClaveSPEI=\"40002\" sello=\"{seal}\" \
             numeroCertificado=\"00001000000500000001\" claveRastreo=\"MBAN01002611200001234567\" cadenaCDA=\"{chain}\">\
             <Beneficiario BancoReceptor=\"BANAMEX\" Nombre=\"EJEMPLO\" TipoCuenta=\"40\" Cuenta=\"002010077777777771\" \
             RFC=\"ND\" Concepto=\"renta\" IVA=\"0.00\" MontoPago=\"1234.56\"/><Ordenante BancoEmisor=\"BBVA MEXICO\" \
             Nombre=\"ANA PRUEBA\" TipoCuenta=\"40\" Cuenta=\"012180000000000017\" RFC=\"ND\"/></SPEI_Tercero>"
        )
    }

    fn report(xml: &str, verdict: Verdict) -> CheckReport {
        CheckReport::of_xml(xml.as_bytes(), |_: &Proof| verdict)
    }

    const UNKNOWN: Verdict = Verdict::NotChecked(NotChecked::UnknownCertificate);

    #[rstest]
    #[case(Ok(SealOpinion::Valid), CheckResult::Ok, CheckOutcome::Valid)]
    #[case(Ok(SealOpinion::Invalid), CheckResult::Failed, CheckOutcome::Invalid)]
    #[case(
        Err(NoOpinion::UnknownAnswer),
        CheckResult::NotChecked,
        CheckOutcome::NotChecked
    )]
    fn a_verdict_decides_the_check_of_the_seal_and_no_verdict_decides_nothing(
        #[case] opinion: SecondOpinion,
        #[case] result: CheckResult,
        #[case] outcome: CheckOutcome,
    ) {
        let mut report = report(&xml(), UNKNOWN);
        let before = report.clone();
        report.add_second_opinion(Environment::Live, opinion);
        assert_eq!(report.check(CheckName::Seal).unwrap().result, result);
        assert_eq!(report.outcome(), outcome);
        let others = |it: &CheckReport| {
            let mut checks = it.checks.clone();
            checks.retain(|check| check.name != CheckName::Seal);
            (checks, it.proof.clone(), it.verdict)
        };
        assert_eq!(others(&report), others(&before));
    }

    #[test]
    fn a_verdict_of_the_sandboxs_validator_says_that_the_seal_is_the_sandboxs() {
        for (environment, is_told) in [(Environment::Test, true), (Environment::Live, false)] {
            let mut report = report(&xml(), UNKNOWN);
            report.add_second_opinion(environment, Err(NoOpinion::Busy));
            assert!(!report.notices().contains(&Notice::SANDBOX));
            report.add_second_opinion(environment, Ok(SealOpinion::Valid));
            assert_eq!(report.notices().contains(&Notice::SANDBOX), is_told);
        }
    }

    #[test]
    fn a_valid_seal_makes_no_altered_file_valid() {
        let altered = xml().replace("MontoPago=\"1", "MontoPago=\"9");
        let mut report = report(&altered, UNKNOWN);
        report.add_second_opinion(Environment::Live, Ok(SealOpinion::Valid));
        assert_eq!(report.verdict_of_validator(), Some(SealVerdict::Valid));
        assert_eq!(report.outcome(), CheckOutcome::Invalid);
    }

    #[rstest]
    #[case(Verdict::Valid(SealHash::Sha512), NoOpinion::NotNeeded)]
    #[case(Verdict::Invalid, NoOpinion::NotNeeded)]
    #[case(Verdict::NotChecked(NotChecked::Unreadable), NoOpinion::UnreadableSeal)]
    fn the_gateways_own_verdict_is_never_changed(
        #[case] verdict: Verdict,
        #[case] reason: NoOpinion,
    ) {
        for opinion in SealOpinion::ALL {
            let mut report = report(&xml(), verdict);
            let before = report.clone();
            report.add_second_opinion(Environment::Live, Ok(opinion));
            assert_eq!(report.second_opinion, Some(Err(reason)));
            assert_eq!(report.verdict_of_validator(), None);
            assert_eq!(report.checks, before.checks);
        }
        let mut of_sandbox = report(&xml(), UNKNOWN);
        of_sandbox.by_sandbox = Some(UNKNOWN);
        assert_eq!(
            of_sandbox.disputable_seal().err(),
            Some(NoOpinion::NotNeeded)
        );
    }

    #[test]
    fn a_proof_is_validated_for_forty_five_banking_days() {
        let report = report(&xml(), UNKNOWN);
        let xml = xml();
        let on = |today| report.check_validatable(xml.as_bytes(), today);
        assert_eq!(on(TODAY), Ok(()));
        // An evening's payment belongs to the next banking day.
        assert_eq!(on(TODAY - Days::new(1)), Ok(()));
        assert_eq!(on(TODAY - Days::new(2)), Err(NoOpinion::OutOfRange));
        // Six banking days of November, 22 of December and 16 of January.
        let last = NaiveDate::from_ymd_opt(2027, 1, 25).unwrap();
        assert_eq!(on(last), Ok(()));
        assert_eq!(on(last + Days::new(1)), Err(NoOpinion::OutOfRange));
    }

    #[rstest]
    #[case::a_tag("renta", "&lt;b&gt;")]
    #[case::an_end("renta", "-->")]
    #[case::a_number("renta", "&#60;")]
    #[case::in_a_number_that_is_not_read("TipoCuenta=\"40\"", "TipoCuenta=\"&lt;\"")]
    #[case::an_attribute_of_nobodys("sello=", "otro=\"1\" sello=")]
    #[case::a_comment("<Ordenante", "<!-- --><Ordenante")]
    fn a_text_that_may_become_a_tag_in_the_validators_page_is_not_sent(
        #[case] from: &str,
        #[case] to: &str,
    ) {
        let edited = xml().replace(from, to);
        let report = report(&edited, UNKNOWN);
        assert!(report.proof.is_some());
        let checked = report.check_validatable(edited.as_bytes(), TODAY);
        assert_eq!(checked, Err(NoOpinion::UnsafeText), "{edited}");
        let sent = xml().replace("renta", "A &amp; B");
        let report = self::report(&sent, UNKNOWN);
        assert_eq!(report.check_validatable(sent.as_bytes(), TODAY), Ok(()));
    }
}
