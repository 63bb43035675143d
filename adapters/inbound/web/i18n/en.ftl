### Messages of the API's errors, in English.
###
### A message says what is wrong and what to do; it never repeats an account, an amount or a key.
### { LIST($names, last: "and") } joins the names of a list: a, b and c.

## Body of the request

incomplete-body = The body arrived incomplete; send the request again.
empty-body = The body is empty; send a JSON object with the fields of the request.
not-utf8 = The body is not UTF-8 (byte { $position }); encode it as UTF-8 without a BOM.
byte-order-mark = The body begins with a byte order mark (BOM); send it in UTF-8 without a BOM.
malformed-json = The body is not valid JSON (byte { $position }); check the syntax there.
not-an-object = The body must be a JSON object, not { $found ->
        [string] a string
        [number] a number
        [boolean] a boolean
        [array] an array
        [object] an object
       *[null] null
    }; send the fields within braces.
duplicate-key = The body repeats the field { $field } (byte { $position }); a key may appear only once.
duplicate-unknown-key = The body repeats a key (byte { $position }); a key may appear only once.
too-deep = The body is nested more than { $levels } levels deep (byte { $position }); send a flat object.
payload-too-large = The body has more than { $max_bytes } bytes; send only the fields of the request.
part-too-large = The part { $part } of the form has more than { $max_bytes } bytes; divide it.
unsupported-media-type = The body must be uncompressed JSON in UTF-8: send the header Content-Type: application/json.
unsupported-file-type = The body must be the file as it is, without Content-Encoding: send it uncompressed, or as a ZIP.
stalled-body = Less than { $bytes } bytes of the body arrived within { $seconds } seconds; check the connection and send the request again.
request-timeout = The body did not arrive completely within { $seconds } seconds; check the connection and send the request again.

## Request

invalid-fields = The request is not valid: correct { $count ->
        [one] the field
       *[other] the fields
    } { LIST($fields, last: "and") }.
same-institution = Within one bank there is no CEP: emisor and receptor are the same one ({ $code }), and the payment does not cross SPEI. If they are not the same bank, check cuenta and clave_rastreo, or name emisor and receptor.
empty-change = The request changes nothing; send { LIST($fields, last: "or") }.
not-a-proof = The file is not a proof that can be checked. Send the XML or the PDF as it was downloaded from the portal, or a ZIP of them.
inference-failed = Could not infer { LIST($missing, last: "or") }; add { LIST($missing, last: "and") } to this same request{ LIST($endpoints, last: "and", before: ", or name emisor and receptor at ") }.
route-not-found = There is no such route. The API's routes are described at /openapi.json and /docs.
method-not-allowed = The route does not accept this method; use one that the Allow header names.
web-socket-required = This address is for WebSockets with the sub-protocol { $protocol }; open one, or send queries to /graphql.

## Access and limits

invalid-api-key = Invalid API key. Send a valid key in exactly one x-api-key header.
unauthenticated = There is no valid session; sign in at /login and repeat the request.
no-credential = There is no credential. Send an API key in exactly one x-api-key header; in a browser, sign in at /login and repeat the request.
cross-site = The request comes from a site that is not allowed; make it from the dashboard, or ask the operator to allow the origin.
admins-only = Only admins may do this; ask the operator for the role.
rate-limited = The key reached its limit of { $limit } requests per minute; try again in { $seconds } s.
too-many-requests = The session, or its account, sent more than { $limit } requests in a second; try again in { $seconds } s.
too-many-web-sockets = The session has { $most } open WebSockets, which are as many as it may have; close one, or send several subscriptions over one.
too-many-reads = The key read lookups more than { $limit } times in a minute; try again in { $seconds } s, and use "wait" in place of repeated reads.
too-many-repeats = The key repeated requests with an Idempotency-Key more than { $limit } times in a minute; try again in { $seconds } s.
quota-exceeded = The key used up its quota of { $limit } requests for the month; it is renewed on { $reset_at } UTC. Ask for a higher limit if you need it before.

## Proofs

not-in-spei = There is no proof with these data. Check that fecha is the day of the transfer and that monto, cuenta and clave_rastreo are exact.
proof-not-issued = The payment exists (state: { $state }), but its proof has not been issued yet; try again in about 30 minutes.
payment-in-process = The central bank is still processing the payment (state: { $state }), so there is no proof yet; try again in a few minutes.
return-in-process = Do not count the payment as received: it is being returned to the payer (state: { $state }). Try again in a few minutes to learn how that ended.
payment-returned = The payment was returned to the payer (state: { $state }): the money did not stay in the account, and the central bank will issue no proof. Ask the payer to check the account's data and to pay again.
payment-rejected = The payment was rejected or not settled (state: { $state }): the money did not reach the account, and the central bank will issue no proof. Ask the payer to clear it up with their bank and to pay again.
payment-canceled = The payment was canceled (state: { $state }): the money did not reach the account, and the central bank will issue no proof. Ask the payer to clear it up with their bank and to pay again.

## Keys and accounts

