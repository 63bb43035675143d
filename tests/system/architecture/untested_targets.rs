//! Targets whose own tests aren't built.

use cargo_metadata::MetadataCommand;

use super::sources;

/// A test beside the code of such a target would never run.
#[test]
fn targets_without_tests_of_their_own_have_none() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let packages = metadata.packages.iter();
    let targets = packages.flat_map(|package| &package.targets);
    for target in targets.filter(|it| !it.test && (it.is_lib() || it.is_bin())) {
        let root = &target.src_path;
        let folder = root.parent().unwrap();
        // The program of this package shares its folder with the library, which is tested.
        let is_alone = target.is_lib() || !folder.join("lib.rs").is_file();
        for (path, text) in sources(folder.as_str()) {
            let is_of_target = is_alone || path == *root;
            let has_tests = text.contains("#[cfg(test)]") || text.contains("#[test]");
            assert!(!is_of_target || !has_tests, "{}", path.display());
        }
    }
}
