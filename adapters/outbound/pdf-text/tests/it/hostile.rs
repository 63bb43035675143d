//! Files that try to exhaust or confuse the reader.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use domain::proofs::check::{MAX_FILE_BYTES, PdfError, PrintedPage};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_text::PortalPdf;
use ports::outbound::ProofPdfReader as _;
use proptest::prelude::*;

use crate::support::{Files, drawn, page_objects, pdf, proof, sheet, stream};

/// Time that a hostile file may take; without optimisation everything takes about ten times as long.
const DEADLINE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1_000 } else { 100 });
/// Inflated size of a bomb, more than the memory that a file may take.
const LARGE: usize = 40 * 1024 * 1024;

static PROOFS: LazyLock<Vec<Files>> = LazyLock::new(|| (0..4).map(proof).collect());

pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn inflating(content: &[u8]) -> Vec<u8> {
    pdf(&page_objects(stream(
        "/Filter/FlateDecode",
        &deflated(content),
    )))
}

/// A page with two texts more than the portal's page may have, all in one place.
fn overlapping() -> Vec<u8> {
    let text = "BT 1 0 0 1 30 400 Tm /F1 9 Tf (a) Tj ET ".repeat(2_500);
    sheet(&text)
}

/// A file with these many object streams, each of which inflates to an array of 125,000 numbers.
fn object_streams(number: usize) -> Vec<u8> {
    let mut objects = page_objects(stream("", b""));
    let content = format!("99 0 [{}]", "1 ".repeat(125_000));
    let packed = deflated(content.as_bytes());
    let entries = "/Type/ObjStm/N 1/First 5/Filter/FlateDecode";
    objects.extend((0..number).map(|_| stream(entries, &packed)));
    // Something behind the end, so that the tables don't count.
    [pdf(&objects), b"x".to_vec()].concat()
}

/// Zeros, as LZW shortens them: a clear code, then ever longer codes, then the same over again.
fn lzw_zeros() -> Vec<u8> {
    let mut encoder = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    encoder.encode(&vec![0; LARGE / 4]).unwrap()
}

/// Reads a file; of several times, the shortest, for the machine has other work too.
fn timed(file: &[u8]) -> (Result<Vec<PrintedPage>, PdfError>, Duration) {
    let mut shortest = Duration::MAX;
    loop {
        let start = Instant::now();
        let read = PortalPdf.read(file);
        let time = start.elapsed();
        if time < DEADLINE || time >= shortest {
            return (read, time);
        }
        shortest = time;
    }
}