no-such-resource = Nothing that this session may see has that id; check the id.
no-such-lookup = Your account has no lookup with that id in the environment of this key; check the id and the key.
first-erased = What the first request with this Idempotency-Key created has been erased; to create it again, send the request with a new Idempotency-Key.
file-not-kept = The lookup keeps no PDF; create it with "formats": ["xml", "pdf"] to have one.
empty-table = The file is empty; send a header and a row for each payment.
table-not-text = The file is neither text nor a workbook. Send a workbook (XLSX, XLSM, XLS, ODS), or a table as CSV.
no-boundary = The Content-Type multipart/form-data has no boundary of 1 to 70 characters; let the HTTP client write this header, as curl -F file=@pagos.xlsx does.
malformed-form = The body is no form with the boundary of its Content-Type, or it is cut off before its end; let the HTTP client write both, as curl -F file=@pagos.xlsx does, and send it again.
incomplete-part = The part { $part } of the form is cut off; send the form again, whole.
workbook-unreadable = The workbook is cut off, or is none. Open it in the program that made it and save it again as XLSX, or as CSV UTF-8.
workbook-encrypted = The workbook needs a password. Save it without one, and send that.
workbook-too-large = The workbook holds more than is read (32 MiB once it is unpacked, half a million cells). Leave the sheet with the payments alone in it, or save that as CSV UTF-8.
no-such-sheet = The file has no sheet “{ $wanted }”; its sheets: { $sheets }.
table-no-header = The first row is not a header; add one with fecha, clave_rastreo, cuenta and monto, or give the columns by number (columns=fecha:1,…).
table-header = The header in line { $line } can't be read; close its quotes, and leave out columns that are not needed.
missing-columns = The table has no column for { $missing }; its headers are { $found }. Rename one, or say which it is (columns={ $field }:{ $number }).
repeated-column = Several columns are { $column }: { $found }. Keep one, or say which it is (columns={ $column }:{ $number }).
nothing-to-look-up = None of the { $rows } rows can be looked up; details.rows says what is wrong with the first ones.
all-passed-over = None of the { $rows } rows asks for a payment: they are totals, movements of a bank statement without a tracking key or an account, or rows that the file calls delivered (skip_answered).
not-an-archive = The file is no ZIP; send the one that the bank's link gives.
damaged-archive = The ZIP is cut off or contradicts itself, so that programs read it differently; download it again, or pack its files anew.
archive-too-large = The ZIP has more files than one of the bank's own batch has (500 payments); send one for each batch.
no-such-batch = Your account has no batch with that id in the environment of this key; check the id and the key.
batch-ended = The batch has ended, so it can't be canceled; DELETE removes it.
batch-not-ended = The batch hasn't ended, so it can't be removed; cancel it first.
batch-canceled = The batch was canceled, so nothing can be imported; create another one with the rows that are missing.
too-many-stored-rows = The batches of your account, with those that have ended, may have { $most } rows; erase some that have ended (DELETE /v1/cep/batches/ID), and send this one again.
too-many-batches = Your account has { $most } batches that haven't ended, and may have no more; wait for one to end, or cancel it.
too-few-rows = The bank takes files of { $least } rows or more, and { $rows } can stand in one: rows that have a proof, payments that were returned, rejected or canceled, which get none, those that are asked for by reference number, and tracking keys with a comma cannot. Look a single one up in the portal by itself.
unsupported-table-type = The Content-Type must be text/csv (UTF-8, UTF-16 or Windows-1252), application/x-ndjson, that of a workbook (XLSX, XLSM, XLS, ODS), or multipart/form-data with the table in the part file, uncompressed.
unsupported-part-type = The part file needs a name that ends in .csv, .tsv, .txt, .ndjson, .jsonl, .xlsx, .xlsm, .xls or .ods, or the Content-Type of a table; send it as a file, for example with curl -F file=@pagos.xlsx.
unsupported-body-type = Under a session the Content-Type must be text/csv or application/x-ndjson for a table, application/zip for the bank's file, application/octet-stream for any other file, and application/json for JSON or without a body; multipart/form-data comes from a page alone, whose browser sends Origin.
unsupported-archive-type = The Content-Type must be application/zip (or application/octet-stream), uncompressed.
lookup-not-delivered = The lookup has no proof, or none yet; its state says why.
idempotency-key-reused = The Idempotency-Key was used for another request in the last 24 hours, or the request means something else by now; send a new key.
idempotency-key-in-progress = The first request with this Idempotency-Key is still running; repeat it in { $seconds } s.
key-revoked = The key is revoked and will never work again; create a new one.
key-rotated = The key already has a successor; use the successor.
too-many-keys = The account already has { $most } active keys, the most that its plan allows; revoke one that is not used and repeat the request.
too-many-webhooks = The account already has { $most } webhooks, the most that it may have; remove one that is not used and repeat the request.
webhook-disabled = The webhook is disabled; enable it and repeat the request.
delivery-pending = The message is still tried; its next attempt is in next_attempt_at.
too-many-new-keys = The account created or rotated { $most } keys within an hour, the most it may; repeat the request in { $minutes } min.

## Central bank and service

bank-protocol = The central bank gave an answer that could not be understood; the request does not count against the quota. Try later, and tell the operator if it happens again.
bank-unavailable = The central bank is unavailable; the request does not count against the quota. Try again in { $seconds } s.
bank-throttled = The central bank may not be asked any more for now; the request does not count against the quota. Try again in { $seconds } s.
bank-timeout = The central bank did not answer in time; the request does not count against the quota. Try again in a few minutes.
too-many-downloads = Your account, or all accounts together, are downloading as many batches as they may at the same time; try again in { $seconds } s, or when one of your own downloads has ended.
too-many-uploads = Your account is sending as many files as it may at the same time (two tables and one ZIP), and none of them has ended; try again in { $seconds } s, or when one has.
service-unavailable = The service is unavailable; try again in { $seconds } s.
not-ready = The service is not ready: { LIST($components, last: "and") } failed. The operator's log says why.
internal-error = An internal error occurred. Try again and, if it happens again, give the operator the value of X-Request-Id.

## Fields

field-missing = It is required; add it.
field-wrong-type = It must be { $expected ->
        [number] a number
        [boolean] a boolean
        [array] a list
        [object] an object
       *[string] a string
    }, not { $found ->
        [string] a string
        [number] a number
        [boolean] a boolean
        [array] an array
        [object] an object
       *[null] null
    }.
field-not-list-of = It must be a list of { $items ->
        [formats] formats, for example ["xml", "pdf"]
        [events] events, for example ["lookup.delivered"]
        [corrections] corrections, each an object with line or from, field and value
       *[texts] texts
    }, not { $found ->
        [string] a string
        [number] a number
        [boolean] a boolean
        [object] an object
       *[null] null
    }.
