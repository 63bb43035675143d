use proptest::prelude::*;
use rstest::rstest;

use super::*;

const BOUNDS: ZipBounds = ZipBounds::OF_CHECKS;
const CHECKSUM: u32 = 0x0102_0304;

/// A stored file, as it is written; what the directory says of it is the same where that isn't set.
#[derive(Clone, Default)]
struct Written {
    name: Vec<u8>,
    listed_name: Option<Vec<u8>>,
    data: Vec<u8>,
    extra: Vec<u8>,
    listed_extra: Vec<u8>,
    flags: u16,
    listed_flags: Option<u16>,
    method: u16,
    listed_method: Option<u16>,
    /// Checksum, and both sizes.
    said: Option<[u32; 3]>,
    listed_sizes: Option<[u32; 2]>,
    descriptor: Vec<u8>,
    attributes: u32,
    is_unlisted: bool,
}

/// A ZIP of files, and what stands elsewhere.
#[derive(Clone, Default)]
struct Zip {
    before: Vec<u8>,
    files: Vec<Written>,
    before_directory: Vec<u8>,
    before_end: Vec<u8>,
    comment: Vec<u8>,
    behind: Vec<u8>,
    /// Change of both counts of the end record.
    counts: [i32; 2],
    is_listed_backwards: bool,
    large_end: Option<[u64; 2]>,
}

fn file(name: &str, data: &[u8]) -> Written {
    Written {
        name: name.into(),
        data: data.into(),
        ..Written::default()
    }
}

fn two() -> Zip {
    let files = vec![file("a.xml", b"<a/>"), file("b.xml", b"<b/>")];
    Zip {
        files,
        ..Zip::default()
    }
}

/// Two files, of which the first is changed.
fn first(change: impl FnOnce(&mut Written)) -> Zip {
    changed(|zip| change(&mut zip.files[0]))
}

fn changed(change: impl FnOnce(&mut Zip)) -> Zip {
    let mut zip = two();
    change(&mut zip);
    zip
}

fn numbers(bytes: &mut Vec<u8>, two: &[usize]) {
    let bytes_of = |number: &usize| u16::try_from(*number).unwrap().to_le_bytes();
    bytes.extend(two.iter().flat_map(bytes_of));
}

fn number(bytes: &mut Vec<u8>, four: impl IntoIterator<Item = u32>) {
    bytes.extend(four.into_iter().flat_map(u32::to_le_bytes));
}

/// An extra field.
fn extra(id: u16, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap();
    [&id.to_le_bytes(), &length.to_le_bytes(), content].concat()
}

fn large(sizes: [u64; 2]) -> Vec<u8> {
    extra(1, &sizes.map(u64::to_le_bytes).concat())
}

fn descriptor(size: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    number(&mut bytes, [CHECKSUM, size, size]);
    bytes
}

impl Zip {
    fn bytes(&self) -> Vec<u8> {
        let (mut zip, mut listed) = (self.before.clone(), Vec::new());
        for it in &self.files {
            let begin = u32::try_from(zip.len()).unwrap();
            let size = u32::try_from(it.data.len()).unwrap();
            zip.extend(b"PK\x03\x04");
            numbers(&mut zip, &[20, it.flags.into(), it.method.into(), 0, 0]);
            number(&mut zip, it.said.unwrap_or([CHECKSUM, size, size]));
            numbers(&mut zip, &[it.name.len(), it.extra.len()]);
            for part in [&it.name, &it.extra, &it.data, &it.descriptor] {
                zip.extend(part);
            }
            if it.is_unlisted {
                continue;
            }
            let mut entry = b"PK\x01\x02".to_vec();
            let flags = it.listed_flags.unwrap_or(it.flags).into();
            let method = it.listed_method.unwrap_or(it.method).into();
            numbers(&mut entry, &[20, 20, flags, method, 0, 0]);
            number(&mut entry, [CHECKSUM]);
            number(&mut entry, it.listed_sizes.unwrap_or([size, size]));
            let name = it.listed_name.as_ref().unwrap_or(&it.name);
            numbers(&mut entry, &[name.len(), it.listed_extra.len(), 0, 0, 0]);
            number(&mut entry, [it.attributes, begin]);
            entry.extend(name);
            entry.extend(&it.listed_extra);
            listed.push(entry);
        }
        zip.extend(&self.before_directory);
        let entries = listed.len();
        if self.is_listed_backwards {
            listed.reverse();
        }
        let (begin, directory) = (zip.len(), listed.concat());
        zip.extend(&directory);
        zip.extend(&self.before_end);
        if let Some([entries, place]) = self.large_end {
            let record = zip.len() as u64;
            zip.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
            let size = directory.len() as u64;
            for number in [entries, entries, size, place] {
                zip.extend(number.to_le_bytes());
            }
            zip.extend(b"PK\x06\x07\0\0\0\0");
            zip.extend(record.to_le_bytes());
            zip.extend(b"\x01\0\0\0");
        }
        zip.extend(b"PK\x05\x06\0\0\0\0");
        let counts = self.counts.map(|change| {
            let count = i32::try_from(entries).unwrap() + change;
            usize::try_from(count).unwrap()
        });
        numbers(&mut zip, &counts);
        let extent = [directory.len(), begin];
        number(&mut zip, extent.map(|it| u32::try_from(it).unwrap()));
        numbers(&mut zip, &[self.comment.len()]);
        zip.extend(&self.comment);
        zip.extend(&self.behind);
        zip
    }

