use std::io::Write as _;

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::ImportArchiveError as Error;
use super::*;

const XML: &str = "[2026-11-20]KEY1.xml";
const PDF: &str = "[2026-11-20]KEY1.pdf";

fn deflated() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
}

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

fn zip(files: &[(&str, &[u8])], options: SimpleFileOptions) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn good() -> Vec<u8> {
    let files = [
        (XML, &b"<xml/>"[..]),
        (PDF, b"%PDF-1.4"),
        ("resumen.txt", b"1"),
    ];
    zip(&files, deflated())
}

fn read(bounds: Bounds, file: Vec<u8>) -> Result<Vec<ImportedFile>, Error> {
    ImportArchive::within(bounds, file.into())?.collect()
}

fn refused(file: Vec<u8>) -> Error {
    read(BOUNDS, file).unwrap_err()
}

/// Places of a signature.
fn places(file: &[u8], signature: &[u8]) -> Vec<usize> {
    (0..file.len())
        .filter(|place| file[*place..].starts_with(signature))
        .collect()
}

/// Changes a field of the `nth` file, in its own header and in the directory.
fn change(file: &mut [u8], nth: usize, own: usize, directory: usize, value: &[u8]) {
    let local = places(file, b"PK\x03\x04")[nth];
    let central = places(file, ENTRY_SIGNATURE)[nth];
    for start in [local + own, central + directory] {
        file[start..start + value.len()].copy_from_slice(value);
    }
}

#[test]
fn the_banks_archive_is_read_file_by_file() {
    let archive = ImportArchive::open(good().into()).unwrap();
    let files: Vec<_> = archive.map(Result::unwrap).collect();
    assert!(
        matches!(&files[0].name, Some(EntryName::Proof { tracking_key, .. })
        if tracking_key.as_str() == "KEY1")
    );
    assert_eq!(&files[0].bytes[..], b"<xml/>");
    assert_eq!(files[1].bytes, b"%PDF-1.4");
    assert_eq!(files[2].name, Some(EntryName::Summary));
}

/// Java, for one, writes archives without knowing the sizes beforehand.
#[test]
fn an_archive_that_was_written_as_a_stream_is_read() {
    let mut file = Vec::new();
    let mut writer = ZipWriter::new_stream(&mut file);
    for name in [XML, PDF] {
        writer.start_file(name, deflated()).unwrap();
        writer.write_all(&b"content ".repeat(100)).unwrap();
    }
    writer.finish().unwrap();
    let files = read(BOUNDS, file).unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!(files[1].bytes.len(), 800);
}

#[test]
fn a_file_of_another_name_has_none() {
    let files = read(BOUNDS, zip(&[("leeme.txt", b"x")], stored())).unwrap();
    assert_eq!(files[0].name, None);
}

#[test]
fn an_empty_archive_has_no_files() {
    assert!(read(BOUNDS, zip(&[], stored())).unwrap().is_empty());
}

#[test]
fn another_file_is_no_archive() {
    assert_eq!(refused(b"<xml/>".to_vec()), Error::NotAZip);
    assert_eq!(refused(Vec::new()), Error::NotAZip);
    assert_eq!(refused(vec![b'P'; MAX_ARCHIVE_BYTES + 1]), Error::TooLarge);
}

#[test]
fn a_truncated_archive_is_refused_wherever_it_ends() {
    let whole = good();
    for length in 4..whole.len() {
        let error = refused(whole[..length].to_vec());
        assert_eq!(error, Error::Truncated, "{length}");
    }
}

#[test]
fn too_many_files_are_refused_before_their_directory_is_read() {
    let names: Vec<_> = (0..1_002).map(|number| format!("{number}.txt")).collect();
    let mut files: Vec<_> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let most = 1_001;
    assert_eq!(refused(zip(&files, stored())), Error::TooManyFiles { most });
    files.pop();
    assert_eq!(read(BOUNDS, zip(&files, stored())).unwrap().len(), most);
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let large = vec![7; MAX_FILE_BYTES + 1];
    let expected = Error::FileTooLarge {
        number: 2,
        most: MAX_FILE_BYTES as u64,
    };
    assert_eq!(
        refused(zip(&[(XML, b""), (PDF, &large)], stored())),
        expected
    );
}

#[test]
fn files_that_are_too_large_together_are_refused() {
    let bounds = Bounds {
        all_bytes: 10,
        ..BOUNDS
    };
    let file = |second: &[u8]| zip(&[(XML, b"123456"), (PDF, second)], stored());
    assert_eq!(read(bounds, file(b"1234")).unwrap().len(), 2);
    let error = read(bounds, file(b"12345")).unwrap_err();
    assert_eq!(error, Error::FilesTooLarge { most: 10 });
}

