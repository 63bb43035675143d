//! PDFs that are damaged, or made to cost time and memory.

use std::fmt::Write as _;
use std::time::Instant;

use domain::receipts::MAX_FILE_BYTES;
use proptest::prelude::*;

use super::made::{self, ZEROS, deflated, stream};
use super::*;

/// Files that are refused, with their names.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>, ReceiptFileError)> {
    use ReceiptFileError::{Damaged, TooLarge};
    let catalog = b"<</Type/Catalog/Pages 2 0 R>>".to_vec();
    let bomb = || stream("/Filter/FlateDecode", &ZEROS);
    let twice = made::deflate(&ZEROS);
    let many = (0..1000).fold(String::new(), |mut kids, page| {
        write!(kids, "{} 0 R ", page + 3).unwrap();
        kids
    });
    let pages = format!("<</Type/Pages/Kids[{many}]/Count 1000>>").into_bytes();
    let mut thousand = vec![catalog.clone(), pages];
    thousand.resize(1002, b"<</Type/Page>>".to_vec());
    let nested = "[".repeat(1_000_000);
    let words = (0..600).fold(String::new(), |mut lines, line| {
        let words = "a ".repeat(20);
        write!(lines, "BT /F 1 Tf 9 {line} Td ({words}) Tj ET ").unwrap();
        lines
    });
    vec![
        ("bomb", made::page("", bomb(), &[]), TooLarge),
        (
            "bomb in a bomb",
            made::page("", stream("/Filter[/Fl/Fl]", &twice), &[]),
            TooLarge,
        ),
        (
            "bomb of objects",
            made::page(
                "",
                stream("/Type/ObjStm/N 9/First 9/Filter/Fl", &ZEROS),
                &[],
            ),
            TooLarge,
        ),
        ("1000 pages", made::pdf(&thousand), TooLarge),
        ("nested", made::pdf(&[nested.into_bytes()]), Damaged),
        (
            "words",
            made::page(&made::helvetica(), stream("", words.as_bytes()), &[]),
            TooLarge,
        ),
        (
            "values",
            made::pdf(&[format!("[{}]", "1 ".repeat(2_000_000)).into_bytes()]),
            TooLarge,
        ),
        (
            "dictionaries",
            made::pdf(&[format!("[{}]", "<</A 1>>".repeat(600_000)).into_bytes()]),
            TooLarge,
        ),
        (
            "arrays",
            made::pdf(&[format!("[{}]", "[1]".repeat(1_600_000)).into_bytes()]),
            TooLarge,
        ),
        ("no page", made::pdf(&[catalog]), Damaged),
        ("loop", made::pdf(&looped()), Damaged),
        ("header", b"%PDF-1.7\n".to_vec(), Damaged),
        ("text", b"no PDF".to_vec(), Damaged),
        ("long", vec![b' '; 6 << 20], TooLarge),
    ]
}

/// A page tree within itself, without a page.
fn looped() -> [Vec<u8>; 3] {
    [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R 2 0 R]>>".to_vec(),
        b"<</Type/Pages/Kids[2 0 R 3 0 R]>>".to_vec(),
    ]
}

#[test]
fn hostile_files_are_refused_in_time() {
    for (name, file, expected) in files() {
        let began = Instant::now();
        assert_eq!(file.len() > MAX_FILE_BYTES, name == "long", "{name}");
        assert_eq!(pdf(file), Err(expected), "{name}");
        assert!(
            began.elapsed().as_secs() < 5,
            "{name}: {:?}",
            began.elapsed()
        );
    }
}