    /// Names and contents.
    fn read(&self) -> Result<Vec<(String, Vec<u8>)>, ZipError> {
        let bytes = self.bytes();
        let files = ZipEntry::of(&bytes, BOUNDS)?.into_iter();
        let content = |file: ZipEntry| (file.name, bytes[file.data].to_vec());
        Ok(files.map(content).collect())
    }
}

#[rstest]
#[case::plain(two())]
#[case::comment(changed(|zip| zip.comment = b"CEP de noviembre, PK".to_vec()))]
#[case::extra_fields(first(|it| {
    it.extra = [extra(0x5455, b"\x03aaaabbbb"), extra(0x7875, b"")].concat();
    it.listed_extra = extra(0x5455, b"\x03aaaa");
}))]
#[case::level_of_compression(first(|it| it.listed_flags = Some(2)))]
#[case::descriptor(first(|it| {
    (it.flags, it.said) = (8, Some([0; 3]));
    it.descriptor = descriptor(4);
}))]
#[case::descriptor_with_its_signature(first(|it| {
    (it.flags, it.said) = (8, Some([0, 0, 4]));
    it.descriptor = [&b"PK\x07\x08"[..], &descriptor(4)].concat();
}))]
#[case::as_macos_writes_it(first(|it| {
    (it.flags, it.said) = (8, Some([0; 3]));
    (it.extra, it.listed_extra) = (extra(0x5855, &[1; 12]), extra(0x5855, &[1; 8]));
    it.descriptor = [&b"PK\x07\x08"[..], &descriptor(4)].concat();
}))]
#[case::large_sizes(first(|it| {
    it.said = Some([CHECKSUM, u32::MAX, u32::MAX]);
    it.extra = large([4, 4]);
}))]
#[case::large_sizes_of_both(first(|it| {
    it.said = Some([CHECKSUM, u32::MAX, u32::MAX]);
    it.listed_sizes = Some([u32::MAX; 2]);
    (it.extra, it.listed_extra) = (large([4, 4]), large([4, 4]));
}))]
#[case::large_end(changed(|zip| zip.large_end = Some([2, 78])))]
fn files_that_every_program_finds_are_read(#[case] zip: Zip) {
    let file = |name: &str, data: &[u8]| (name.to_owned(), data.to_vec());
    let expected = [file("a.xml", b"<a/>"), file("b.xml", b"<b/>")];
    assert_eq!(zip.read().unwrap(), expected);
}

