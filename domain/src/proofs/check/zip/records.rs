//! Records of a ZIP (APPNOTE.TXT, 4.3), parsed so strictly that all programs read them alike.

use std::ops::Range;

/// Signatures (4.3.7, 4.3.9.3, 4.3.12, 4.3.14, 4.3.15, 4.3.16).
const LOCAL: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
const LISTED: &[u8] = b"PK\x01\x02";
const LARGE_END: &[u8] = b"PK\x06\x06";
const LARGE_END_LOCATOR: &[u8] = b"PK\x06\x07";
const END: &[u8] = b"PK\x05\x06";

/// Lengths in bytes of the two ZIP64 end records.
const LARGE_END_LENGTH: usize = 56;
const LARGE_END_LOCATOR_LENGTH: usize = 20;
/// Placeholder values: the real value is in a ZIP64 record.
const MASKED_COUNT: u64 = 0xffff;
const MASKED: u64 = 0xffff_ffff;

/// Ids of extra fields (4.5.3, 4.6.9): ZIP64 sizes, and a Unicode name that some programs prefer.
const LARGE_SIZES: u64 = 0x0001;
const OTHER_NAME: u64 = 0x7075;

/// Flags (4.4.4).
const IS_ENCRYPTED: u64 = 1;
const HAS_DESCRIPTOR: u64 = 1 << 3;
/// Flags of the compression level, which don't matter for reading.
const LEVEL: u64 = 0b110;

/// Methods (4.4.5).
pub(super) const STORED: u64 = 0;
pub(super) const DEFLATED: u64 = 8;

/// Reads the fields of a record in sequence.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads little-endian numbers of the given lengths in bytes.
    fn numbers<const N: usize>(&mut self, lengths: [u64; N]) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for (number, length) in numbers.iter_mut().zip(lengths) {
            let bytes = self.bytes(length)?.iter().rev();
            *number = bytes.fold(0, |number, byte| number << 8 | u64::from(*byte));
        }
        Some(numbers)
    }

    fn signature(&mut self, signature: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(signature)?;
        Some(())
    }
}

/// Position and size of a ZIP's central directory, from the end record.
pub(super) struct Directory {
    pub(super) place: Range<usize>,
    /// Number of entries.
    pub(super) entries: usize,
}

impl Directory {
    /// Finds the directory; `None` unless the end record follows it directly.
    pub(super) fn find(zip: &[u8]) -> Option<Self> {
        let end = zip.windows(END.len()).rposition(|it| it == END)?;
        let mut fields = Fields(&zip[end + END.len()..]);
        let [disk, disk_of_directory, here, entries, size, begin, comment] =
            fields.numbers([2, 2, 2, 2, 4, 4, 2])?;
        let comment = fields.bytes(comment)?;
        let signatures = [LOCAL, DESCRIPTOR, LISTED, LARGE_END, LARGE_END_LOCATOR];
        let is_signed = comment.windows(4).any(|it| signatures.contains(&it));
        if !fields.0.is_empty() || is_signed || (disk, disk_of_directory, here) != (0, 0, entries) {
            return None;
        }
        let large = LargeEnd::before(zip, end)?;
        if let Some(large) = &large {
            let agree = |said, large, masked| said == large || said == masked;
            let all = agree(entries, large.entries, MASKED_COUNT)
                && agree(size, large.size, MASKED)
                && agree(begin, large.begin, MASKED);
            all.then_some(())?;
        }
        let large = large.unwrap_or(LargeEnd {
            place: end,
            entries,
            size,
            begin,
        });
        let begin = usize::try_from(large.begin).ok()?;
        let ends = begin.checked_add(usize::try_from(large.size).ok()?)?;
        (ends == large.place).then_some(Self {
            place: begin..ends,
            entries: usize::try_from(large.entries).ok()?,
        })
    }

    /// Reads the entries; `None` unless they fill the directory exactly.
    pub(super) fn listed<'a>(&self, zip: &'a [u8]) -> Option<Vec<Listed<'a>>> {
        let mut fields = Fields(zip.get(self.place.clone())?);
        let listed = (0..self.entries).map(|_| Listed::read(&mut fields));
        let listed = listed.collect::<Option<Vec<_>>>()?;
        fields.0.is_empty().then_some(listed)
    }
}

/// The ZIP64 end record (4.3.14), which writers add if they don't know the final size of a ZIP.
struct LargeEnd {
    place: usize,
    entries: u64,
    size: u64,
    begin: u64,
}

impl LargeEnd {
    /// The ZIP64 record before the end record at `end`: `Some(None)` if there is none, `None` if it is
    /// invalid.
    #[expect(
        clippy::option_option,
        reason = "no record is another thing than a wrong one"
    )]
    fn before(zip: &[u8], end: usize) -> Option<Option<Self>> {
        let locator = end.checked_sub(LARGE_END_LOCATOR_LENGTH);
        if !locator.is_some_and(|place| zip[place..].starts_with(LARGE_END_LOCATOR)) {
            return Some(None);
        }
        let place = locator?.checked_sub(LARGE_END_LENGTH)?;
        let mut fields = Fields(&zip[place..end]);
        fields.signature(LARGE_END)?;
        let [length, _made_by, _needed, disk, disk_of_directory, here] =
            fields.numbers([8, 2, 2, 4, 4, 8])?;
        let [entries, size, begin] = fields.numbers([8, 8, 8])?;
        fields.signature(LARGE_END_LOCATOR)?;
        let [disk_of_record, record, _disks] = fields.numbers([4, 8, 4])?;
        // The length field doesn't include the first twelve bytes of the record.
        let is_here = length + 12 == LARGE_END_LENGTH as u64 && record == place as u64;
        let is_whole = (disk, disk_of_directory, disk_of_record, here) == (0, 0, 0, entries);
        (is_here && is_whole).then_some(Some(Self {
            place,
            entries,
            size,
            begin,
        }))
    }
}