#[test]
fn a_bomb_is_refused_by_its_ratio() {
    let zeros = vec![0; MAX_FILE_BYTES];
    let expected = Error::Ratio {
        number: 1,
        most: 100,
    };
    assert_eq!(refused(zip(&[(XML, &zeros)], deflated())), expected);
}

#[test]
fn a_bomb_that_says_it_is_small_is_not_inflated_beyond_the_bounds() {
    let bounds = Bounds {
        file_bytes: 1_000,
        ratio: 1_000_000,
        ..BOUNDS
    };
    let mut file = zip(&[(XML, &vec![0; 500_000])], deflated());
    change(&mut file, 0, 22, 24, &10_u32.to_le_bytes());
    let error = read(bounds, file.clone()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::FileTooLarge { number: 1, .. } | Error::DamagedFile { number: 1 }
        ),
        "{error:?}",
    );
    // Within the bounds it still isn't what it says.
    let error = refused(file);
    assert!(
        matches!(error, Error::Ratio { .. } | Error::DamagedFile { .. }),
        "{error:?}"
    );
}

#[test]
fn an_archive_in_the_archive_is_refused() {
    let file = zip(&[(XML, b"<xml/>"), ("todo.zip", &good())], stored());
    assert!(matches!(
        refused(file),
        Error::Nested { number: 2 } | Error::Inconsistent
    ));
    let file = zip(&[(XML, &good())], deflated());
    assert_eq!(refused(file), Error::Nested { number: 1 });
}

#[test]
fn an_encrypted_file_is_refused() {
    let mut file = good();
    change(&mut file, 1, 6, 8, &[1, 0]);
    assert_eq!(refused(file), Error::Encrypted { number: 2 });
}

#[test]
fn an_unsupported_method_is_refused() {
    for method in [14_u16, 12, 93, 99] {
        let mut file = good();
        change(&mut file, 0, 8, 10, &method.to_le_bytes());
        assert_eq!(refused(file), Error::Method { number: 1 }, "{method}");
    }
}

#[test]
fn two_files_of_one_name_are_refused() {
    let mut file = zip(&[(XML, b"1"), ("[2026-11-20]KEY2.xml", b"2")], stored());
    change(&mut file, 1, 30, 46, XML.as_bytes());
    assert_eq!(refused(file), Error::DuplicateNames);
}

#[test]
fn files_that_overlap_are_refused() {
    let mut file = zip(&[(XML, b"1"), (PDF, b"2")], stored());
    let second = places(&file, ENTRY_SIGNATURE)[1];
    file[second + 42..second + 46].copy_from_slice(&0_u32.to_le_bytes());
    assert_eq!(refused(file), Error::Overlap);
}

#[test]
fn a_directory_that_names_a_file_otherwise_is_refused() {
    let mut file = good();
    let first = places(&file, ENTRY_SIGNATURE)[0] + 46;
    file[first..first + XML.len()].copy_from_slice(b"[2026-11-20]KEY9.xml");
    assert_eq!(refused(file), Error::Inconsistent);
}

#[test]
fn a_hostile_name_is_refused_and_never_a_path() {
    let long = "x".repeat(200);
    for (name, problem) in [
        ("../resumen.txt", EntryNameError::Path),
        ("/etc/resumen.txt", EntryNameError::Path),
        ("..\\resumen.txt", EntryNameError::Path),
        ("C:resumen.txt", EntryNameError::Path),
        ("a\0b.xml", EntryNameError::Character),
        (&long, EntryNameError::TooLong),
    ] {
        // The writer would change some names.
        let placeholder = "p".repeat(name.len());
        let mut file = zip(&[(&placeholder, b"x")], stored());
        change(&mut file, 0, 30, 46, name.as_bytes());
        let expected = Error::HostileName { number: 1, problem };
        assert_eq!(refused(file), expected, "{name:?}");
    }
}

#[test]
fn a_link_is_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink(XML, "resumen.txt", stored()).unwrap();
    let file = writer.finish().unwrap().into_inner();
    assert_eq!(refused(file), Error::NotAFile { number: 1 });
}

#[test]
fn a_changed_byte_of_a_file_is_noticed() {
    let mut file = zip(&[(XML, b"<xml/>")], stored());
    let place = places(&file, b"<xml/>")[0];
    file[place + 1] = b'y';
    assert_eq!(refused(file), Error::DamagedFile { number: 1 });
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(BOUNDS, [b"PK\x03\x04", &bytes[..]].concat());
    }

    #[test]
    fn changed_bytes_of_an_archive_are_refused_or_read_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut file = good();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Ok(files) = read(BOUNDS, file) {
            prop_assert!(files.len() <= 3);
        }
    }
}