#[rstest]
#[case::bytes_before(changed(|zip| zip.before = b"%PDF-1.7".to_vec()))]
#[case::entry_that_is_not_listed_first(first(|it| it.is_unlisted = true))]
#[case::entry_that_is_not_listed_last(changed(|zip| zip.files[1].is_unlisted = true))]
#[case::bytes_between(first(|it| it.descriptor = b"x".to_vec()))]
#[case::bytes_before_the_directory(changed(|zip| zip.before_directory = b"x".to_vec()))]
#[case::bytes_before_the_end(changed(|zip| zip.before_end = b"x".to_vec()))]
#[case::bytes_behind(changed(|zip| zip.behind = b"x".to_vec()))]
#[case::end_in_the_comment(changed(|zip| zip.comment = [b"PK\x05\x06", &[0; 18][..]].concat()))]
#[case::entry_in_the_comment(changed(|zip| zip.comment = b"PK\x01\x02".to_vec()))]
#[case::fewer_counted(changed(|zip| zip.counts = [-1, -1]))]
#[case::more_counted(changed(|zip| zip.counts = [1, 1]))]
#[case::on_another_disk(changed(|zip| zip.counts = [-1, 0]))]
#[case::other_name_in_the_directory(first(|it| it.listed_name = Some(b"c.xml".to_vec())))]
#[case::other_name_in_an_extra_field(first(|it| it.extra = extra(0x7075, b"\x01....c.xml")))]
#[case::other_name_in_a_listed_extra_field(first(|it| it.listed_extra = extra(0x7075, b"")))]
#[case::extra_field_that_is_cut_off(first(|it| it.extra = b"\x01\0\x09\0".to_vec()))]
#[case::name_of_another(changed(|zip| zip.files[1].name = b"a.xml".to_vec()))]
#[case::name_of_another_for_some_systems(changed(|zip| {
    zip.files[0].name = "Año\\a.xml".into();
    zip.files[1].name = "aÑo/A.XML".into();
}))]
#[case::name_of_another_with_a_dot_at_its_end(changed(|zip| zip.files[1].name = b"a.xml. ".to_vec()))]
#[case::name_of_another_by_a_detour(changed(|zip| zip.files[1].name = b"x/.././a.xml".to_vec()))]
#[case::name_with_a_zero_byte(first(|it| it.name = b"a.xml\0.pdf".to_vec()))]
#[case::no_name(first(|it| it.name.clear()))]
#[case::other_flags(first(|it| it.listed_flags = Some(1)))]
#[case::other_method(first(|it| it.listed_method = Some(8)))]
#[case::other_checksum(first(|it| it.said = Some([9, 4, 4])))]
#[case::other_size(first(|it| it.said = Some([CHECKSUM, 4, 5])))]
#[case::sizes_that_are_not_said(first(|it| it.said = Some([0; 3])))]
#[case::no_descriptor(first(|it| it.flags = 8))]
#[case::descriptor_without_its_flag(first(|it| it.descriptor = descriptor(4)))]
#[case::descriptor_of_another_size(first(|it| {
    (it.flags, it.descriptor) = (8, descriptor(5));
}))]
#[case::bytes_behind_a_descriptor(first(|it| {
    (it.flags, it.descriptor) = (8, [descriptor(4), b"x".to_vec()].concat());
}))]
#[case::descriptor_in_stored_data(first(|it| {
    it.data = b"<a/>PK\x07\x08<b/>".to_vec();
    (it.flags, it.descriptor) = (8, descriptor(12));
}))]
#[case::large_sizes_that_differ(first(|it| it.extra = large([4, 5])))]
#[case::large_sizes_that_are_not_needed(first(|it| it.listed_extra = large([4, 4])))]
#[case::large_sizes_twice(first(|it| it.extra = [large([4, 4]), large([4, 4])].concat()))]
#[case::large_end_of_fewer(changed(|zip| zip.large_end = Some([1, 78])))]
#[case::large_end_beside_another_count(changed(|zip| {
    (zip.large_end, zip.counts) = (Some([2, 78]), [1; 2]);
}))]
#[case::large_end_of_another_directory(changed(|zip| zip.large_end = Some([2, 77])))]
#[case::folder_with_content(first(|it| it.name = b"a/".to_vec()))]
#[case::pdf_in_a_name(first(|it| it.name = b"%PDF-1.7".to_vec()))]
#[case::pdf_in_an_extra_field(first(|it| it.extra = extra(0xcafe, b"%PDF-1.7")))]
#[case::objects_of_a_pdf_beside_the_files(first(|it| {
    it.extra = extra(0xcafe, b"1 0 obj<<>>endobj 2 0 obj<<>>endobj");
}))]
#[case::objects_of_a_pdf_in_two_places(changed(|zip| {
    zip.files[0].name = b"1 0 obj".to_vec();
    zip.comment = b"2 0 obj".to_vec();
}))]
#[case::pdf_behind_the_begin_of_a_file(first(|it| it.data = b"<a>%PDF-1.7".to_vec()))]
#[case::pdf_in_a_file_that_can_not_be_read(first(|it| {
    (it.data, it.method) = (b"%PDF-1.7".to_vec(), 12);
}))]
fn a_zip_that_programs_read_differently_is_damaged(#[case] zip: Zip) {
    assert_eq!(zip.read(), Err(ZipError::Damaged));
}

#[test]
fn the_order_is_that_of_the_directory_and_folders_are_no_files() {
    let mut zip = two();
    zip.is_listed_backwards = true;
    zip.files.push(file("c/", b""));
    zip.files.push(file("d\\", b""));
    let names = zip.read().unwrap().into_iter().map(|(name, _)| name);
    assert_eq!(names.collect::<Vec<_>>(), ["b.xml", "a.xml"]);
    assert_eq!(Zip::default().read(), Ok(Vec::new()));
    let pdf = changed(|zip| zip.files = vec![file("a.pdf", b"%PDF-1.7")]);
    assert_eq!(pdf.read().unwrap().len(), 1);
}

