use std::sync::LazyLock;

use proptest::prelude::*;
use rstest::rstest;

use super::*;

const NAME: &str = "cep-0123456789abcdef.xml";
const CHECKBOX: &str = r#"<input type="checkbox" name="valido" checked disabled="true">"#;
const TOTALS_OF_VALID: &str = "<td>1</td><td>1</td><td>0</td>";
const TOTALS_OF_INVALID: &str = "<td>1</td><td>0</td><td>1</td>";

/// Base64 of 256 bytes.
static SEAL: LazyLock<String> = LazyLock::new(|| "AQID".repeat(85) + "AQ==");

/// The page about a file, as a client of the validator keeps one for its tests.
fn page(totals: &str, name: &str, mark: &str, (chain, note): (&str, &str)) -> String {
    let seal = &*SEAL;
    format!(
        r#"<!DOCTYPE html><html><head><title>Resultado Validaci&oacute;n CEP</title></head><body><div id="pagewidth">
        <center><table class="formatted-table"><thead>
            <th>Total</th> <th>V&aacute;lidos</th> <th>Inv&aacute;lidos</th>
        </thead><tbody><tr>{totals}</tr></tbody></table></center>
        <table id="comprobantesCEP"  class="table"><thead>
            <th><center>Archivo</center></th>
            <!-- <th>Cadena Original</th> -->
            <th><center>Validez Sello Digital</center></th><th><center>Ver detalle</center></th>
        </thead><tbody><tr>
            <td><center>{name} </center></td>
            <!-- <td> {chain} </td>-->
            <td><center>{mark}</center></td>
            <td> <center><button class="btn" onclick="javascript:openModalDetalleCEP('<thead><th><center>Elemento</center></th><th><center>Valor</center></th></thead><tbody><tr><td><strong>Cadena Original</strong></td><td>{chain}</td></tr><tr><td><strong>Sello digital</strong></td><td>{seal}</td></tr><tr><td><strong>Certificado utilizado</strong></td><td>00001000000500000001</td></tr><tr><td><strong>Nota</strong></td><td>Comprobante Electr&oacute;nico de Pago {note}</td></tr></tbody>');">Ver Detalle</button></center></td>
        </tr></tbody></table></div></body></html>"#
    )
}

fn valid_page() -> String {
    let texts = ("||1|20112026|renta||", "V&aacute;lido");
    page(TOTALS_OF_VALID, NAME, CHECKBOX, texts)
}

fn invalid_page() -> String {
    let texts = (
        "||1|20112026|renta||",
        "con informaci&oacute;n err&oacute;nea",
    );
    page(TOTALS_OF_INVALID, NAME, "X", texts)
}

fn read(page: &str) -> Option<SealOpinion> {
    opinion(page.as_bytes(), NAME, &SEAL)
}

#[test]
fn the_verdict_on_our_file_is_read() {
    assert_eq!(read(&valid_page()), Some(SealOpinion::Valid));
    assert_eq!(read(&invalid_page()), Some(SealOpinion::Invalid));
    let blanks = valid_page()
        .replace('\n', "\r\n")
        .replace("<td>1</td>", "<td>\n 1 </td>");
    assert_eq!(read(&blanks), Some(SealOpinion::Valid));
}

