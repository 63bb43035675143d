//! Memory of hostile files.

use testkit::resident;

use super::*;

/// A picture of as many pixels as are read, in colours and in gray.
const MOST_OF_A_PICTURE: u64 = 200 * 1024;

#[test]
fn a_hostile_picture_takes_bounded_memory() {
    resident::alone("memory::a_hostile_picture_takes_bounded_memory", || {
        let hostile = hostile_pictures::files().into_iter();
        let hostile = hostile.map(|(name, file, _)| (name, file));
        for (name, file) in hostile.chain(hostile_pictures::costly()) {
            let taken = resident::taken(|| drop(picture(file)));
            assert!(taken < MOST_OF_A_PICTURE, "{name}: {taken} KiB");
        }
    });
}
