//! `LibreOffice`, with the settings of a Mexican user.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Dates are shown with the day first.
const SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>es-MX</value></prop></item></oor:items>"#;

/// Import of CSV files: comma, quotes, UTF-8, from line 1, Spanish of Mexico; what stands in quotes is a text, and
/// other numbers and dates are recognised.
const IMPORT: &str = "CSV:44,34,76,1,,2058,true,true";

/// The program, with a profile in a folder of the test.
pub(super) struct Program<'a> {
    folder: &'a Path,
}

impl<'a> Program<'a> {
    /// `None` if it isn't installed.
    pub(super) fn start(folder: &'a Path) -> Option<Self> {
        Command::new("soffice").arg("--version").output().ok()?;
        let user = folder.join("profile/user");
        fs::create_dir_all(&user).unwrap();
        fs::write(user.join("registrymodifications.xcu"), SETTINGS).unwrap();
        Some(Self { folder })
    }

    /// Writes each file beside it, with this extension in place of its own.
    pub(super) fn convert(&self, files: &[PathBuf], filter: &str, extension: &str) {
        let profile = self.folder.join("profile");
        let (_, last) = extension.rsplit_once('.').unwrap_or(("", extension));
        let written = self.folder.join("written");
        let output = Command::new("soffice")
            .arg(format!(
                "-env:UserInstallation=file://{}",
                profile.display()
            ))
            .args(["--headless", "--convert-to", &format!("{last}:{filter}")])
            .arg(format!("--infilter={IMPORT}"))
            .arg("--outdir")
            .arg(&written)
            .args(files)
            .output()
            .unwrap();
        for file in files {
            let made = written.join(file.with_extension(last).file_name().unwrap());
            fs::rename(made, file.with_extension(extension))
                .unwrap_or_else(|_| panic!("{extension}: {output:?}"));
        }
    }
}
