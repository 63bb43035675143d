//! Files of secrets in the data folder, each generated once where none is given.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use ports::outbound::Random;
use zeroize::Zeroizing;

use crate::config::{HmacSecret, SecretKind, StoreSecret, variable};
use crate::private_files;

/// A secret that is generated where none is given.
pub(crate) trait GeneratedSecret: SecretKind<Value = Self> + Sized {
    /// Name of its file in the data folder.
    const FILE: &'static str;
}

impl GeneratedSecret for HmacSecret {
    const FILE: &'static str = "secret";
}

impl GeneratedSecret for StoreSecret {
    const FILE: &'static str = "store-secret";
}

const OWNER_ONLY: u32 = 0o600;
/// Bytes that are read: a longer file holds no secret.
const LARGEST: usize = 4 * 1024;

/// Reports a secret that was made in `folder`.
pub(crate) fn is_in_folder<S: GeneratedSecret>(folder: &Path) -> bool {
    folder.join(S::FILE).exists()
}

/// The secret in `folder`, made there when it is missing.
///
/// # Errors
/// It can't be read or written, or others than its owner may read it.
pub(crate) fn of_folder<S: GeneratedSecret>(folder: &Path, random: &dyn Random) -> Result<S> {
    let path = folder.join(S::FILE);
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(OWNER_ONLY)
        .open(&path)
    {
        Ok(mut file) => {
            let mut bytes = Zeroizing::new([0; 32]);
            random.fill(&mut *bytes);
            let mut hex = Zeroizing::new(String::with_capacity(64));
            for byte in bytes.iter() {
                write!(hex, "{byte:02x}").expect("a string takes what is written to it");
            }
            file.write_all(hex.as_bytes())
                .and_then(|()| file.sync_all())
                .with_context(|| format!("writing the new secret to {}", path.display()))?;
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(|| format!("making {}", path.display())),
    }
    let unusable = || {
        format!(
            "the secret {} can't be used ({}_FILE names one elsewhere)",
            path.display(),
            variable(S::NAME)
        )
    };
    let file = private_files::open(&path).with_context(unusable)?;
    let mut text = Zeroizing::new(String::with_capacity(LARGEST));
    file.take(LARGEST as u64)
        .read_to_string(&mut text)
        .with_context(unusable)?;
    S::parse(text.trim()).map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use domain::keys::{Environment, FullKey};
    use tempfile::TempDir;

    use super::*;
    use crate::system::SystemRandom;

    fn of_folder(folder: &TempDir) -> Result<HmacSecret> {
        super::of_folder(folder.path(), &SystemRandom)
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refusal<T>(secret: Result<T>) -> String {
        format!("{:#}", secret.err().unwrap())
    }

    fn hash(secret: &HmacSecret, key: &FullKey) -> [u8; 32] {
        secret.hasher().unwrap().hash(key).0.0
    }

    #[test]
    fn the_secret_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let key = FullKey::generate(Environment::Test, &mut |bytes| bytes.fill(7));
        let first = of_folder(&folder).unwrap();
        let again = of_folder(&folder).unwrap();
        assert_eq!(hash(&first, &key), hash(&again, &key));
        let made = fs::metadata(folder.path().join("secret")).unwrap();
        assert_eq!(made.permissions().mode() & 0o777, OWNER_ONLY);
    }

    #[test]
    fn each_secret_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let store_secret = || super::of_folder::<StoreSecret>(folder.path(), &SystemRandom);
        of_folder(&folder).unwrap();
        store_secret().unwrap();
        let [hmac, store] =
            ["secret", "store-secret"].map(|name| fs::read(folder.path().join(name)).unwrap());
        assert_ne!(hmac, store);
        set_mode(&folder.path().join("store-secret"), 0o644);
        let error = refusal(store_secret());
        assert!(error.contains("CEP_STORE_SECRET_FILE"), "{error}");
    }

    #[test]
    fn a_secret_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        of_folder(&folder).unwrap();
        set_mode(&folder.path().join("secret"), 0o644);
        let error = refusal(of_folder(&folder));
        assert!(error.contains("chmod 600"), "{error}");
    }

    #[test]
    fn a_secret_that_is_a_symbolic_link_is_refused_and_its_target_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        symlink(&target, folder.path().join("secret")).unwrap();
        // Also where the target is yet to be made.
        for content in [None, Some("ab".repeat(32))] {
            if let Some(content) = &content {
                fs::write(&target, content).unwrap();
                set_mode(&target, 0o600);
            }
            let error = refusal(of_folder(&folder));
            assert!(error.contains("symbolic link"), "{error}");
            assert_eq!(fs::read_to_string(&target).ok(), content);
        }
    }

    #[test]
    fn a_damaged_secret_is_refused_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        of_folder(&folder).unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "short").unwrap();
        assert!(of_folder(&folder).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "short");
    }
}
