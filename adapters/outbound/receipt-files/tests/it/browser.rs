//! Chromium, which prints and draws receipts of a bank that doesn't exist.

use std::fs;
use std::process::{Command, Stdio};

/// Rows of a receipt: labels and values.
pub(crate) const ROWS: [(&str, &str); 9] = [
    ("Importe", "$1,234.50"),
    ("Fecha de operación", "27/11/2026"),
    ("Hora", "14:35:07"),
    ("Clave de rastreo", "MBAN01002611270000012345"),
    ("CLABE destino", "002010077777777771"),
    ("Banco destino", "STP"),
    ("Beneficiario", "Comercializadora Ejemplo"),
    ("Concepto", "Pago factura A-1029"),
    ("Referencia", "2711261"),
];

/// A page with the rows: labels on the left, values on the right.
pub(crate) fn page(style: &str) -> String {
    let rows = ROWS.map(|(label, value)| format!("<p><span>{label}</span><b>{value}</b></p>"));
    format!(
        "<!doctype html><meta charset=utf-8><style>body{{font:15px/1.4 sans-serif;margin:0;padding:16px;width:328px}}\
         p{{display:flex;justify-content:space-between;margin:10px 0}}b{{font-weight:400}}span{{color:#777}}{style}</style>\
         <h1>Transferencia exitosa</h1>{}",
        rows.concat()
    )
}

/// Prints a page; `None` if Chromium isn't installed.
pub(crate) fn print(page: &str) -> Option<Vec<u8>> {
    run(page, "--print-to-pdf", &["--no-pdf-header-footer"])
}

/// Draws a page with so many pixels for each of its units; `None` if Chromium isn't installed.
pub(crate) fn draw(page: &str, scale: &str) -> Option<Vec<u8>> {
    let scale = format!("--force-device-scale-factor={scale}");
    let options = [&*scale, "--hide-scrollbars", "--window-size=560,900"];
    run(page, "--screenshot", &options)
}

/// Chromium without windows starts in a quarter of the time. Not every distribution has it.
const PROGRAMS: [&str; 2] = ["chromium-headless-shell", "chromium"];

fn run(page: &str, output: &str, options: &[&str]) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let (source, made) = (
        folder.path().join("page.html"),
        folder.path().join("made.png"),
    );
    fs::write(&source, page).unwrap();
    let profile = format!(
        "--user-data-dir={}",
        folder.path().join("profile").display()
    );
    let run = |program| {
        Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", &profile])
            .args(options)
            .arg(format!("{output}={}", made.display()))
            .arg(format!("file://{}", source.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    if !PROGRAMS.iter().any(|program| run(program).is_ok()) {
        say("skipped: Chromium isn't installed");
        return None;
    }
    Some(fs::read(made).unwrap())
}

/// Returns `true` if Tesseract is installed.
pub(crate) fn can_recognise() -> bool {
    let is_installed = Command::new("tesseract").arg("--version").output().is_ok();
    if !is_installed {
        say("skipped: Tesseract isn't installed");
    }
    is_installed
}

#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub(crate) fn say(skipped: &str) {
    eprintln!("{skipped}");
}