#[rstest]
#[case("\u{e9}.xml".as_bytes(), "\u{e9}.xml")]
#[case(b"\x82\xa4\xe0.xml", "\u{e9}\u{f1}\u{d3}.xml")]
#[case(b"\xff", "\u{a0}")]
#[case(b"../etc/passwd", "../etc/passwd")]
fn a_name_is_text_whatever_its_bytes(#[case] bytes: &[u8], #[case] name: &str) {
    let mut zip = two();
    zip.files[0].name = bytes.into();
    assert_eq!(zip.read().unwrap()[0].0, name);
    assert_eq!(CODE_PAGE.chars().count(), 128);
}

#[rstest]
#[case::stored(0, 0, 0, Ok(ZipMethod::Stored))]
#[case::deflated(0, 8, 0o100_644 << 16, Ok(ZipMethod::Deflated))]
#[case::encrypted(1, 8, 0, Err(ZipError::Encrypted))]
#[case::deflated_otherwise(0, 9, 0, Err(ZipError::Method))]
#[case::link(0, 0, 0o120_777 << 16, Err(ZipError::NotAFile))]
#[case::folder_by_its_type(0, 0, 0o040_755 << 16, Err(ZipError::NotAFile))]
fn a_file_has_a_method_or_can_not_be_read(
    #[case] flags: u16,
    #[case] method: u16,
    #[case] attributes: u32,
    #[case] expected: Result<ZipMethod, ZipError>,
) {
    let zip = first(|it| (it.flags, it.method, it.attributes) = (flags, method, attributes));
    let files = ZipEntry::of(&zip.bytes(), BOUNDS).unwrap();
    assert_eq!(files[0].readable(BOUNDS, 0), expected);
}

#[rstest]
#[case(64 * 1024, 1, 0, Ok(ZipMethod::Stored))]
#[case(64 * 1024 + 1, 655, 0, Ok(ZipMethod::Stored))]
#[case(64 * 1024 + 1, 654, 0, Err(ZipError::TooDeflated))]
#[case(BOUNDS.file_bytes, 99_999, 7 * BOUNDS.file_bytes, Ok(ZipMethod::Stored))]
#[case(BOUNDS.file_bytes, 99_999, 7 * BOUNDS.file_bytes + 1, Err(ZipError::FilesTooLarge))]
#[case(BOUNDS.file_bytes + 1, 99_999, 0, Err(ZipError::FileTooLarge))]
fn a_file_is_read_within_bounds(
    #[case] size: usize,
    #[case] deflated: usize,
    #[case] inflated: usize,
    #[case] expected: Result<ZipMethod, ZipError>,
) {
    let entry = ZipEntry {
        name: "a.xml".to_owned(),
        method: Ok(ZipMethod::Stored),
        data: 10..10 + deflated,
        size,
        checksum: 0,
    };
    assert_eq!(entry.readable(BOUNDS, inflated), expected);
}

#[rstest]
#[case("__MACOSX/._a.xml", b"\x00\x05\x16\x07", true)]
#[case("__MACOSX/._a.pdf", b"%PDF-1.7", false)]
#[case(".DS_Store", b"<SPEI_Tercero/>", false)]
#[case("Thumbs.db", b"PK\x03\x04", false)]
#[case("a.xml", b"x", false)]
fn what_a_system_left_is_no_proof(#[case] name: &str, #[case] data: &[u8], #[case] litter: bool) {
    let files = ZipEntry::of(&first(|it| it.name = name.into()).bytes(), BOUNDS).unwrap();
    assert_eq!(files[0].is_litter(data), litter);
}

#[test]
fn files_and_entries_are_counted() {
    for (count, folder, expected) in [
        (50, "", Ok(50)),
        (51, "", Err(ZipError::TooManyFiles)),
        (200, "__MACOSX/", Ok(200)),
        (201, "__MACOSX/", Err(ZipError::TooManyFiles)),
    ] {
        let files = (0..count).map(|number| file(&format!("{folder}{number}"), b""));
        let zip = changed(|zip| zip.files = files.collect());
        assert_eq!(zip.read().map(|files| files.len()), expected);
    }
}

proptest! {
    #[test]
    fn a_zip_that_is_damaged_or_cut_off_is_read_without_panic(place: prop::sample::Index, bit in 0_u8..8) {
        let whole = two().bytes();
        let mut zip = whole.clone();
        let place = place.index(zip.len());
        zip[place] ^= 1 << bit;
        let _ = ZipEntry::of(&zip, BOUNDS);
        prop_assert!(ZipEntry::of(&whole[..place], BOUNDS).is_err());
    }
}