field-duplicate = It appears more than once; send it once.
field-same-institution = Within one bank there is no CEP: emisor and receptor are the same one ({ $code }). If they are not, check cuenta and clave_rastreo, or name emisor and receptor.
field-malformed-date = Write it as YYYY-MM-DD, for example 2025-02-03.
field-no-such-day = There is no such day in the calendar.
field-too-early = It must not be before { $earliest }; check the year.
field-in-future = It must not be after today in Mexico City ({ $today }).
field-empty = It must not be empty.
field-too-long = It may have up to { $most } characters and has { $length }.
field-forbidden-character = The character { $character } at place { $place } is not accepted; use plain letters, digits and ASCII signs, without < > " \.
field-not-digits = It may have digits, blanks and hyphens only.
field-wrong-length = It must have 18 digits (CLABE), 16 (card) or 10 (phone) and has { $digits }.
field-not-decimal = It must be a decimal number without thousands separators, for example 1234.56.
field-exponent = Scientific notation is not accepted; write the number in full.
field-not-positive = It must be greater than zero.
field-too-many-decimals = It may have up to two decimals.
field-too-large = It may have up to { $digits } digits before the point.
field-malformed-code = It must be the name or the 5-digit code of a participant (2001 is the central bank).
field-unknown-participant = No participant has this code in the list of { $list_date }; check the catalogue of participants.
field-unknown-name = No participant has this name; use the 5-digit code or a name of the catalogue of participants.
field-similar-name = No participant has this name; it is similar to { LIST($candidates, last: "or") }.
field-ambiguous-name = The name may be that of { LIST($candidates, last: "or") }; give the code.
field-unknown = It is not known; remove it or check its spelling.
field-misspelt = It is not known; did you mean { $meant }? Correct or remove it.
field-not-one-of = It must be { LIST($words, last: "or") }.
field-out-of-range = It must be a whole number between { $least } and { $most }, in digits alone.
field-no-own-account = None of your own accounts ends in these digits; if you gave the receiver, only those of that bank count. Give all its digits, or add the account to yours.
field-wrong-check-digit = Its last digit contradicts the others: look for a typing error.
field-other-bank = It isn't the institution of the CLABE. Leave it out, or correct the CLABE.
field-no-criterion = It is required; add it, or numero_referencia in its place.
field-masked-digits = A masked account must show its last 3 to 8 digits, for example ****1234.
field-malformed-reference = It must be a number of 1 to 7 digits above 0: the numeric reference (referencia numérica) of the transfer.
field-stored-only = Here clave_rastreo is needed. A reference number is taken by /v1/cep/lookups and by batches: several transfers may have it.
field-known-account = It is among your own accounts already.
field-too-many-accounts = You have { $most } own accounts, as many as are kept. Remove one first.
field-malformed-name = It must have 1 to 100 characters, none of them invisible or a control character.
field-malformed-text = It may have up to { $most } characters, none of them a control character.
field-malformed-instant = Write it as RFC 3339 does, for example 2026-11-20T12:00:00Z.
field-malformed-id = It must be a UUID.
field-wrong-cursor = It is no place in this list; use the next of the page before, with the same filters and the same order.
field-excluded = It can't stand beside { $other }; send one of them.
field-incomplete = It needs { $other } too; add it.
field-no-such-key = Your account has no active key with this id; use the id of one that GET /keys lists.
field-backwards = It must be before to.
field-too-many-pairs = It must have at most { $most } pairs.
field-metadata-name = It must have names of 1 to 40 characters, each once.
field-metadata-value = It must have values of at most 200 characters.
field-not-texts = It must hold texts alone.
field-malformed-idempotency-key = It must be 1 to 255 letters, digits, - and _, in exactly one header.
field-malformed-url = It must be a complete URL of at most 2,000 bytes, for example https://example.com/webhooks.
field-not-https = It must begin with https://.
field-wrong-port = It must use port 443 or 8443.
field-user-info = It must not hold a user name or a password; check the signature of messages instead.
field-fragment = It must not have a fragment (#); remove it.
field-not-public = It must name a host of the public internet, not of an inner network.
field-period-too-long = The period has more than { $slots } slots; ask for a shorter one, or for longer slots (granularity).
field-too-many-rows = The table has more than { $most } rows; divide it.
field-unknown-part = A form has the parts file and corrections alone. Parameters such as dry_run stand in the URL (?dry_run=true); remove the part.
field-no-file = The form has no part file; send the table in it, for example with curl -F file=@pagos.xlsx.
field-not-json = It is not valid JSON in UTF-8 (byte { $position }); check the syntax there.
field-repeated-key = It repeats a member of an object (byte { $position }); send each once.
field-too-many-corrections = It may have up to { $most } corrections; correct the file itself.
field-no-corrected-rows = Say which rows are corrected: line, the line of one row in the file, or from, the value of all rows that have it.
field-text-too-long = It may have up to { $most } characters and has { $length }.
field-no-such-line = No row of a payment begins on this line of the file, or it can't be read; use the line that a dry run tells of the row.
field-no-such-value = No row of the file has this value in that field; write it as it is in the file.
field-corrected-twice = An earlier correction is of the same field of the same rows; send one of them.
field-no-rows = The table has no rows; send one for each payment.
field-not-inferred = The bank is not named, and can't be inferred; fill in the column.
field-malformed-mapping = It must be pairs field:header or field:number, separated by commas, for example monto:Total,cuenta:4.
field-mapping-field = It names a field that tables do not have; they are fecha, clave_rastreo, cuenta, monto, emisor, receptor and id, and for statements of banks texto, cargo and abono.
field-mapping-column = It names a header or a number that no column, or more than one, has; give the column's number.
field-mapping-twice = It assigns a field, or a column, twice; assign each once.
field-month-first = The day goes before the month, for example 20/11/2026; or write it as YYYY-MM-DD.
field-ambiguous-amount = Its separators can be read in two ways; write it with a decimal point, for example 1234.56 or 1,234.56.
field-shortened = Excel, or another spreadsheet, took the value for a number and wrote it in scientific notation, so that { $digits } of its digits are left. Format the column as text before the values are entered or pasted, enter them again and save the file; or put an apostrophe (') before each value.
field-rounded = Excel keeps 15 digits of a number and writes zeros for the others, which is what this value looks like. Format the column as text before the values are entered or pasted, enter them again and save the file. If the value truly ends so, put an apostrophe (') before it.
field-leading-zeros-lost = It is a CLABE without its { $zeros ->
        [one] first digit, a zero
       *[other] first digits, { $zeros } zeros
    }, which Excel drops from a number. Format the column as text before the values are entered or pasted, and enter them again; or put the zeros back.
field-id-too-long = It may have up to { $most } characters and has { $length }.
field-id-character = It must not have control characters, such as line breaks or tabs.
field-unclosed-quote = The row has a quote (") that is never closed; close it, or double a quote that belongs to the text.
field-row-too-long = The row has more than { $most } characters; leave out columns that are not needed.
field-more-cells = The row has { $cells } cells and the header { $columns }; put quotes (") around a value that holds the separator, for example "1,234.56".
field-malformed-json = The line is not valid JSON (byte { $position }); check the syntax there.
field-not-an-object = The line must be a JSON object, not { $found ->
        [string] a string
        [number] a number
        [boolean] a boolean
        [array] an array
       *[null] null
    }; send the fields within braces.
field-repeated-member = The line repeats a member (byte { $position }); send each once.
notice-tracking-keys-elsewhere = Column { $number } ({ $header }) holds tracking keys, and the one that is read as the tracking key holds none. Assign column { $number } to the tracking key.

## Reasons why a bank is not inferred

gap-unknown-clabe-prefix = No participant has the CLABE prefix { $prefix } in the list of { $list_date }; check cuenta and fecha, or name receptor by its code, which ends in { $prefix }.
gap-unknown-card-prefix = The institution that issued this card is not known (the lists have few cards of new institutions); add receptor with its code.
gap-phone-account = cuenta has 10 digits, a phone number, which names no institution; add receptor with its code.
gap-unknown-tracking-key-shape = The shape of the tracking key matches no known bank; name emisor.
gap-reference-number = A reference number names no bank; give emisor.
gap-looks-like-reference = clave_rastreo looks like the numeric reference of the payment, or like a date; give the tracking key, which is longer, or emisor if it truly is the key.
gap-likely-tracking-key = The shape of the tracking key matches no known bank; perhaps it is { $expected }. Correct it, or name emisor.

## Hints when there is no proof

hint-check-digit = The check digit of cuenta is { $given } and should be { $expected }; check the digits.
hint-receiver-differs = The account belongs to institution { $expected }, not to the receiver { $given }; try receptor { $expected }.
hint-account-prefix-unknown = No participant has the CLABE prefix { $prefix } of the account in the list of { $list_date }, and the code of the receiver does not end in it; check cuenta, fecha and receptor.
hint-issuer-differs = The tracking key has the shape of those of institution { $expected }, not of the issuer { $given }; try emisor { $expected }.
hint-issuer-was-inferred = The issuer { $given } was inferred from the shape of the tracking key, which another institution may use too; if it was another one, name emisor.
hint-code-replaced = On that date { $given } was not the code of the institution; try { $expected }.
hint-code-unused = On that date no participant had the code { $given }; check the date and the code.
hint-looks-like-reference = clave_rastreo looks like the numeric reference of the payment, or like a date; look for the tracking key on the receipt, which is longer.
hint-likely-tracking-key = The tracking key looks like those of a known bank, but for small letters or letters in place of digits; try { $expected }.
hint-participant-unknown = The code { $given } is not in the list of participants of { $list_date }, which is older than the payment; it may be that of a new participant. If it is not, check the code.
hint-day-and-month-swapped = Day and month may be swapped; try fecha { $date }.
hint-amount-looks-like-centavos = The amount looks like centavos; give it in pesos, with a decimal point.
hint-date-in-tracking-key = The tracking key contains the date { $date }; try it as fecha.
hint-more-own-accounts = Of the { $fitting } own accounts that fit cuenta { $asked } were asked for; if the payment went to another one, give receptor or more digits of the account.
hint-not-a-banking-day = The date is not a banking day; the transfer was operated on { $operation_date }. Give the day on which the transfer was made.
hint-maybe-operation-date = The date may be the operation date; if the transfer was made earlier (after 18:00 or on a day that is no banking day), try fecha { $date }.

## Next step of a lookup

advice-await-turn = Nothing for now: the lookup waits for its turn at the central bank.
advice-await-answer = Nothing for now: the central bank is being asked.
advice-await-bank = Nothing for now: the lookup is repeated by itself. { $failure }
advice-await-row = Nothing for now: the row waits for its turn in the batch.
advice-await-quota = The month's quota is used up. The batch goes on by itself once there is quota: with the new month (UTC), or before if the key gets a higher limit.
advice-send-row-again = The batch was canceled before it got to this row; send it in another batch if you still need the proof.
advice-await-proof = Nothing for now: the central bank has the payment (state: { $state }), and the lookup is repeated by itself until it issues the proof, mostly within 30 minutes.
advice-await-return = Do not count the payment as received: it is being returned to the payer (state: { $state }). The lookup is repeated by itself.
advice-payment-pending = Do not count the payment as received: the central bank was still processing it (state: { $state }). Create another lookup later to learn how that ended.
advice-return-pending = Do not count the payment as received: it was being returned to the payer (state: { $state }). Create another lookup later to learn how that ended.
advice-check-meanwhile = The central bank does not know the payment yet, and the lookup is repeated by itself. Meanwhile, compare the data with the payer's receipt and look at the hints.
advice-correct-question = The data contradict each other; correct them and create another lookup. { $hint }
advice-check-question = Compare date, tracking key or reference number, account, amount and banks with the payer's receipt, look at the hints, and create another lookup with the corrected data.
advice-reject-proof = Do not accept this proof: its seal does not fit its data. Confirm the credit in the account's statement before you count the payment as received.
advice-confirm-payment = The seal could not be checked; confirm the credit in the account's statement before you count the payment as received.
advice-payment-returned = Do not count the payment as received: the money went back to the payer (state: { $state }), and there will be no proof. Ask for another transfer.
advice-payment-rejected = Do not count the payment as received: it was not settled (state: { $state }), and there will be no proof. Ask for another transfer.
advice-payment-canceled = Do not count the payment as received: it was canceled (state: { $state }), and there will be no proof. Ask for another transfer.
advice-ask-receiving-bank = The central bank knows the payment and did not issue its proof in time; ask the receiving bank to confirm it, then create another lookup.
advice-name-banks = Create another lookup that names { LIST($fields, last: "and") }: it could not be inferred.
advice-same-institution = Issuer and receiver are the same institution ({ $code }), and a transfer within it has no proof. If that is not so, correct emisor, receptor and cuenta and create another lookup.
advice-choose-transfer = Several transfers have this reference number. Choose yours among the candidates, and look it up by its tracking key.
advice-ask-again = Create another lookup later. { $failure }
advice-ask-anew = The lookup was canceled; create another one if you still need the proof.

## Failures with which an attempt ended

failure-bank-protocol-error = The central bank gave an answer that could not be understood; tell the operator if it happens again.
failure-bank-unavailable = The central bank was not available.
failure-bank-throttled = The central bank could be sent no more queries.
failure-bank-timeout = The central bank did not answer in time.
failure-reader-unavailable = The program that reads such files was not available.
failure-internal-error = This service failed; tell the operator if it happens again.

## GraphQL: request

graphql-post-only = GraphQL is served over POST alone; send the query in a JSON body.
graphql-media-type = The body must be application/json in UTF-8; set Content-Type accordingly.
graphql-body-too-large = The body has more than { $max_bytes } bytes; send a smaller query.
graphql-body-timeout = The body didn't arrive in time; send it again.
graphql-incomplete-body = The body ended before its end; send it again in full.
graphql-malformed-json = The body is not valid JSON (line { $line }, column { $column }); check the syntax there.
graphql-batch = Batches aren't served; send one operation a request, as an object.
graphql-body-shape = The body must be an object with the text "query" and, as needed, the text "operationName" and the object "variables", each once.
graphql-misspelt-member = The member { $name } is not known; did you mean { $meant }? Correct or remove it.
graphql-syntax = The query is not valid GraphQL (line { $line }, column { $column }); check the syntax there.
graphql-syntax-unplaced = The query is not valid GraphQL; check its operations, its fragments and the ends of its strings.
graphql-invalid-document = The query doesn't fit the schema: { $reason }
graphql-operation-name-required = The document has several operations; say which one in operationName.
graphql-unknown-operation = The document has no operation of the name in operationName; correct or leave it out.
graphql-variable-required = The variable ${ $name } must have a value; give it in "variables".
graphql-introspection-disabled = The schema isn't told here; it comes with the documentation, as schema.graphql.
graphql-timeout = The answer wasn't found within { $seconds } seconds; ask for less, or try again. Of a mutation look first whether it was done.
graphql-internal-error = Something failed on our side; try again, and if it stays so, tell us the request_id.
graphql-subscription-over-post = Subscriptions are answered over a WebSocket; open one at { $path }.
graphql-subscriptions-only = Over a WebSocket subscriptions are answered alone; send queries and mutations by POST to /graphql.
graphql-too-many-subscriptions = The session has { $most } subscriptions, which are as many as it may have; end one of them, or read what you follow now and then.
graphql-session-busy = The session, or its account, sends too many requests; try again in { $seconds } s.
graphql-session-ended = The session has ended; sign in again.
graphql-session-unchecked = The session can't be checked now; try again in a few seconds.

## GraphQL: limits of a query

graphql-fragment-cycle = A fragment of the query holds itself; take the cycle out.
graphql-page-size = The argument first of { $field } must be a whole number from 1 to { $most }; read more with after.
graphql-cost = A query may have at most { $most } points of complexity; ask for shorter pages or fewer fields, or in several requests.
graphql-selections = A query may have at most { $most } fields, fragments and directives, aliases included; ask for fewer of them.
graphql-levels = A query may have at most { $most } levels of selections, fragments included; nest them less.
graphql-nesting = A query may have at most { $most } levels of brackets; nest them less.
graphql-tokens = A query may have at most { $most } tokens; send a shorter query.

## GraphQL: arguments

graphql-forbidden = Only admins may ask this.
graphql-not-found = What the arguments name doesn't exist, or isn't yours; check the ids.
graphql-unreadable-argument = An argument can't be read: { $reason }
argument-integer = { $argument } must be a whole number from { $least } to { $most }.
argument-wrong-cursor = { $argument } is no cursor of this list; use a cursor or endCursor of its pages, in the same order, or leave it out.
argument-malformed-id = { $argument } is no id; use one that a list here shows.
argument-request-id = { $argument } is no request id: those have 1 to 64 characters out of A-Z a-z 0-9 . _ : -
argument-malformed-text = { $argument } may have at most { $most } characters, none of them a control character.
argument-value = { $argument }: { $fault }
argument-backwards = { $argument } must be before to.
argument-range-ends = { $argument } needs either newest, or from and to, and not both.
argument-empty-period = { $argument } holds no slot: from must be before to, and newest at least 1.
argument-period-too-long = { $argument } holds more than { $slots } slots; ask for a shorter time or for longer slots.

## GraphQL: refused mutations (userErrors)

user-name = A name has 1 to 100 characters, none of them invisible or a control character.
user-grace = The time of grace is 0 to { $most } hours.
user-per-minute = Requests a minute are a number from 1 to { $most }.
user-monthly-quota = The monthly quota is a number from 1 to { $most }, or null for no cap.
user-no-limit = Nothing would change: give perMinute, monthlyQuota or plan.
user-not-found = It doesn't exist, or isn't yours; check the id.
user-forbidden = Only admins may do this.
user-revoked = The key is revoked, and there is no way back; use an active one.
user-already-rotated = The key has a successor already; rotate that one instead.
user-too-many-keys = An account of this plan has at most { $most } active keys; revoke one that isn't used any more.
user-too-many-new-keys = An account creates or rotates at most { $most } keys in an hour; try again in { $minutes } min.
user-lookup-final = The lookup has ended, so there is nothing to cancel; erase it instead.
user-lookup-not-final = The lookup hasn't ended; cancel it first.
user-batch-final = The batch has ended, so there is nothing to cancel; erase it instead.
user-batch-not-final = The batch hasn't ended; cancel it first.
user-no-change = Nothing would change: give url, events or enabled.
user-test-event = TEST can't be subscribed to: it is sent when testWebhook asks for it. Leave it out.
user-too-many-webhooks = The account already has { $most } webhooks, the most that it may have; remove one that isn't used.
user-webhook-disabled = The webhook is disabled; enable it with updateWebhook and repeat this.
user-delivery-pending = The message is still tried; its next attempt is in nextAttemptAt.

## Notices beside the verdict on a proof (avisos[].mensaje)

notice-campos-sin-sellar-comparados-con-el-banco = No seal covers the tracking key and the reference number. The bank issued the proof of a payment with this key and the same sealed data.
notice-campos-sin-sellar-no-comparados = No seal covers the tracking key and the reference number, and nobody compared them with the bank: they may have been changed. Compare them with the bank before you rely on them.
notice-campos-sin-sellar-no-coinciden-con-el-banco = No seal covers the tracking key and the reference number, and at the bank no proof with this key and these data was found: somebody may have changed the key. Don't rely on it.
notice-comprobante-traido-en-un-archivo = The proof was brought in a file, which anybody may have sent; the gateway didn't fetch it from the bank. A proof that is issued before a payment is returned stays as it is: see in the account that the money is there.
notice-sello-del-banco-de-pruebas = The seal is the sandbox bank's, whose key is published: anybody can make such a proof, and it proves nothing.

## Checks of a proof that somebody sent (comprobaciones[].explicacion)

check-archivo-muy-grande = The file is too large: files of up to 1 MiB are checked, and a proof has about 30 KB. Send the proof as it was downloaded.
check-archivo-vacio = The file is empty. Download it again, or ask for it again.
check-es-factura = This is an invoice (CFDI), not a CEP: it says what was sold, and proves no payment. Ask for the CEP of the transfer, as XML or PDF.
check-es-imagen = This is a picture, and a picture proves nothing: anybody can draw one. Look the payment up with what it shows: date, tracking key, receiving account, amount, and both banks if you know them. Or ask for the CEP as XML or PDF.
check-es-documento-de-office = This is a document of Office (Word, Excel or the like), not a CEP. Send the CEP as it was downloaded from the portal, as XML or PDF.
check-es-pagina-web = This is a page of a web site, not a CEP: it may be the portal's, saved in place of the file. Download the CEP with the portal's buttons, as XML or PDF.
check-es-correo = This is an e-mail, not a CEP. Send the file that is attached to it.
check-es-json = This is JSON, not a CEP. If it is an answer with the proof in base64, decode its data and send that; to look a payment up, send the JSON to /v1/cep/json.
check-es-formulario = This is a form (multipart/form-data), and the body must be the file itself, for example with curl --data-binary @cep.xml.
check-es-texto = This is plain text, not a CEP. Send the CEP as it was downloaded from the portal, as XML or PDF.
check-es-otro-archivo-comprimido = This is a compressed file that is not read here. Unpack it and send the CEP, as XML, PDF or ZIP.
check-formato-desconocido = The file is neither XML nor PDF nor ZIP. Send the CEP as it was downloaded from the portal.
check-zip-danado = The ZIP is cut off, damaged, or made so that programs read it differently. Download it again, or send the CEP itself.
check-zip-muy-grande = The ZIP holds more, or larger, files than are checked at once: up to 50 files, of 1 MiB each and 8 MiB together. Divide it.
check-zip-sin-comprobantes = None of the files in the ZIP is a CEP. Send one with the CEP as it was downloaded from the portal, as XML or PDF.
check-zip-en-zip = This is a ZIP within the ZIP. Unpack it and send that one.
check-archivo-cifrado = The file is encrypted. Send the ZIP without a password.
check-archivo-ilegible = The file is damaged, or compressed in a way that is not read here. Send the CEP itself.
check-compresion-excesiva = The file is compressed far more than a CEP is, so it was not read. Send the CEP itself.
check-demasiado-complejo = The file has far more parts than a proof. Send the proof as it was downloaded.
check-no-es-utf8 = The XML is not UTF-8, as all proofs are. Send the file as it was downloaded, without opening and saving it in another program.
check-tipo-de-documento = The XML declares a document type, and a proof does not. Send the file as it was downloaded.
check-no-es-xml = The file is not well-formed XML. Send the proof as it was downloaded.
check-otra-raiz = The XML is not a proof: its root element is not SPEI_Tercero.
check-falta-un-dato = The proof lacks a datum that all have; it was altered, or is incomplete.
check-dato-repetido = The proof repeats an element that occurs once; it was altered.
check-dato-ilegible = A datum of the proof can't be read; it was altered, or is damaged.
check-no-es-pdf = The file is not a PDF. Send the proof as it was downloaded.
check-pdf-cifrado = The PDF is encrypted, and those of the portal never are. Send the PDF as it was downloaded, or the XML.
check-pdf-danado = The structure of the PDF can't be read. Send the PDF as it was downloaded, or the XML.
check-pdf-sin-texto = The PDF has no text: it was made from a picture, such as a screenshot or a scan, and a picture proves nothing. Ask for the original PDF or XML.
check-pdf-sin-cadena = The PDF does not show the original chain, the seal and the certificate number as the portal's do; it is not a proof, or was converted by another program. Ask for the original file.
check-comprobante-del-banco = This is the receipt that a bank gives to its customer, not a CEP: it bears no seal, and anybody can edit it. Look the payment up with the data that it shows (date, tracking key, beneficiary account, amount and the two banks) and get its CEP.
check-reporte-de-estado = This is a report on the state of a payment, not a CEP: the portal prints in it what it is sent, and it bears no seal. Look the payment up with the data that it shows (date, tracking key, beneficiary account, amount and the two banks) and get its CEP.
check-varios-comprobantes = The PDF has several proofs. Send each in a file of its own, exactly as it was downloaded.
check-campos-cambiados = The seal is valid, but the named fields don't say what is sealed: somebody changed them.
check-cadena-de-otro-pago = The seal is valid, but the sealed chain is another payment's: the file was made from parts of two proofs.
check-cadena-cambiada = The seal is not of this chain, and the chain contradicts the fields: somebody changed it.
check-cadena-y-campos-cambiados-u-otro-sello = The seal is not of this chain: somebody changed the chain together with the fields, or put another proof's seal there.
check-contradiccion = The named fields contradict the original chain: somebody changed the file.
check-lugares-inciertos = A name or the concept holds the chain's separator, so the sealed text can be read in more than one way: the fields named here may be others than those that the bank sealed. Do not rely on them; look the payment up.
check-contenido-ajeno = The file holds more than a bank writes (other elements, attributes, comments or instructions), and a viewer may show it. Read the sealed data of this answer, not what the file shows.
check-pagina-no-comparada = What the page shows was not compared with what is sealed: it is not drawn as the portal draws it, and a viewer may show something else. Read the sealed data, not those on the page.
check-certificado-desconocido = The key of the receiving institution's certificate isn't known, so the seal was not checked. It says nothing against the proof.
check-sello-rechazado-por-banxico = Banco de México's validator says that the file isn't a valid proof: its seal isn't that of the data in it. Do not trust the file.
check-sello-ilegible = The seal or the certificate number can't be read with certainty.
check-otro-sello = The seal at the end of the original chain is another one than the proof's: somebody changed one of them.
check-otro-certificado = The original chain names another certificate than the proof: somebody changed one of them.
check-sin-sello = No seal covers the tracking key: a valid seal says nothing about it. Look it up at the portal to check it.
check-clave-que-ningun-banco-escribe = No bank is known to write such a tracking key, and no seal covers it: somebody may have written something else in its place. Do not rely on it; look the payment up by the key that the payer's bank gives.
check-otro-monto = The proof that the bank issues has another amount: somebody changed the file.
check-otro-beneficiario = The proof that the bank issues has another beneficiary: somebody changed the file.
check-clave-de-otro-pago = For this tracking key the bank issues the proof of another payment. The sealed data are the file's own and their seal is valid, but no seal covers the key: somebody may have changed it. Ask whoever sent the file for the original.
check-otros-datos = The proof that the bank issues differs in the named fields: somebody changed the file.
check-desconocido-para-el-banco = The bank knows no payment with the file's tracking key, date, amount, institutions and account: it never was like this, or is very recent.
check-sin-comprobante-del-banco = The bank knows the payment, which is settled, but has no proof of it yet. Ask again later.
check-pago-en-proceso = The central bank is still processing the payment, or its return, and has no proof of it. Do not count it as received; ask again later.
check-pago-devuelto = The central bank says that the payment was returned to the payer: the money isn't in the account, and the bank issues no proof of it. Don't take this payment as received.
check-pago-rechazado = The central bank says that the payment was rejected or not settled: the money did not reach the account, and the bank issues no proof of it. Don't take this payment as received.
check-pago-cancelado = The central bank says that the payment was canceled: the money did not reach the account, and the bank issues no proof of it. Don't take this payment as received.
check-faltan-datos-para-consultar = The file doesn't say enough to ask the bank: the issuing institution, the receiving one, the account, the amount, the date or the tracking key is missing or can't be read.
check-varios-pagos-en-zip = The bank was not asked, for the ZIP holds proofs of several payments and a request is one lookup. Send each proof by itself to compare it with the bank.
check-ok-estructura = The file is a proof, and all of it can be read.
check-ok-atributos-y-cadena = The fields of the proof say what the original chain says.
check-ok-texto-y-cadena = What the PDF shows says what the original chain says.
check-ok-sello = The seal is the receiving institution's signature of the original chain: nobody changed it.
check-ok-sello-repetido = The end of the original chain repeats the seal.
check-ok-certificado = The original chain names the same certificate as the proof.
check-ok-clave-rastreo = The tracking key is the payment's.
check-ok-portal = The bank issues the same proof.

opinion-valid = Confirmed by Banco de México's validator: the seal is the receiving institution's signature of the sealed data. It says nothing about the tracking key.
opinion-invalid = Banco de México's validator says that the file isn't a valid proof.
no-opinion-not-needed = Banco de México's validator was not asked: the gateway knows itself who made the seal.
no-opinion-unreadable-seal = Banco de México's validator was not asked: the seal or the certificate number can't be read.
no-opinion-not-configured = Banco de México's validator was not asked: the operator of this gateway has not allowed files to be sent to it (CEP_VALIDATOR_URL).
no-opinion-not-xml = Banco de México's validator was not asked: it reads XML files only. Send the XML of the proof.
no-opinion-several-seals = Banco de México's validator was not asked: the ZIP holds proofs with several seals, and a request asks about one. Send each proof by itself.
no-opinion-out-of-range = Banco de México's validator was not asked: it covers the last 45 banking days, and the proof's date isn't one of them.
no-opinion-unsafe-text = Banco de México's validator was not asked: the file has signs or parts that could change the page on which it answers.
no-opinion-busy = Banco de México's validator was not asked: it may be asked only a few times a minute. Try again in a minute.
no-opinion-timeout = Banco de México's validator did not answer in time. Try again later.
no-opinion-unavailable = Banco de México's validator could not be reached, or failed. Try again later.
no-opinion-unknown-answer = Banco de México's validator gave an answer that isn't known, so it counts as none. Try again later, or use the validator on its own page.

# Results of batches

row-state-faulty = with mistakes
row-state-duplicate = repeated
row-state-not-begun = not begun
row-state-queued = queued
row-state-running = running
row-state-waiting = waiting
row-state-delivered = delivered
row-state-ambiguous = several transfers
row-state-not-found = no proof
row-state-failed = failed
row-state-expired = expired
row-state-canceled = canceled
row-state-erased = erased
row-repeats = Asks the same as row { $row }; the result is there.
row-candidates = Several transfers have this reference number: { $candidates }.
row-candidate-seal = seal { $seal }
row-seen = { $times ->
    [one] You were given this proof once before.
   *[other] You were given this proof { $times } times before.
  } One payment shown for two orders is a common fraud: make sure that you have not accepted it already.
payment-state-in-process = in process
payment-state-settled = settled
payment-state-canceled = canceled
payment-state-rejected = rejected
payment-state-return-in-process = return in process
payment-state-returned = returned
payment-state-not-settled = not settled
payment-state-not-found = not found
payment-state-sent-back = sent back
results-seal-valid = valid
results-seal-invalid = invalid
results-seal-not-checked = not checked
results-state-seal-invalid = invalid seal
results-state-seal-not-checked = delivered · seal not checked
results-state = CEP result
results-explanation = Explanation
results-what-to-do = What to do
results-seal = Seal of the CEP
results-credit-date = Credit date of the CEP
results-credit-time = Credit time of the CEP
results-payer = Payer of the CEP
results-payer-tax-id = RFC or CURP of the payer
results-payee = Payee of the CEP
results-payee-tax-id = RFC or CURP of the payee
results-payee-account = Account of the payee in the CEP
results-concept = Concept of the CEP
results-issuer = Issuing bank of the CEP
results-receiver = Receiving bank of the CEP
results-link = Proof
results-open = open

## Receipts

empty-receipt = The body is empty; send the text, the PDF or the picture of the receipt.
receipt-damaged = The file can't be read: it is damaged, or not what it seems to be. Save or photograph the receipt again, and send that file.
receipt-encrypted = The PDF needs a password. Save it without one, or send a screenshot of it.
receipt-too-large = The file has more pages, pixels or text than a receipt has. Send the page with the receipt alone, or a smaller picture.
receipt-too-slow = The file took too long to read. Send a picture of the receipt alone, cropped to its text.
large-receipt = The file has more than { $mebibytes } MiB; send a smaller picture, or the receipt's page alone.
encoded-receipt = The body must be the file as it is: send it uncompressed and without Content-Encoding.
unsupported-receipt = The file is neither a text in UTF-8, a PDF, nor a PNG, JPEG or WebP picture. Send the receipt as one of these; tables of payments go to /v1/cep/batches, ZIP files and proofs to /v1/cep/verify.
unsupported-picture = The picture is in a format that isn't read, as HEIC or GIF. Send a PNG, JPEG or WebP picture; a screenshot of the picture is one.
no-recognition = This gateway can't read such a file: its operator has to install poppler-utils (PDF) or tesseract-ocr and tesseract-ocr-spa (pictures). Send the receipt's text.
recognition-busy = As many pictures are being read as can be at the same time; try again in { $seconds } s.
receipt-not-paid-yet = The receipt says that the payment is programmed, pending or in process: it isn't paid. Ask for the receipt of the payment that was made.
receipt-refused = The receipt says that the payment was refused or canceled.
receipt-returned = The receipt says that the payment was returned to the payer.
receipt-within-one-bank = Payer and beneficiary seem to have the same bank. Within one bank there is no CEP: see in the account that the money is there.
receipt-several-receipts = There are the data of more than one transfer. Send one receipt at a time.
receipt-key-is-reference = The number in the place of the tracking key is a reference of a few digits, not a tracking key. Ask the payer for the “clave de rastreo”.
receipt-folio-is-no-key = A folio or an authorisation isn't the tracking key, and the receipt shows none. Ask the payer for the “clave de rastreo”, which the bank shows in the movement's details; if the receipt shows the numeric reference, the payment can be looked up by it, too.
receipt-wrong-check-digit = The check digit of the account is wrong: a digit is misread or mistyped. Compare it with the receipt.
receipt-receiver-differs = The bank that the receipt names isn't the one of the CLABE. Check both.
receipt-issuer-differs = The bank that the receipt names isn't the one whose tracking keys look like this. Check both.
receipt-key-date-differs = The tracking key holds another date than the receipt. Check both.
receipt-around-midnight = The transfer was made around midnight: its date may be the day before or after.
receipt-account-not-own = The account is none of your own accounts of its kind: the payment may be real, and somebody else’s.
receipt-foreign-currency = The receipt tells an amount in another currency: only payments in pesos have a CEP. The amount is that in pesos.
receipt-corrected = Characters that look alike, as O and 0, were corrected. Compare the values with the receipt.
missing-clave-rastreo-not-found = The tracking key isn't there. It stands beside “Clave de rastreo”, or in the movement's details of the payer's bank.
missing-clave-rastreo-unclear = The tracking key is in doubt. Compare it with the receipt, character by character.
missing-fecha-not-found = The date of the transfer isn't there. It is the day on which the payer sent it.
missing-fecha-unclear = The date is in doubt. Choose the day on which the payer sent the transfer.
missing-monto-not-found = The amount isn't there. It is the one of the transfer, without commission and IVA.
missing-monto-unclear = The amount is in doubt. It is the one of the transfer, without commission and IVA.
missing-cuenta-not-found = The receiving account isn't there. Type your CLABE, card or phone to which it was sent, or add it to your own accounts.
missing-cuenta-masked = The receiving account is masked. Type the whole CLABE, card or phone that ends like this, or add that account to your own accounts.
missing-cuenta-unclear = The receiving account is in doubt. Compare it with yours, digit by digit.
missing-receptor-not-told = The receiving bank isn't there, and the account doesn't tell it. It is the bank of the account that received the money.
missing-receptor-unclear = The receiving bank is in doubt. It is the bank of the account that received the money.
missing-emisor-not-told = The issuing bank isn't there, and the tracking key doesn't tell it. It is the payer's bank.
missing-emisor-unclear = The issuing bank is in doubt. It is the payer's bank.
