//! Targets whose own tests aren't built.

use std::fs;

use cargo_metadata::MetadataCommand;
use testkit::files_under;

/// A test beside the code of such a target would never run.
#[test]
fn targets_without_tests_of_their_own_have_none() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let packages = metadata.packages.iter();
    let targets = packages.flat_map(|package| &package.targets);
    let untested = targets.filter(|it| !it.test && (it.is_lib() || it.is_bin()));
    for target in untested {
        let root = target.src_path.as_std_path();
        let files = match root.parent() {
            // The program of this package shares its folder with the library, which is tested.
            Some(folder) if !folder.join("lib.rs").is_file() || target.is_lib() => {
                files_under(folder)
            }
            _ => vec![root.to_owned()],
        };
        for file in files
            .iter()
            .filter(|file| file.extension().is_some_and(|it| it == "rs"))
        {
            let text = fs::read_to_string(file).unwrap();
            let has_tests = text.contains("#[cfg(test)]") || text.contains("#[test]");
            assert!(!has_tests, "{} of {}", file.display(), target.name);
        }
    }
}
