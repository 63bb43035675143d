//! Disks that a test fills and makes refuse writes. Their changes are undone when the value is
//! dropped.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::programs::run;

/// A small file system in memory, mounted on a folder.
pub(crate) struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts a file system of so many MiB on this folder, which it creates; `None`, after printing
    /// it, where this can't be done.
    pub(crate) fn mount(folder: PathBuf, mib: u32) -> Option<Self> {
        fs::create_dir(&folder).unwrap();
        let options = format!("size={mib}m,mode=700");
        let mounted = run(
            "mount",
            &["-t", "tmpfs", "-o", &options, "tmpfs", path(&folder)],
        );
        if let Err(said) = mounted {
            testkit::skip(&format!("no disk can be mounted: {said}"));
            return None;
        }
        Some(Self { folder })
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) {
        let mut file = File::create(self.filling()).unwrap();
        let full = io::copy(&mut io::repeat(0), &mut file).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    }

    /// Frees what was filled.
    pub(crate) fn free(&self) {
        fs::remove_file(self.filling()).unwrap();
    }

    fn filling(&self) -> PathBuf {
        self.folder.join("filling")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazy: a gateway of a test that failed may still have files open.
        let _ = run("umount", &["--lazy", path(&self.folder)]);
    }
}

/// Files that refuse all writes, those through open descriptors too, as on a disk that the system
/// made read-only after an error. `mount -o remount,ro` doesn't do that: it fails while a file is open
/// for writing, and so does a bind mount.
pub(super) struct ReadOnly(Vec<PathBuf>);

impl ReadOnly {
    /// Makes the files immutable; `None`, after printing it, where the file system can't.
    pub(super) fn make(files: Vec<PathBuf>) -> Option<Self> {
        let read_only = Self(files);
        if let Err(said) = read_only.change("+i") {
            testkit::skip(&format!("no file can be made to refuse writes: {said}"));
            return None;
        }
        Some(read_only)
    }

    fn change(&self, attribute: &str) -> Result<(), String> {
        let files = self.0.iter().map(|file| path(file));
        let arguments: Vec<_> = std::iter::once(attribute).chain(files).collect();
        run("chattr", &arguments).map(drop)
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        let _ = self.change("-i");
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
