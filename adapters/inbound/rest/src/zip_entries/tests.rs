use std::io::Write as _;

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::EntryProblem as Problem;
use super::*;

const XML: &str = "[2026-11-20]KEY1.xml";
const PDF: &str = "[2026-11-20]KEY1.pdf";

const BOUNDS: ZipBounds = ZipBounds {
    entries: 1_000,
    file_bytes: 1024 * 1024,
    all_bytes: 16 * 1024 * 1024,
};

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

/// Content read of each file.
fn read_within(bounds: ZipBounds, file: Vec<u8>) -> Vec<Result<Bytes, Problem>> {
    let entries = ZipEntries::open(file.into(), bounds).unwrap();
    entries.map(|file| file.content).collect()
}

fn read(file: Vec<u8>) -> Vec<Result<Bytes, Problem>> {
    read_within(BOUNDS, file)
}

/// Sizes read of each file.
fn lengths(read: Vec<Result<Bytes, Problem>>) -> Vec<Result<usize, Problem>> {
    let length = |content: Result<Bytes, Problem>| content.map(|bytes| bytes.len());
    read.into_iter().map(length).collect()
}

fn refused(file: Vec<u8>) -> ZipFault {
    ZipEntries::open(file.into(), BOUNDS).err().unwrap()
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
fn the_files_come_in_their_order() {
    let entries = ZipEntries::open(good().into(), BOUNDS).unwrap();
    let files: Vec<_> = entries.collect();
    let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, [XML, PDF, "resumen.txt"]);
    let kinds: Vec<_> = files.iter().map(|file| file.kind).collect();
    assert_eq!(
        kinds,
        [EntryKind::Other, EntryKind::Other, EntryKind::Summary]
    );
    let contents: Vec<_> = files
        .into_iter()
        .map(|file| file.content.unwrap())
        .collect();
    assert_eq!(contents, [&b"<xml/>"[..], b"%PDF-1.4", b"1"]);
}

#[test]
fn folders_and_what_a_system_left_are_passed_over() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_directory("lote/", stored()).unwrap();
    for name in [
        "lote/a.xml",
        "__MACOSX/lote/._a.xml",
        "lote/.DS_Store",
        "lote/Thumbs.db",
    ] {
        writer.start_file(name, stored()).unwrap();
        writer.write_all(b"x").unwrap();
    }
    let file = writer.finish().unwrap().into_inner();
    let entries = ZipEntries::open(file.into(), BOUNDS).unwrap();
    let names: Vec<_> = entries.map(|file| file.name.to_string()).collect();
    assert_eq!(names, ["lote/a.xml"]);
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
    assert_eq!(lengths(read(file)), [Ok(800), Ok(800)]);
}

#[test]
fn an_empty_archive_has_no_files() {
    assert_eq!(read(zip(&[], stored())), []);
}

#[test]
fn another_file_is_no_archive() {
    assert_eq!(refused(b"<xml/>".to_vec()), ZipFault::NotAZip);
    assert_eq!(refused(Vec::new()), ZipFault::NotAZip);
}

#[test]
fn a_truncated_archive_is_refused_wherever_it_ends() {
    let whole = good();
    for length in 4..whole.len() {
        assert_eq!(
            refused(whole[..length].to_vec()),
            ZipFault::Damaged,
            "{length}"
        );
    }
}

#[test]
fn too_many_files_are_refused_before_their_directory_is_read() {
    let names: Vec<_> = (0..=BOUNDS.entries)
        .map(|number| number.to_string())
        .collect();
    let mut files: Vec<_> = names.iter().map(|name| (&**name, &b""[..])).collect();
    let most = BOUNDS.entries;
    assert_eq!(
        refused(zip(&files, stored())),
        ZipFault::TooManyEntries { most }
    );
    files.pop();
    assert_eq!(read(zip(&files, stored())).len(), most);
}

#[test]
fn a_file_that_is_too_large_spoils_no_other() {
    let large = vec![7; 1024 * 1024 + 1];
    let file = zip(&[(XML, b"1"), (PDF, &large), ("b", b"12")], stored());
    assert_eq!(lengths(read(file)), [Ok(1), Err(Problem::TooLarge), Ok(2)]);
}

#[test]
fn what_does_not_fit_within_all_is_not_read() {
    let bounds = ZipBounds {
        all_bytes: 10,
        ..BOUNDS
    };
    let file = zip(
        &[(XML, b"123456"), (PDF, b"12345"), ("b", b"1234")],
        stored(),
    );
    assert_eq!(
        lengths(read_within(bounds, file)),
        [Ok(6), Err(Problem::DoesNotFit), Ok(4)]
    );
}

