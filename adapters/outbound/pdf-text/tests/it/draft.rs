//! A true page taken apart, so that a lie can be put anywhere into it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::support::{pdf_with_trailer, stream};

/// Dice with a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end` (`SplitMix64`).
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ mixed >> 31) % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    pub(crate) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// A decimal from `from` on, in hundredths.
    pub(crate) fn number(&mut self, from: i32, to: i32) -> f64 {
        let hundredths = usize::try_from((to - from) * 100).unwrap();
        f64::from(from) + f64::from(u32::try_from(self.below(hundredths)).unwrap()) / 100.0
    }
}

/// The parts of a true page, and how they are written.
#[derive(Clone)]
pub(crate) struct Draft {
    /// Operations of the content, each whole: a text object, a path with its painting, a state.
    pub(crate) steps: Vec<String>,
    pub(crate) catalog: String,
    pub(crate) pages: String,
    pub(crate) page: String,
    pub(crate) media_box: String,
    pub(crate) contents: String,
    pub(crate) fonts: String,
    pub(crate) resources: String,
    pub(crate) font: String,
    /// Objects from the number 7 on.
    pub(crate) more: Vec<Vec<u8>>,
    pub(crate) information: String,
    pub(crate) trailer: String,
    pub(crate) is_deflated: bool,
}

/// The operators that end a step.
const ENDS: [&str; 4] = ["ET", "f", "S", "Q"];

impl Draft {
    /// Takes a PDF of the sandbox apart.
    pub(crate) fn of(pdf: &[u8]) -> Self {
        let text: String = pdf.iter().copied().map(char::from).collect();
        let from = text.find("stream\n").unwrap() + "stream\n".len();
        let content = &text[from..from + text[from..].find("\nendstream").unwrap()];
        let mut steps = vec![String::new()];
        for line in content.lines() {
            let step = steps.last_mut().unwrap();
            step.push_str(line);
            step.push('\n');
            if ENDS.contains(&line.rsplit(' ').next().unwrap()) {
                steps.push(String::new());
            }
        }
        steps.retain(|step| !step.is_empty());
        Self {
            steps,
            catalog: String::new(),
            pages: String::new(),
            page: String::new(),
            media_box: "[0 0 595 850]".to_owned(),
            contents: "4 0 R".to_owned(),
            fonts: String::new(),
            resources: String::new(),
            font: "/Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding".to_owned(),
            more: Vec::new(),
            information: "/Producer(OpenPDF 1.3.30)".to_owned(),
            trailer: String::new(),
            is_deflated: false,
        }
    }

    /// Writes what the portal's generator writes and the sandbox's doesn't.
    pub(crate) fn vary(&mut self, dice: &mut Dice) {
        self.is_deflated = dice.chance(2);
        if dice.chance(2) {
            self.page
                .push_str("/Tabs/S/Group<</S/Transparency/Type/Group/CS/DeviceRGB>>");
            self.resources.push_str("/ColorSpace<</CS/DeviceRGB>>");
        }
        if dice.chance(2) {
            self.catalog
                .push_str("/ViewerPreferences<</PrintScaling/AppDefault>>");
        }
        if dice.chance(2) {
            self.information.push_str(
                "/ModDate(D:20250213105825-06'00')/CreationDate(D:20250213105825-06'00')\
                 /Creator(JasperReports Library version 6.20.0-2bc7ab61c56f459e8176eb05c7705e145cd400ad)",
            );
        }
        for step in &mut self.steps {
            match dice.below(8) {
                0 => step.insert_str(0, "1 0 0 1 0 0 cm\n[] 0 d\n2 J\n"),
                1 => step.insert_str(0, "q\nBT\n36 814 Td\nET\nQ\n"),
                2 => *step = step.replace(" Tj", " Tj 0 Tw 0 Tc"),
                3 => *step = step.replace("\nBT\n", "\nBT\n0 Tw\n0 Tc\n"),
                _ => {}
            }
        }
        self.steps
            .insert(0, "BT\n1 0 0 1 0 850 Tm\n/F1 10 Tf\n() Tj\nET\n".to_owned());
    }

    /// Numbers an object of its own; returns its reference.
    pub(crate) fn add(&mut self, object: Vec<u8>) -> String {
        self.more.push(object);
        format!("{} 0 R", 6 + self.more.len())
    }

    /// Puts a step anywhere.
    pub(crate) fn insert(&mut self, dice: &mut Dice, step: &str) {
        let place = dice.below(self.steps.len() + 1);
        self.steps.insert(place, format!("{step}\n"));
    }

    pub(crate) fn content(&self) -> Vec<u8> {
        let content = self.steps.concat();
        content
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect()
    }

    pub(crate) fn objects(&self) -> Vec<Vec<u8>> {
        let mut objects = vec![
            format!("<</Type/Catalog/Pages 2 0 R{}>>", self.catalog).into_bytes(),
            format!("<</Type/Pages/Kids[3 0 R]/Count 1{}>>", self.pages).into_bytes(),
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox{}/Contents {}/Resources<</Font<</F1 5 0 R{}>>{}>>{}>>",
                self.media_box, self.contents, self.fonts, self.resources, self.page
            )
            .into_bytes(),
            self.stream_of(&self.content()),
            format!("<<{}>>", self.font).into_bytes(),
            format!("<<{}>>", self.information).into_bytes(),
        ];
        objects.extend(self.more.clone());
        objects
    }

    pub(crate) fn stream_of(&self, content: &[u8]) -> Vec<u8> {
        if !self.is_deflated {
            return stream("", content);
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        stream("/Filter/FlateDecode", &encoder.finish().unwrap())
    }

    pub(crate) fn pdf(&self) -> Vec<u8> {
        pdf_with_trailer(&self.objects(), &format!("/Info 6 0 R{}", self.trailer))
    }
}
