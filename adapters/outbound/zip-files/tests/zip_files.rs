//! ZIP files as people's programs write them, and hostile ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Cursor, Write as _};
use std::path::PathBuf;

use domain::proofs::check::{ZipBounds, ZipError};
use ports::outbound::{ZipReader as _, ZippedFile};
use proptest::prelude::*;
use rstest::rstest;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};
use zip_files::DeflatedZip;

const BOUNDS: ZipBounds = ZipBounds {
    entries: 12,
    files: 3,
    file_bytes: 200_000,
    all_bytes: 300_000,
    ratio: 100,
};

const OWN_HEADER: &[u8] = b"PK\x03\x04";
const LISTED: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

fn options(method: CompressionMethod) -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(method)
}

/// A ZIP of these files; a name that ends with `/` is that of a folder.
fn zip(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        if name.ends_with('/') {
            writer.add_directory(*name, options(method)).unwrap();
        } else {
            writer.start_file(*name, options(method)).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// The place of a record that begins with this signature.
fn place(file: &[u8], signature: &[u8]) -> usize {
    let mut windows = file.windows(4);
    windows.position(|window| window == signature).unwrap()
}

fn read(file: Vec<u8>) -> Result<Vec<ZippedFile>, ZipError> {
    let mut files = DeflatedZip.open(file.into(), BOUNDS)?;
    Ok(std::iter::from_fn(|| files.next_file()).collect())
}

/// Names and contents.
fn contents(file: Vec<u8>) -> Vec<(String, Result<usize, ZipError>)> {
    let files = read(file).unwrap().into_iter();
    let length = |file: ZippedFile| (file.name, file.content.map(|bytes| bytes.len()));
    files.map(length).collect()
}

/// Bytes that no method makes shorter.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Changes a field of the only file, in its own header and in the directory.
fn change(file: &mut [u8], own: usize, directory: usize, value: &[u8]) {
    let places = [(OWN_HEADER, own), (LISTED, directory)];
    for start in places.map(|(signature, offset)| place(file, signature) + offset) {
        file[start..start + value.len()].copy_from_slice(value);
    }
}

#[test]
fn files_come_one_after_the_other_and_what_systems_add_is_passed_over() {
    let files: [(&str, &[u8]); _] = [
        ("pagos/", b""),
        ("pagos/CEP.xml", b"<xml/>"),
        ("__MACOSX/pagos/._CEP.xml", b"x"),
        ("pagos/.DS_Store", b"x"),
        ("../CEP.pdf", b"%PDF"),
        ("C:\\a\\Thumbs.db", b"x"),
    ];
    let read = contents(zip(&files, CompressionMethod::Deflated));
    let proofs = [("pagos/CEP.xml", 6), ("../CEP.pdf", 4)];
    assert_eq!(
        read,
        proofs.map(|(name, length)| (name.to_owned(), Ok(length)))
    );
}

/// Java, for one, writes archives without knowing the sizes beforehand.
#[test]
fn an_archive_that_was_written_as_a_stream_is_read() {
    let mut file = Vec::new();
    let mut writer = ZipWriter::new_stream(&mut file);
    let deflated = options(CompressionMethod::Deflated);
    writer.start_file("CEP.xml", deflated).unwrap();
    writer.write_all(b"<xml/>").unwrap();
    writer.finish().unwrap();
    assert_eq!(contents(file), [("CEP.xml".to_owned(), Ok(6))]);
}

#[test]
fn a_file_that_can_not_be_read_spoils_none_of_the_others() {
    let bomb = vec![0; 150_000];
    let large = noise(200_001);
    let files = [
        ("bomb.xml", &bomb[..]),
        ("large.pdf", &large),
        ("good.xml", b"<xml/>"),
    ];
    assert_eq!(
        contents(zip(&files, CompressionMethod::Deflated)),
        [
            ("bomb.xml".to_owned(), Err(ZipError::TooDeflated)),
            ("large.pdf".to_owned(), Err(ZipError::FileTooLarge)),
            ("good.xml".to_owned(), Ok(6)),
        ]
    );
}

#[test]
fn files_have_a_bound_together() {
    let part = noise(150_000);
    let files = [("1", &part[..]), ("2", &part), ("3", &part)];
    let read = contents(zip(&files, CompressionMethod::Stored));
    assert_eq!(read[1].1, Ok(150_000));
    assert_eq!(read[2].1, Err(ZipError::FilesTooLarge));
}

#[test]
fn an_encrypted_file_and_another_method_are_told_apart() {
    let cases: [(_, _, &[u8], _); _] = [
        ("its flags", 6, &[1, 0], ZipError::Encrypted),
        ("its method", 8, &[12, 0], ZipError::Method),
        ("its checksum", 14, &[9, 9, 9, 9], ZipError::Unreadable),
    ];
    for (field, own, value, error) in cases {
        let mut file = zip(&[("1", b"1")], CompressionMethod::Stored);
        change(&mut file, own, own + 2, value);
        assert_eq!(contents(file)[0].1, Err(error), "{field}");
    }
}

#[test]
fn a_size_that_is_not_true_is_found_out() {
    let content = vec![b'x'; 100_000];
    let mut lying = zip(&[("1", &content)], CompressionMethod::Deflated);
    change(&mut lying, 22, 24, &10_u32.to_le_bytes());
    assert_eq!(contents(lying)[0].1, Err(ZipError::Unreadable));
}

#[test]
fn a_directory_of_too_many_entries_is_refused() {
    for (count, kind) in [(4, ""), (10_000, "/")] {
        let names: Vec<_> = (0..count).map(|number| format!("{number}{kind}")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b"1"[..])).collect();
        let refused = read(zip(&files, CompressionMethod::Stored));
        assert_eq!(refused.unwrap_err(), ZipError::TooManyFiles, "{count}");
    }
}

#[test]
fn what_is_cut_off_is_damaged() {
    let whole = zip(&[("1", b"<xml/>")], CompressionMethod::Stored);
    for length in [4, whole.len() / 2, whole.len() - 22] {
        let refused = read(whole[..length].to_vec());
        assert_eq!(refused.unwrap_err(), ZipError::Damaged, "{length}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        place in 0_usize..400, bytes in proptest::collection::vec(any::<u8>(), 1..8),
    ) {
        let mut file = zip(&[("1.xml", b"<xml/>"), ("2.pdf", &noise(100))], CompressionMethod::Deflated);
        let end = (place + bytes.len()).min(file.len());
        let start = place.min(end);
        file[start..end].copy_from_slice(&bytes[..end - start]);
        let _ = read(file);
    }
}

#[test]
fn a_zip_whose_files_programs_would_choose_differently_is_refused() {
    let files: [(&str, &[u8]); _] = [("1.xml", b"one"), ("2.xml", b"two")];
    let two = zip(&files, CompressionMethod::Stored);
    let mut one_name = two.clone();
    for place in 0..one_name.len() {
        if one_name[place..].starts_with(b"2.xml") {
            one_name[place] = b'1';
        }
    }
    for file in [one_name, [two.clone(), two].concat()] {
        assert_eq!(read(file).unwrap_err(), ZipError::Damaged);
    }
}

/// A program that reads a ZIP from its begin takes what is behind the end of deflated data for the next file.
#[test]
fn bytes_behind_deflated_data_are_no_part_of_a_file() {
    let content = b"nothing ".repeat(10);
    let whole = zip(&[("__MACOSX/1", &content)], CompressionMethod::Deflated);
    assert_eq!(contents(whole.clone()), []);
    let (listed, end) = (place(&whole, LISTED), place(&whole, END));
    let mut longer = [&whole[..listed], b"hidden", &whole[listed..]].concat();
    longer[end + 6 + 16] += 6;
    let deflated = whole[18] + 6;
    change(&mut longer, 18, 20, &[deflated]);
    let told = ("__MACOSX/1".to_owned(), Err(ZipError::Unreadable));
    assert_eq!(contents(longer), [told]);
}

#[test]
fn a_proof_is_read_whatever_a_system_would_name_so() {
    let files = [("__MACOSX/a", &b"x"[..]), (".DS_Store", b"%PDF-1.7")];
    let read = contents(zip(&files, CompressionMethod::Stored));
    assert_eq!(read, [(".DS_Store".to_owned(), Ok(8))]);
}

/// The files in `written_by` hold `pagos/CEP.xml`, and some of them the folder.
#[rstest]
fn zips_of_many_programs_are_read(#[files("tests/written_by/*.zip")] path: PathBuf) {
    let read = contents(std::fs::read(path).unwrap());
    let [(name, content)] = &read[..] else {
        panic!("{read:?}");
    };
    // Of what comes from a pipe, nobody knows the name.
    assert!(["pagos/CEP.xml", "-"].contains(&&**name), "{name}");
    assert_eq!(*content, Ok(58));
}