/// Names and files, each with the reason of its refusal, or `None` where it may be read.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>, Option<PdfError>)> {
    let complex = Some(PdfError::TooComplex);
    let damaged = Some(PdfError::Damaged);
    let mut many_streams = page_objects(stream("", b""));
    let contents = "4 0 R ".repeat(1_000);
    many_streams[2] = format!("<</Type/Page/Parent 2 0 R/Contents[{contents}]>>").into_bytes();
    let mut cycle = page_objects(stream("", b""));
    cycle[1] = b"<</Type/Pages/Kids[2 0 R]/Count 1>>".to_vec();
    let mut own_content = page_objects(stream("", b""));
    own_content[3] = b"4 0 R".to_vec();
    let mut own_length = page_objects(stream("", b""));
    own_length[3] = b"<</Length 4 0 R>>stream\n\nendstream".to_vec();
    let mut two_pages = page_objects(stream("", b""));
    two_pages[1] = b"<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>".to_vec();
    let many_objects: Vec<_> = (0..10_000).map(|_| b"null".to_vec()).collect();
    let long_array = format!("[{}]", "1 ".repeat(500_000)).into_bytes();
    let bomb = deflated(&vec![b' '; LARGE]);
    let twice = pdf(&page_objects(stream(
        "/Filter[/FlateDecode/FlateDecode]",
        &deflated(&bomb),
    )));
    let nested = |open: &str| {
        let mut objects = page_objects(stream("", b""));
        objects.push(
            open.repeat(MAX_FILE_BYTES / open.len() - 1_000)
                .into_bytes(),
        );
        pdf(&objects)
    };
    let spoilt = format!("%PDF-1.5\n{}", "1 0 obj <<(\n".repeat(80_000));
    let lzw = pdf(&page_objects(stream("/Filter/LZWDecode", &lzw_zeros())));
    let cross_references = format!(
        "%PDF-1.5\nxref\n0 9999999\n{}trailer\n<<>>\nstartxref\n9\n%%EOF",
        "0000000000 65535 f \n".repeat(50_000)
    );
    vec![
        (
            "40 MiB from 40 KiB",
            pdf(&page_objects(stream("/Filter/FlateDecode", &bomb))),
            complex,
        ),
        ("a bomb in a bomb", twice, complex),
        ("10,000 objects", pdf(&many_objects), complex),
        ("an array of a megabyte", pdf(&[long_array]), complex),
        ("arrays in arrays", nested("["), complex),
        ("dictionaries in dictionaries", nested("<</A"), complex),
        ("an open string", nested("("), complex),
        (
            "a long hexadecimal string",
            pdf(&[format!("<{}>", "a0".repeat(400_000)).into_bytes()]),
            complex,
        ),
        ("comments", nested("%\n"), None),
        ("a page that is its own parent", pdf(&cycle), complex),
        ("a content that is itself", pdf(&own_content), damaged),
        ("a length that is its own stream", pdf(&own_length), None),
        ("one page twice", pdf(&two_pages), None),
        ("one stream a thousand times", pdf(&many_streams), complex),
        ("a long table", cross_references.into_bytes(), damaged),
        (
            "text by the thousand",
            inflating("BT /F1 9 Tf (a) Tj 1 1 Td ".repeat(9_000).as_bytes()),
            complex,
        ),
        (
            "one long text",
            inflating(format!("BT ({}) Tj", "a".repeat(250_000)).as_bytes()),
            complex,
        ),
        (
            "many short texts in a row",
            inflating("(a)Tj ".repeat(14_000).as_bytes()),
            None,
        ),
        ("arrays in a content", drawn(&"[".repeat(200_000)), complex),
        ("saved states", drawn(&"q ".repeat(10_000)), complex),
        ("operands", drawn(&"1 ".repeat(10_000)), complex),
        ("areas", drawn(&"0 0 1 1 re f ".repeat(4_000)), None),
        ("pictures", drawn(&"/I Do ".repeat(10_000)), None),
        ("texts that meet", overlapping(), complex),
        ("ten object streams", object_streams(10), complex),
        ("three hundred object streams", object_streams(300), complex),
        ("objects that aren't any", spoilt.into_bytes(), complex),
        ("a bomb of LZW", lzw, complex),
        (
            "numbers beyond all bounds",
            drawn(&format!(
                "{0} 0 0 {0} 0 0 cm BT /F1 {0} Tf (a) Tj",
                "9".repeat(60)
            )),
            None,
        ),
    ]
}

#[test]
fn a_hostile_file_is_refused_in_time() {
    for (name, file, reason) in files() {
        assert!(file.len() <= MAX_FILE_BYTES, "{name}: {}", file.len());
        let (read, time) = timed(&file);
        assert_eq!(read.as_ref().err().copied(), reason, "{name}");
        assert!(time < DEADLINE, "{name}: {time:?}");
    }
}

#[test]
fn a_file_of_more_than_a_mebibyte_is_refused() {
    let file = vec![b' '; MAX_FILE_BYTES + 1];
    assert_eq!(PortalPdf.read(&file), Err(PdfError::TooLarge));
}

/// Reads a file in time, or refuses it.
fn read_in_time(file: &[u8]) -> Result<(), TestCaseError> {
    let (read, time) = timed(file);
    prop_assert!(time < DEADLINE, "{time:?}");
    for page in read.unwrap_or_default() {
        prop_assert!(page.runs.len() <= domain::proofs::check::MAX_RUNS);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_mutated_pdf_is_read_or_refused_in_time(
        number in 0_usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut file = PROOFS[number].pdf.clone();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        read_in_time(&file)?;
    }

    #[test]
    fn a_pdf_with_parts_moved_is_read_or_refused_in_time(
        number in 0_usize..4,
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        length in 0_usize..2_000,
        times in 1_usize..40,
    ) {
        let file = &PROOFS[number].pdf;
        let from = from.index(file.len());
        let part = &file[from..(from + length).min(file.len())];
        let to = to.index(file.len());
        let moved = [&file[..to], &part.repeat(times), &file[to..]].concat();
        read_in_time(&moved)?;
    }

    #[test]
    fn any_content_is_drawn_or_refused_in_time(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "BT", "ET", "/F1", "9", "-1", "Tf", "(a)", "Tj", "[(b) -200]", "TJ", "q", "Q", "cm", "1",
                "0", "Td", "Tm", "T*", "'", "\"", "re", "f", "/I", "Do", "BI", "EI", "<<", ">>", "]", "%",
            ]),
            0..200,
        ),
    ) {
        read_in_time(&drawn(&words.join(" ")))?;
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(PortalPdf.read(&bytes).is_err());
        let _ = PortalPdf.read(&[b"%PDF-1.5\n", &bytes[..]].concat());
    }
}