#[rstest]
#[case::another_file(NAME, "cep-1.xml")]
#[case::a_longer_name(NAME, "cep-0123456789abcdef.xml.xml")]
#[case::totals_that_disagree("<td>1</td><td>1</td><td>0</td>", "<td>1</td><td>0</td><td>1</td>")]
#[case::two_files("<td>1</td><td>1</td><td>0</td>", "<td>2</td><td>1</td><td>1</td>")]
#[case::no_totals("<td>1</td><td>1</td><td>0</td>", "")]
#[case::totals_of_something_else("V&aacute;lidos", "Recibidos")]
#[case::no_headers("<th>Total</th>", "")]
#[case::unchecked(" checked ", " ")]
#[case::a_checkbox_for_people(" disabled=\"true\"", "")]
#[case::another_control("type=\"checkbox\"", "type=\"radio\"")]
#[case::another_mark(CHECKBOX, "?")]
#[case::both_marks(CHECKBOX, "X<input type=\"checkbox\" checked disabled>")]
#[case::a_mark_against_the_totals(CHECKBOX, "X")]
#[case::two_checkboxes(
    "<center><input",
    "<center><input type=\"checkbox\" checked disabled><input"
)]
#[case::another_seal("AQIDAQID", "AQIDAQIE")]
#[case::no_seal("Sello digital", "Sello")]
#[case::two_seals("Certificado utilizado", "Sello digital")]
#[case::another_note("V&aacute;lido</td></tr></tbody>'", "Vencido</td></tr></tbody>'")]
#[case::another_call("openModalDetalleCEP", "openModal")]
#[case::no_details("<button", "<b")]
#[case::another_table("comprobantesCEP", "comprobantes")]
#[case::two_tables(
    "</table></div>",
    "</table><table id=\"comprobantesCEP\"></table></div>"
)]
#[case::a_table_within("Ver Detalle", "<table></table>")]
#[case::cut_off("</table></div></body></html>", "")]
#[case::another_row(
    "</tr></tbody></table></div>",
    "</tr><tr><td>cep-1.xml</td><td>X</td><td></td></tr></tbody></table></div>"
)]
#[case::another_cell("</tr></tbody></table></div>", "<td></td></tr></tbody></table></div>")]
#[case::in_a_comment("<div id=\"pagewidth\">", "<!--")]
fn a_page_that_differs_from_the_known_one_has_no_verdict(#[case] from: &str, #[case] to: &str) {
    let page = valid_page();
    assert!(page.contains(from), "{from}");
    assert_eq!(read(&page.replace(from, to)), None);
}

#[test]
fn the_note_of_the_other_verdict_is_a_contradiction() {
    let invalid = "con informaci&oacute;n err&oacute;nea";
    let page = valid_page().replace("V&aacute;lido</td>", &format!("{invalid}</td>"));
    assert_eq!(read(&page), None);
    let page = invalid_page().replace(invalid, "V&aacute;lido");
    assert_eq!(read(&page), None);
}

proptest! {
    #[test]
    fn any_bytes_give_no_verdict(page in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(opinion(&page, NAME, &SEAL), None);
    }

    #[test]
    fn any_markup_gives_no_verdict(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "<table>", "<table id=comprobantesCEP>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>",
                "Total", "Válidos", "Inválidos", "1", "0", "X", NAME, CHECKBOX, "<!--", "-->", "<button onclick=\"", "\">",
                "openModalDetalleCEP('", "')", "Sello digital", "Nota",
            ]),
            0..60,
        ),
    ) {
        // None of these parts is the seal.
        prop_assert_eq!(read(&parts.concat()), None);
    }

    #[test]
    fn no_part_of_a_page_has_a_verdict(cut in any::<prop::sample::Index>()) {
        let page = valid_page();
        let end = page.find("</table></div>").unwrap();
        let cut = cut.index(end);
        prop_assert_eq!(opinion(&page.as_bytes()[..cut], NAME, &SEAL), None);
    }

    #[test]
    fn no_text_of_a_file_turns_the_verdict_on_it(chain in "[^<>]{0,60}|[\"'|&;/=a-zX;!-]{0,60}") {
        let note = "con informaci&oacute;n err&oacute;nea";
        let page = page(TOTALS_OF_INVALID, NAME, "X", (&chain, note));
        prop_assert_ne!(read(&page), Some(SealOpinion::Valid));
        let page = self::page(TOTALS_OF_VALID, NAME, CHECKBOX, (&chain, "V&aacute;lido"));
        prop_assert_ne!(read(&page), Some(SealOpinion::Invalid));
    }
}