/// Files that are read as far as they can be.
fn strange() -> Vec<(&'static str, Vec<u8>)> {
    let form = |content: &str| {
        let entries = "/Subtype/Form/Resources<</XObject<</X 4 0 R/Y 5 0 R>>>>";
        stream(entries, content.as_bytes())
    };
    let forms = [form("/X Do /Y Do"), form("/X Do /Y Do")];
    let entries = "/Resources<</XObject<</X 4 0 R/Y 5 0 R>>>>";
    let pages = "1 0 obj 5 %".repeat(400_000);
    let headers = "1 0 obj (".repeat(400_000);
    let streams = "1 0 obj<</Length 9>>stream ".repeat(100_000);
    let map = "1 begincidrange <00000000> <FFFFFFFF> 0 endcidrange ".repeat(1000);
    let font = made::font("/Subtype/Type0/ToUnicode 4 0 R/Encoding 4 0 R");
    let show = stream("", b"BT /F 9 Tf <00000000FFFFFFFF> Tj ET");
    let numbers =
        "BT /F 9e9 Tf 99999999999999999999999999999999999999999999 0 Td (a) Tj ET Q Q Q ] > ) }";
    vec![
        ("forms", made::page(entries, stream("", b"/X Do"), &forms)),
        ("comments", format!("%PDF-1.4\n{pages}").into_bytes()),
        ("strings", format!("%PDF-1.4\n{headers}").into_bytes()),
        ("streams", format!("%PDF-1.4\n{streams}").into_bytes()),
        (
            "table",
            made::page(&font, show, &[deflated("", map.as_bytes())]),
        ),
        (
            "numbers",
            made::page(&made::helvetica(), stream("", numbers.as_bytes()), &[]),
        ),
        (
            "references",
            made::pdf(&[
                b"2 0 R".to_vec(),
                b"1 0 R".to_vec(),
                b"<</Type/Page/Contents 1 0 R>>".to_vec(),
            ]),
        ),
    ]
}

#[test]
fn strange_files_take_bounded_time() {
    for (name, file) in strange() {
        assert!(file.len() <= MAX_FILE_BYTES, "{name}");
        let began = Instant::now();
        let read = pdf(file);
        assert!(
            began.elapsed().as_secs() < 5,
            "{name}: {:?}, {read:?}",
            began.elapsed()
        );
    }
}

#[test]
fn a_file_that_is_slow_to_read_is_given_up() {
    let limits = Limits {
        pdf: std::time::Duration::ZERO,
        ..Limits::default()
    };
    let files = ReceiptFiles::with_limits(None, limits);
    let file = made::page("", deflated("", &b"q Q ".repeat(1000)), &[]);
    assert_eq!(wait(files.pdf(file.into())), Err(ReceiptFileError::TooSlow));
}

/// Bytes that look like parts of PDFs.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    const WORDS: &[&str] = &[
        "1 0 obj",
        "2 0 obj",
        "endobj",
        "<<",
        ">>",
        "[",
        "]",
        "(",
        ")",
        "/Type",
        "/Catalog",
        "/Page",
        "/Pages",
        "/Kids",
        "1 0 R",
        "2 0 R",
        "stream\n",
        "endstream",
        "/Length",
        "/Filter",
        "/FlateDecode",
        "/LZWDecode",
        "/ASCII85Decode",
        "/Contents",
        "trailer",
        "/Root",
        "BT",
        "ET",
        "Tj",
        "/F",
        "9",
        "-1",
        "<",
        ">",
        "/Font",
        "/Resources",
        "/XObject",
        "/Subtype",
        "/Form",
        "/Image",
        "/Width",
        "/Height",
        "%",
        "\\",
        "/N",
        "/First",
        "/ObjStm",
        "99999999",
        "0.5",
        "/DecodeParms",
        "/Predictor",
        "/Columns",
        "15",
    ];
    let word = proptest::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec());
    let bytes = proptest::collection::vec(any::<u8>(), 0..20);
    let part = prop_oneof![4 => word, 1 => bytes];
    let parts = proptest::collection::vec(part, 0..200);
    parts.prop_map(|parts| [b"%PDF-1.4\n".to_vec(), parts.join(&b' ')].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_damaged(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert_eq!(pdf(bytes), Err(ReceiptFileError::Damaged));
    }

    #[test]
    fn fragments_of_files_never_panic(file in fragments()) {
        receipt(&file);
    }

    #[test]
    fn damaged_files_never_panic(place in 0_usize..2000, bytes in proptest::collection::vec(any::<u8>(), 1..9)) {
        let content = "BT /F 10 Tf 1 0 0 1 9 9 Tm [(Folio) 5 (7)] TJ /X Do ET";
        let image = deflated("/Subtype/Image/Width 50/Height 50/BitsPerComponent 8/ColorSpace/DeviceGray", &[0; 2500]);
        let entries = "/Resources<</XObject<</X 4 0 R>>/Font<</F<</Subtype/Type1/BaseFont/Courier>>>>>>";
        let mut file = made::page(entries, stream("", content.as_bytes()), &[image]);
        let place = place % file.len();
        let end = (place + bytes.len()).min(file.len());
        file.splice(place..end, bytes);
        receipt(&file);
    }
}

/// Reads a file without a panic.
fn receipt(file: &[u8]) {
    let before = panics::count();
    drop(pdf(file.to_vec()));
    assert_eq!(panics::count(), before);
}