/// An entry of the central directory.
pub(super) struct Listed<'a> {
    pub(super) name: &'a [u8],
    pub(super) method: u64,
    pub(super) checksum: u64,
    pub(super) deflated: u64,
    pub(super) size: u64,
    pub(super) attributes: u64,
    /// Offset of the entry's local header.
    pub(super) begin: usize,
    flags: u64,
}

impl<'a> Listed<'a> {
    fn read(fields: &mut Fields<'a>) -> Option<Self> {
        fields.signature(LISTED)?;
        let [_made_by, _needed, flags, method, _time, _date] =
            fields.numbers([2, 2, 2, 2, 2, 2])?;
        let [checksum, deflated, size] = fields.numbers([4, 4, 4])?;
        let [name, extra, comment, disk, _internal, attributes, begin] =
            fields.numbers([2, 2, 2, 2, 2, 4, 4])?;
        let (name, extra) = (fields.bytes(name)?, fields.bytes(extra)?);
        fields.bytes(comment)?;
        let mut large = Fields(large_sizes(extra)?.unwrap_or_default());
        let mut unmasked = |said| match said {
            MASKED => large.numbers([8]).map(|[it]| it),
            _ => Some(said),
        };
        let (size, deflated, begin) = (unmasked(size)?, unmasked(deflated)?, unmasked(begin)?);
        (large.0.is_empty() && disk == 0).then_some(Self {
            name,
            method,
            checksum,
            deflated,
            size,
            attributes,
            begin: usize::try_from(begin).ok()?,
            flags,
        })
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & IS_ENCRYPTED != 0
    }

    /// Byte range of the data; `None` unless the local header agrees with the directory and the entry
    /// ends at `end`.
    pub(super) fn data(&self, zip: &[u8], end: usize) -> Option<Range<usize>> {
        let mut fields = Fields(zip.get(self.begin..end)?);
        fields.signature(LOCAL)?;
        let [_needed, flags, method, _time, _date] = fields.numbers([2, 2, 2, 2, 2])?;
        let said = fields.numbers([4, 4, 4])?;
        let [name, extra] = fields.numbers([2, 2])?;
        let (name, extra) = (fields.bytes(name)?, fields.bytes(extra)?);
        let is_same = name == self.name && method == self.method;
        (is_same && flags & !LEVEL == self.flags & !LEVEL).then_some(())?;
        let large = match large_sizes(extra)? {
            Some(sizes) => Some(<[u8; 16]>::try_from(sizes).ok()?),
            None => None,
        };
        self.agrees(said, large.as_ref())?;
        let begin = end - fields.0.len();
        let data = fields.bytes(self.deflated)?;
        self.is_end(data, fields.0, large.is_some())
            .then_some(begin..begin + data.len())
    }

    fn has_descriptor(&self) -> bool {
        self.flags & HAS_DESCRIPTOR != 0
    }

    /// Compares checksum and sizes with those of the local header, which may be zero if a descriptor
    /// follows.
    fn agrees(&self, said: [u64; 3], large: Option<&[u8; 16]>) -> Option<()> {
        let agrees = |said, listed| said == listed || said == 0 && self.has_descriptor();
        let agrees_or_masked =
            |said, listed| agrees(said, listed) || said == MASKED && large.is_some();
        let [checksum, deflated, size] = said;
        let mut all = agrees(checksum, self.checksum)
            && agrees_or_masked(deflated, self.deflated)
            && agrees_or_masked(size, self.size);
        if let Some(large) = large {
            let [size, deflated] = Fields(large).numbers([8, 8])?;
            all = all && agrees(size, self.size) && agrees(deflated, self.deflated);
        }
        all.then_some(())
    }

    /// Returns `true` if the data is followed by exactly the descriptor, or by nothing if there is
    /// none.
    fn is_end(&self, data: &[u8], behind: &[u8], is_large: bool) -> bool {
        if !self.has_descriptor() {
            return behind.is_empty();
        }
        // Streaming readers find the end of stored data by searching for the descriptor's signature.
        if self.method == STORED && data.windows(4).any(|it| it == DESCRIPTOR) {
            return false;
        }
        let length = if is_large { 8 } else { 4 };
        let mut fields = Fields(behind.strip_prefix(DESCRIPTOR).unwrap_or(behind));
        let said = fields.numbers([4, length, length]);
        said == Some([self.checksum, self.deflated, self.size]) && fields.0.is_empty()
    }
}

/// The ZIP64 sizes among the extra fields: `Some(None)` without them, `None` if a field is invalid or
/// holds another name.
#[expect(
    clippy::option_option,
    reason = "no sizes are another thing than wrong fields"
)]
fn large_sizes(extra: &[u8]) -> Option<Option<&[u8]>> {
    let mut fields = Fields(extra);
    let mut sizes = None;
    while !fields.0.is_empty() {
        let [id, length] = fields.numbers([2, 2])?;
        let content = fields.bytes(length)?;
        let is_first = match id {
            OTHER_NAME => false,
            LARGE_SIZES => sizes.replace(content).is_none(),
            _ => true,
        };
        is_first.then_some(())?;
    }
    Some(sizes)
}