#[test]
fn a_bomb_is_not_inflated() {
    let zeros = vec![0; 1024 * 1024];
    let file = zip(&[(XML, &zeros), (PDF, b"1")], deflated());
    assert_eq!(lengths(read(file)), [Err(Problem::TooLarge), Ok(1)]);
}

#[test]
fn a_bomb_that_says_it_is_small_is_not_inflated_beyond_what_it_says() {
    let mut file = zip(&[(XML, &vec![0; 500_000]), (PDF, b"1")], deflated());
    change(&mut file, 0, 22, 24, &10_u32.to_le_bytes());
    let mut entries = ZipEntries::open(file.into(), BOUNDS).unwrap();
    let first = entries.next().unwrap();
    assert_eq!(first.content, Err(Problem::Damaged));
    assert!(BOUNDS.all_bytes - entries.left <= 11, "{}", entries.left);
    assert_eq!(
        entries.next().unwrap().content,
        Ok(Bytes::from_static(b"1"))
    );
}

#[test]
fn an_archive_in_the_archive_is_not_read() {
    let file = zip(&[(XML, &good()), (PDF, b"1")], deflated());
    assert_eq!(lengths(read(file)), [Err(Problem::Nested), Ok(1)]);
}

#[test]
fn an_encrypted_file_spoils_no_other() {
    let mut file = good();
    change(&mut file, 1, 6, 8, &[1, 0]);
    assert_eq!(lengths(read(file)), [Ok(6), Err(Problem::Encrypted), Ok(1)]);
}

#[test]
fn a_file_of_an_unsupported_method_spoils_no_other() {
    for method in [14_u16, 12, 93, 99] {
        let mut file = good();
        change(&mut file, 0, 8, 10, &method.to_le_bytes());
        let expected = [Err(Problem::Method), Ok(8), Ok(1)];
        assert_eq!(lengths(read(file)), expected, "{method}");
    }
}

#[test]
fn a_link_is_not_followed() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink(XML, "resumen.txt", stored()).unwrap();
    let file = writer.finish().unwrap().into_inner();
    assert_eq!(read(file), [Err(Problem::NotAFile)]);
}

#[test]
fn a_changed_byte_of_a_file_is_noticed_and_spoils_no_other() {
    let mut file = zip(&[(XML, b"<xml/>"), (PDF, b"1")], stored());
    let place = places(&file, b"<xml/>")[0];
    file[place + 1] = b'y';
    assert_eq!(lengths(read(file)), [Err(Problem::Damaged), Ok(1)]);
}

#[test]
fn a_file_whose_own_header_is_damaged_spoils_no_other() {
    let mut file = good();
    let header = places(&file, b"PK\x03\x04")[1];
    file[header] = b'X';
    assert_eq!(lengths(read(file)), [Ok(6), Err(Problem::Damaged), Ok(1)]);
}

#[test]
fn two_files_of_one_name_are_refused() {
    let mut file = zip(&[(XML, b"1"), ("[2026-11-20]KEY2.xml", b"2")], stored());
    change(&mut file, 1, 30, 46, XML.as_bytes());
    assert_eq!(refused(file), ZipFault::Damaged);
}

#[test]
fn files_that_overlap_are_refused() {
    let mut file = zip(&[(XML, b"1"), (PDF, b"2")], stored());
    let second = places(&file, ENTRY_SIGNATURE)[1];
    file[second + 42..second + 46].copy_from_slice(&0_u32.to_le_bytes());
    assert_eq!(refused(file), ZipFault::Damaged);
}

#[test]
fn a_name_is_text_whatever_its_bytes_and_never_a_path() {
    for (name, shown) in [
        (&b"../etc/passwd"[..], "../etc/passwd"),
        (b"a\0b.xml", "a\u{FFFD}b.xml"),
        (b"\x82.xml", "\u{e9}.xml"),
        ("\u{e9}.xml".as_bytes(), "\u{e9}.xml"),
    ] {
        // The writer would change some names.
        let placeholder = "p".repeat(name.len());
        let mut file = zip(&[(&placeholder, b"x")], stored());
        change(&mut file, 0, 30, 46, name);
        let mut entries = ZipEntries::open(file.into(), BOUNDS).unwrap();
        assert_eq!(entries.next().unwrap().name.as_str(), shown);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let file = [b"PK\x03\x04", &bytes[..]].concat();
        if let Ok(entries) = ZipEntries::open(file.into(), BOUNDS) {
            entries.for_each(drop);
        }
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
        if let Ok(entries) = ZipEntries::open(file.into(), BOUNDS) {
            prop_assert!(entries.count() <= 3);
        }
    }
}
