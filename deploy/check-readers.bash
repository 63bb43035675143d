# shellcheck shell=bash
# Checks receipt-readers. Sourced by `deploy/check` at the root of the project, whose functions and folder
# ($work) it uses.

step "receipt-readers: a receipt is read in a folder that has nothing else"
# Runs a program there as the gateway does in the image, and prints what it says: `reader PROGRAM ARGUMENT…`.
reader() {
  env --ignore-environment OMP_THREAD_LIMIT=1 "$(PATH="$PATH:/usr/sbin" command -v chroot)" \
    --userspec=65532:65532 --groups= "$work/readers" /usr/bin/prlimit --as=805306368 --cpu=20 --nofile=64 \
    --fsize=0 --core=0 "/usr/bin/$1" "${@:2}"
}
# Whether the PDF is read, and a picture of it. The English model has no ñ. `cat`, because the bounds
# forbid to write to a file.
readers_work() {
  reader pdftotext -bbox -l 5 - - < "$work/receipt.pdf" 2>/dev/null | grep '>mañana</word>' >/dev/null \
    && reader pdftoppm -png -gray -singlefile -scale-to 2200 -f 1 -l 1 - < "$work/receipt.pdf" 2>/dev/null \
    | reader tesseract stdin stdout -l spa+eng --psm 6 tsv 2>&1 | cat > "$work/table" \
    && grep -q $'\tOperación$' "$work/table" && grep -q $'\tmañana$' "$work/table" \
    && ! grep -q Error "$work/table"
}
if [ "$(id -u)" != 0 ]; then
  skip "receipt-readers needs root for its chroot"
elif ! dpkg-query --status poppler-utils tesseract-ocr tesseract-ocr-spa fonts-liberation >/dev/null 2>&1; then
  skip "not installed (Debian 12): poppler-utils, tesseract-ocr, tesseract-ocr-spa, fonts-liberation"
else
  cat > "$work/receipt.pdf" <<'PDF'
%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj
4 0 obj <</Length 70>> stream
BT /F 20 Tf 20 60 Td (Operaci\363n 1234) Tj 0 -30 Td (20 de ma\361ana) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj
trailer <</Root 1 0 R>>
PDF
  deploy/receipt-readers "$work/readers"
  du --summarize --human-readable "$work/readers" | sed "s|$work/||"
  [ ! -e "$work/readers/lib" ] || fail "receipt-readers writes to /lib, which is no link in the image"
  # What the image has itself, where it has it.
  dpkg-query --listfiles libc6 libgcc-s1 libgomp1 libstdc++6 | grep '^/.*lib.*/.*\.so' \
    | xargs cp --parents --no-dereference --target-directory="$work/readers"
  chmod 0711 "$work"
  reader unshare --version >/dev/null && reader true || fail "what confines the readers doesn't run there"
  readers_work || fail "receipts aren't read there"
  for missing in libtesseract.so.5 libpoppler.so.126 spa.traineddata eng.traineddata liberation conf.d prlimit; do
    file=$(find "$work"/readers/{etc,usr/{bin,lib,share/fonts,share/tesseract-ocr}} -name "$missing")
    mv "$file" "$work/missing"
    if readers_work; then fail "receipts are read without $missing: this check is blind"; fi
    mv "$work/missing" "$file"
  done
fi
