### Mensajes de los errores de la API, en español.
###
### Cada mensaje dice qué está mal y qué hacer; nunca repite una cuenta, un monto ni una clave.
### { LIST($names, last: "y") } une los nombres de una lista: a, b y c.

## Cuerpo de la petición

incomplete-body = El cuerpo llegó incompleto; envíe la petición de nuevo.
empty-body = El cuerpo está vacío; envíe un objeto JSON con los campos de la petición.
not-utf8 = El cuerpo no está en UTF-8 (byte { $position }); codifíquelo en UTF-8 sin BOM.
byte-order-mark = El cuerpo empieza con una marca de orden de bytes (BOM); envíelo en UTF-8 sin BOM.
malformed-json = El cuerpo no es JSON válido (byte { $position }); revise la sintaxis en ese lugar.
not-an-object = El cuerpo debe ser un objeto JSON, no { $found ->
        [string] un texto
        [number] un número
        [boolean] un booleano
        [array] una lista
        [object] un objeto
       *[null] null
    }; envíe los campos entre llaves.
duplicate-key = El cuerpo repite el campo { $field } (byte { $position }); cada clave puede aparecer una sola vez.
duplicate-unknown-key = El cuerpo repite una clave (byte { $position }); cada clave puede aparecer una sola vez.
too-deep = El cuerpo tiene más de { $levels } niveles de anidamiento (byte { $position }); envíe un objeto plano.
payload-too-large = El cuerpo pasa de { $max_bytes } bytes; envíe solamente los campos de la petición.
part-too-large = La parte { $part } del formulario pasa de { $max_bytes } bytes; divídala.
unsupported-media-type = El cuerpo debe ser JSON sin comprimir en UTF-8: envíe el encabezado Content-Type: application/json.
unsupported-file-type = El cuerpo debe ser el archivo tal como es, sin Content-Encoding: envíelo sin comprimir, o como ZIP.
stalled-body = Llegaron menos de { $bytes } bytes del cuerpo en { $seconds } segundos; revise la conexión y envíe la petición de nuevo.
request-timeout = El cuerpo no llegó completo en { $seconds } segundos; revise la conexión y envíe la petición de nuevo.

## Petición

invalid-fields = La petición no es válida: corrija { $count ->
        [one] el campo
       *[other] los campos
    } { LIST($fields, last: "y") }.
same-institution = Entre cuentas de un mismo banco no hay CEP: emisor y receptor son el mismo ({ $code }), y el pago no pasa por el SPEI. Si no son del mismo banco, revise cuenta y clave_rastreo, o indique emisor y receptor.
empty-change = La petición no cambia nada; envíe { LIST($fields, last: "o") }.
not-a-proof = El archivo no es un comprobante que se pueda revisar. Envíe el XML o el PDF tal como se descargó del portal, o un ZIP con ellos.
inference-failed = No se pudo inferir { LIST($missing, last: "ni") }; agregue { LIST($missing, last: "y") } a esta misma petición{ LIST($endpoints, last: "y", before: ", o indique emisor y receptor en ") }.
route-not-found = La ruta no existe. Las rutas de la API se describen en /openapi.json y en /docs.
method-not-allowed = La ruta no acepta este método; use uno de los que indica el encabezado Allow.
web-socket-required = Esta dirección es para WebSockets con el subprotocolo { $protocol }; abra uno, o mande consultas a /graphql.

## Acceso y límites

invalid-api-key = Clave de API inválida. Envíe una clave vigente en un único encabezado x-api-key.
unauthenticated = No hay una sesión válida; inicie sesión en /login y repita la petición.
no-credential = Falta una credencial. Envíe una clave de API en un único encabezado x-api-key; en un navegador, inicie sesión en /login y repita la petición.
cross-site = La petición viene de un sitio que no está permitido; hágala desde el panel, o pida al operador que permita el origen.
admins-only = Solo los administradores pueden hacer esto; pida el rol al operador.
rate-limited = La clave llegó a su límite de { $limit } peticiones por minuto; intente de nuevo en { $seconds } s.
too-many-requests = La sesión, o su cuenta, mandó más de { $limit } solicitudes en un segundo; intente de nuevo en { $seconds } s.
too-many-web-sockets = La sesión tiene { $most } WebSockets abiertos, que son los que puede tener; cierre uno, o mande varias suscripciones por el mismo.
too-many-reads = La clave leyó consultas más de { $limit } veces en un minuto; intente de nuevo en { $seconds } s, y use "wait" en lugar de leer repetidamente.
too-many-repeats = La clave repitió solicitudes con un Idempotency-Key más de { $limit } veces en un minuto; intente de nuevo en { $seconds } s.
quota-exceeded = La clave agotó su cuota de { $limit } peticiones del mes; se renueva el { $reset_at } UTC. Pida un límite mayor si lo necesita antes.

## Comprobantes

not-in-spei = No hay comprobante con esos datos. Revise que la fecha sea el día de la transferencia y que el monto, la cuenta y la clave de rastreo sean exactos.
proof-not-issued = El pago existe (estado: { $state }), pero su comprobante todavía no se ha emitido; intente de nuevo en unos 30 minutos.
payment-in-process = El banco central todavía procesa el pago (estado: { $state }), así que aún no hay comprobante; intente de nuevo en unos minutos.
return-in-process = No dé el pago por recibido: se está devolviendo al ordenante (estado: { $state }). Intente de nuevo en unos minutos para saber cómo terminó.
payment-returned = El pago fue devuelto a quien lo envió (estado: { $state }): el dinero no quedó en la cuenta y el banco central no emitirá comprobante. Pida a quien paga que revise los datos de la cuenta y pague de nuevo.
payment-rejected = El pago fue rechazado o no se liquidó (estado: { $state }): el dinero no llegó a la cuenta y el banco central no emitirá comprobante. Pida a quien paga que lo aclare con su banco y pague de nuevo.
payment-canceled = El pago fue cancelado (estado: { $state }): el dinero no llegó a la cuenta y el banco central no emitirá comprobante. Pida a quien paga que lo aclare con su banco y pague de nuevo.

## Claves y cuentas

no-such-resource = No existe nada con ese identificador que esta sesión pueda ver; revise el identificador.
no-such-lookup = Su cuenta no tiene una consulta con ese identificador en el ambiente de esta clave; revise el identificador y la clave.
first-erased = Lo que creó la primera solicitud con este Idempotency-Key ya se borró; para crearlo de nuevo, envíe la solicitud con un Idempotency-Key nuevo.
file-not-kept = La consulta no guarda el PDF; créela con "formats": ["xml", "pdf"] para tenerlo.
empty-table = El archivo está vacío; envíe un encabezado y una fila por pago.
table-not-text = El archivo no es texto ni un libro. Envíe un libro (XLSX, XLSM, XLS, ODS) o una tabla como CSV.
no-boundary = El Content-Type multipart/form-data no tiene un boundary de 1 a 70 caracteres; deje que el cliente HTTP escriba ese encabezado, como hace curl -F file=@pagos.xlsx.
malformed-form = El cuerpo no es un formulario con el boundary de su Content-Type, o está cortado antes de su final; deje que el cliente HTTP escriba los dos, como hace curl -F file=@pagos.xlsx, y envíelo de nuevo.
incomplete-part = La parte { $part } del formulario está cortada; envíe el formulario de nuevo, completo.
workbook-unreadable = El libro está incompleto, o no es un libro. Ábralo en el programa que lo hizo y guárdelo de nuevo como XLSX, o como CSV UTF-8.
workbook-encrypted = El libro pide una contraseña. Guárdelo sin ella y envíe ese archivo.
workbook-too-large = El libro contiene más de lo que se lee (32 MiB descomprimido, medio millón de celdas). Deje en él solo la hoja de los pagos, o guárdela como CSV UTF-8.
no-such-sheet = El archivo no tiene la hoja «{ $wanted }»; sus hojas: { $sheets }.
table-no-header = La primera fila no es un encabezado; agregue uno con fecha, clave_rastreo, cuenta y monto, o dé las columnas por número (columns=fecha:1,…).
table-header = No se puede leer el encabezado de la línea { $line }; cierre sus comillas y quite las columnas que no hagan falta.
missing-columns = A la tabla le falta la columna de { $missing }; sus encabezados son { $found }. Cambie el nombre de una o diga cuál es (columns={ $field }:{ $number }).
repeated-column = Varias columnas son { $column }: { $found }. Deje una o diga cuál es (columns={ $column }:{ $number }).
nothing-to-look-up = Ninguna de las { $rows } filas se puede consultar; details.rows dice qué tienen las primeras.
all-passed-over = Ninguna de las { $rows } filas pide un pago: son totales, movimientos de un estado de cuenta sin clave de rastreo ni cuenta, o filas que el archivo da por entregadas (skip_answered).
not-an-archive = El archivo no es un ZIP; envíe el que da el enlace del banco.
damaged-archive = El ZIP está incompleto o se contradice, y cada programa lo lee de otra manera; descárguelo de nuevo, o empaquete otra vez sus archivos.
archive-too-large = El ZIP tiene más archivos que un lote del propio banco (500 pagos); envíe uno por lote.
no-such-batch = Su cuenta no tiene un lote con ese identificador en el ambiente de esta clave; revise el identificador y la clave.
batch-ended = El lote ya terminó, así que no se puede cancelar; DELETE lo borra.
batch-not-ended = El lote no ha terminado, así que no se puede borrar; cancélelo antes.
batch-canceled = El lote se canceló, así que no se puede importar nada; cree otro con las filas que faltan.
too-many-stored-rows = Los lotes de su cuenta, también los terminados, pueden tener { $most } filas; borre algunos de los terminados (DELETE /v1/cep/batches/ID) y envíe este de nuevo.
too-many-batches = Su cuenta tiene { $most } lotes sin terminar y no puede tener más; espere a que termine uno o cancélelo.
too-few-rows = El banco recibe archivos de { $least } filas o más y aquí pueden ir { $rows }: no pueden las que ya tienen comprobante, los pagos devueltos, rechazados o cancelados, que no lo tendrán, los que se piden por número de referencia, ni las claves con coma. Si es una sola, consúltela en el portal por separado.
unsupported-table-type = El Content-Type debe ser text/csv (UTF-8, UTF-16 o Windows-1252), application/x-ndjson, el de un libro (XLSX, XLSM, XLS, ODS), o multipart/form-data con la tabla en la parte file, sin comprimir.
unsupported-part-type = La parte file necesita un nombre que termine en .csv, .tsv, .txt, .ndjson, .jsonl, .xlsx, .xlsm, .xls u .ods, o el Content-Type de una tabla; envíela como archivo, por ejemplo con curl -F file=@pagos.xlsx.
unsupported-body-type = Con una sesión, el Content-Type debe ser text/csv o application/x-ndjson para una tabla, application/zip para el archivo del banco, application/octet-stream para cualquier otro, y application/json para JSON o sin cuerpo; multipart/form-data solo llega de una página, cuyo navegador envía Origin.
unsupported-archive-type = El Content-Type debe ser application/zip (o application/octet-stream), sin comprimir.
lookup-not-delivered = La consulta no tiene comprobante, o todavía no; su estado dice por qué.
idempotency-key-reused = El Idempotency-Key se usó para otra solicitud en las últimas 24 horas, o la solicitud ya significa otra cosa; envíe una clave nueva.
idempotency-key-in-progress = La primera solicitud con este Idempotency-Key sigue en curso; repítala en { $seconds } s.
key-revoked = La clave está revocada y no vuelve a servir; cree una nueva.
key-rotated = La clave ya tiene una sucesora; use la sucesora.
too-many-keys = La cuenta ya tiene { $most } claves activas, el máximo de su plan; revoque una que no se use y repita la petición.
too-many-webhooks = La cuenta ya tiene { $most } webhooks, el máximo que puede tener; elimine uno que no se use y repita la solicitud.
webhook-disabled = El webhook está desactivado; actívelo y repita la solicitud.
delivery-pending = El mensaje todavía se está intentando; su próximo intento está en next_attempt_at.
too-many-new-keys = La cuenta ya creó o rotó { $most } claves en una hora, el máximo; repita la petición en { $minutes } min.

## Banco central y servicio

bank-protocol = El banco central dio una respuesta que no se entiende; la petición no cuenta en la cuota. Intente más tarde y avise al operador si se repite.
bank-unavailable = El banco central no está disponible; la petición no cuenta en la cuota. Intente de nuevo en { $seconds } s.
bank-throttled = Por ahora no se puede consultar más al banco central; la petición no cuenta en la cuota. Intente de nuevo en { $seconds } s.
bank-timeout = El banco central no respondió a tiempo; la petición no cuenta en la cuota. Intente de nuevo en unos minutos.
too-many-downloads = Su cuenta, o todas juntas, están descargando tantos lotes como se puede a la vez; intente de nuevo en { $seconds } s, o cuando termine una de sus descargas.
too-many-uploads = Su cuenta está enviando tantos archivos como puede a la vez (dos tablas y un ZIP), y ninguno ha terminado; intente de nuevo en { $seconds } s, o cuando termine uno.
service-unavailable = El servicio no está disponible; intente de nuevo en { $seconds } s.
not-ready = El servicio no está listo: falla { LIST($components, last: "y") }. El detalle está en el registro del operador.
internal-error = Ocurrió un error interno. Intente de nuevo y, si se repite, avise al operador con el valor de X-Request-Id.

## Campos

field-missing = Este campo es obligatorio; agréguelo.
field-wrong-type = Debe ser { $expected ->
        [number] un número
        [boolean] un booleano
        [array] una lista
        [object] un objeto
       *[string] un texto
    }, no { $found ->
        [string] un texto
        [number] un número
        [boolean] un booleano
        [array] una lista
        [object] un objeto
       *[null] null
    }.
field-not-list-of = Debe ser una lista de { $items ->
        [formats] formatos, por ejemplo ["xml", "pdf"]
        [events] eventos, por ejemplo ["lookup.delivered"]
        [corrections] correcciones, cada una un objeto con line o from, field y value
       *[texts] textos
    }, no { $found ->
        [string] un texto
        [number] un número
        [boolean] un booleano
        [object] un objeto
       *[null] null
    }.
field-duplicate = Aparece más de una vez; envíelo una sola vez.
field-same-institution = Entre cuentas de un mismo banco no hay CEP: emisor y receptor son el mismo ({ $code }). Si no lo son, revise cuenta y clave_rastreo, o indique emisor y receptor.
field-malformed-date = Escríbala como AAAA-MM-DD, por ejemplo 2025-02-03.
field-no-such-day = Ese día no existe en el calendario.
field-too-early = No puede ser anterior al { $earliest }; revise el año.
field-in-future = No puede ser posterior a hoy en la Ciudad de México ({ $today }).
field-empty = No puede estar vacía.
field-too-long = Puede tener hasta { $most } caracteres y tiene { $length }.
field-forbidden-character = El carácter { $character } en el lugar { $place } no se acepta; use letras sin acento, dígitos y signos ASCII, sin < > " \.
field-not-digits = Sólo puede tener dígitos, espacios y guiones.
field-wrong-length = Debe tener 18 dígitos (CLABE), 16 (tarjeta) o 10 (teléfono) y tiene { $digits }.
field-not-decimal = Debe ser un número decimal sin separador de miles, por ejemplo 1234.56.
field-exponent = No se acepta notación científica; escriba el número completo.
field-not-positive = Debe ser mayor que cero.
field-too-many-decimals = Puede tener hasta dos decimales.
field-too-large = Puede tener hasta { $digits } dígitos antes del punto.
field-malformed-code = Debe ser el nombre o el código de 5 dígitos de un participante (2001 es el banco central).
field-unknown-participant = Ningún participante tiene ese código en la lista del { $list_date }; revise el catálogo de participantes.
field-unknown-name = Ningún participante tiene ese nombre; use el código de 5 dígitos o un nombre del catálogo de participantes.
field-similar-name = Ningún participante tiene ese nombre; se parece a { LIST($candidates, last: "o") }.
field-ambiguous-name = El nombre puede ser de { LIST($candidates, last: "o") }; indique el código.
field-unknown = No se conoce; quítelo o revise cómo se escribe.
field-misspelt = No se conoce; ¿quiso decir { $meant }? Corríjalo o quítelo.
field-not-one-of = Debe ser { LIST($words, last: "o") }.
field-out-of-range = Debe ser un número entero entre { $least } y { $most }, con cifras solamente.
field-no-own-account = Ninguna de sus cuentas propias termina en estos dígitos; si indicó el receptor, cuentan solo las de ese banco. Dé todos los dígitos, o agregue la cuenta a las suyas.
field-wrong-check-digit = Su último dígito contradice a los demás: busque un error de captura.
field-other-bank = No es la institución de la CLABE. Déjelo fuera, o corrija la CLABE.
field-no-criterion = Este campo es obligatorio; agréguelo, o numero_referencia en su lugar.
field-masked-digits = De una cuenta oculta debe mostrar los últimos 3 a 8 dígitos, por ejemplo ****1234.
field-malformed-reference = Debe ser un número de 1 a 7 dígitos mayor que 0: la referencia numérica de la transferencia.
field-stored-only = Aquí hace falta clave_rastreo. El número de referencia se acepta en /v1/cep/lookups y en los lotes: varias transferencias pueden tenerlo.
field-known-account = Ya está entre sus cuentas propias.
field-too-many-accounts = Tiene { $most } cuentas propias, las que se guardan a lo más. Quite una primero.
field-malformed-name = Debe tener de 1 a 100 caracteres, ninguno de ellos invisible o de control.
field-malformed-text = Puede tener hasta { $most } caracteres, ninguno de ellos de control.
field-malformed-instant = Escríbalo según RFC 3339, por ejemplo 2026-11-20T12:00:00Z.
field-malformed-id = Debe ser un UUID.
field-wrong-cursor = No es un lugar de esta lista; use el valor de next de la página anterior, con los mismos filtros y el mismo orden.
field-excluded = No puede ir junto con { $other }; envíe uno de los dos.
field-incomplete = Necesita también { $other }; agréguelo.
field-no-such-key = Su cuenta no tiene una clave activa con este identificador; use el de una de las que muestra GET /keys.
field-backwards = Debe ser anterior a to.
field-too-many-pairs = Debe tener { $most } pares a lo más.
field-metadata-name = Debe tener nombres de 1 a 40 caracteres, cada uno una vez.
field-metadata-value = Debe tener valores de 200 caracteres a lo más.
field-not-texts = Debe contener solo textos.
field-malformed-idempotency-key = Debe tener de 1 a 255 letras, dígitos, - y _, en un solo encabezado.
field-malformed-url = Debe ser un URL completo de a lo más 2,000 bytes, por ejemplo https://example.com/webhooks.
field-not-https = Debe empezar con https://.
field-wrong-port = Debe usar el puerto 443 u 8443.
field-user-info = No debe llevar usuario ni contraseña; compruebe en su lugar la firma de los mensajes.
field-fragment = No debe llevar un fragmento (#); quítelo.
field-not-public = Debe nombrar un servidor de internet público, no de una red interna.
field-period-too-long = El periodo pasa de { $slots } intervalos; pida uno más corto o intervalos más largos (granularity).
field-too-many-rows = La tabla tiene más de { $most } filas; divídala.
field-unknown-part = Un formulario solo tiene las partes file y corrections. Los parámetros, como dry_run, van en el URL (?dry_run=true); quite esta parte.
field-no-file = Al formulario le falta la parte file; envíe en ella la tabla, por ejemplo con curl -F file=@pagos.xlsx.
field-not-json = No es JSON válido en UTF-8 (byte { $position }); revise la sintaxis en ese lugar.
field-repeated-key = Repite una clave de un objeto (byte { $position }); envíe cada una una sola vez.
field-too-many-corrections = Puede tener hasta { $most } correcciones; corrija el archivo mismo.
field-no-corrected-rows = Diga qué filas se corrigen: line, la línea de una fila en el archivo, o from, el valor de todas las filas que lo tengan.
field-text-too-long = Puede tener hasta { $most } caracteres y tiene { $length }.
field-no-such-line = En esta línea del archivo no empieza la fila de un pago, o no se puede leer; use la línea que da de la fila una revisión (dry_run).
field-no-such-value = Ninguna fila del archivo tiene este valor en ese campo; escríbalo como está en el archivo.
field-corrected-twice = Otra corrección anterior es del mismo campo de las mismas filas; envíe una de las dos.
field-no-rows = La tabla no tiene filas; envíe una por pago.
field-not-inferred = El banco no se indicó y no se puede inferir; llene la columna.
field-malformed-mapping = Debe ser una lista de pares campo:encabezado o campo:número, separados por comas, por ejemplo monto:Total,cuenta:4.
field-mapping-field = Nombra un campo que las tablas no tienen; son fecha, clave_rastreo, cuenta, monto, emisor, receptor e id, y para estados de cuenta texto, cargo y abono.
field-mapping-column = Nombra un encabezado o un número que no tiene ninguna columna, o que tienen varias; dé el número de la columna.
field-mapping-twice = Asigna un campo o una columna dos veces; asigne cada uno una sola vez.
field-month-first = El día va antes que el mes, por ejemplo 20/11/2026; o escríbala como AAAA-MM-DD.
field-ambiguous-amount = Sus separadores se pueden leer de dos maneras; escríbalo con punto decimal, por ejemplo 1234.56 o 1,234.56.
field-shortened = Excel, u otra hoja de cálculo, tomó el valor por un número y lo escribió en notación científica, así que solo quedan { $digits } de sus dígitos. Dé a la columna el formato de texto antes de escribir o pegar los valores, vuelva a escribirlos y guarde el archivo; o ponga un apóstrofo (') antes de cada valor.
field-rounded = Excel guarda 15 dígitos de un número y escribe ceros en lugar de los demás, y así se ve este valor. Dé a la columna el formato de texto antes de escribir o pegar los valores, vuelva a escribirlos y guarde el archivo. Si el valor de verdad termina así, ponga un apóstrofo (') antes de él.
field-leading-zeros-lost = Es una CLABE sin { $zeros ->
        [one] su primer dígito, un cero
       *[other] sus primeros dígitos, { $zeros } ceros
    }, que Excel quita de los números. Dé a la columna el formato de texto antes de escribir o pegar los valores y vuelva a escribirlos, o agregue los ceros.
field-id-too-long = Puede tener hasta { $most } caracteres y tiene { $length }.
field-id-character = No puede tener caracteres de control, como saltos de línea o tabuladores.
field-unclosed-quote = La fila tiene una comilla (") que nunca se cierra; ciérrela, o duplique la que sea parte del texto.
field-row-too-long = La fila tiene más de { $most } caracteres; quite las columnas que no hagan falta.
field-more-cells = La fila tiene { $cells } celdas y el encabezado { $columns }; ponga entre comillas (") los valores que contengan el separador, por ejemplo "1,234.56".
field-malformed-json = La línea no es JSON válido (byte { $position }); revise la sintaxis en ese lugar.
field-not-an-object = La línea debe ser un objeto JSON, no { $found ->
        [string] un texto
        [number] un número
        [boolean] un booleano
        [array] una lista
       *[null] null
    }; envíe los campos entre llaves.
field-repeated-member = La línea repite una clave (byte { $position }); envíe cada una una sola vez.
notice-tracking-keys-elsewhere = La columna { $number } ({ $header }) trae claves de rastreo, y la que se lee como clave de rastreo no trae ninguna. Asigne la columna { $number } a la clave de rastreo.

## Motivos por los que no se infiere un banco

gap-unknown-clabe-prefix = Ningún participante tiene el prefijo CLABE { $prefix } en la lista del { $list_date }; revise cuenta y fecha, o indique receptor con su código, que termina en { $prefix }.
gap-unknown-card-prefix = No se conoce la institución que emitió esta tarjeta (las listas tienen pocas de instituciones nuevas); agregue receptor con su código.
gap-phone-account = cuenta tiene 10 dígitos, un número de teléfono, que no indica ninguna institución; agregue receptor con su código.
gap-unknown-tracking-key-shape = La forma de la clave de rastreo no corresponde a ningún banco conocido; indique emisor.
gap-reference-number = El número de referencia no dice de qué banco es; indique emisor.
gap-looks-like-reference = clave_rastreo parece la referencia numérica del pago o una fecha; indique la clave de rastreo, que es más larga, o emisor si de verdad es la clave.
gap-likely-tracking-key = La forma de la clave de rastreo no corresponde a ningún banco conocido; tal vez es { $expected }. Corríjala o indique emisor.

## Pistas cuando no hay comprobante

hint-check-digit = El dígito verificador de cuenta es { $given } y debería ser { $expected }; revise los dígitos.
hint-receiver-differs = La cuenta pertenece a la institución { $expected }, no al receptor { $given }; pruebe con receptor { $expected }.
hint-account-prefix-unknown = Ningún participante tiene el prefijo CLABE { $prefix } de la cuenta en la lista del { $list_date }, y el código del receptor no termina en él; revise cuenta, fecha y receptor.
hint-issuer-differs = La clave de rastreo tiene la forma de las de la institución { $expected }, no de las del emisor { $given }; pruebe con emisor { $expected }.
hint-issuer-was-inferred = El emisor { $given } se infirió por la forma de la clave de rastreo, que también puede ser de otra institución; si fue otra, indique emisor.
hint-code-replaced = En esa fecha el código { $given } no era el de la institución; pruebe con { $expected }.
hint-code-unused = En esa fecha ningún participante tenía el código { $given }; revise fecha y código.
hint-looks-like-reference = clave_rastreo parece la referencia numérica del pago o una fecha; busque en el comprobante la clave de rastreo, que es más larga.
hint-likely-tracking-key = La clave de rastreo se parece a las de un banco conocido, salvo por minúsculas o letras en lugar de cifras; pruebe con { $expected }.
hint-participant-unknown = El código { $given } no está en la lista de participantes del { $list_date }, que es anterior al pago; puede ser de un participante nuevo. Si no lo es, revise el código.
hint-day-and-month-swapped = Tal vez el día y el mes están intercambiados; pruebe con fecha { $date }.
hint-amount-looks-like-centavos = El monto parece estar en centavos; indíquelo en pesos, con punto decimal.
hint-date-in-tracking-key = La clave de rastreo contiene la fecha { $date }; pruebe con ella en fecha.
hint-more-own-accounts = De sus { $fitting } cuentas propias que coinciden con cuenta se consultaron { $asked }; si el pago llegó a otra, indique receptor o más dígitos de la cuenta.
hint-not-a-banking-day = La fecha es inhábil; la transferencia se operó el { $operation_date }. Indique el día en que se hizo la transferencia.
hint-maybe-operation-date = La fecha puede ser la de operación; si la transferencia se hizo antes (después de las 18:00 o en día inhábil), pruebe con fecha { $date }.

## Qué hacer con una consulta

advice-await-turn = Nada por ahora: la consulta espera su turno en el banco central.
advice-await-answer = Nada por ahora: se está consultando al banco central.
advice-await-bank = Nada por ahora: la consulta se repite sola. { $failure }
advice-await-row = Nada por ahora: la fila espera su turno en el lote.
advice-await-quota = La cuota del mes está agotada. El lote sigue solo cuando haya cuota: con el mes nuevo (UTC), o antes si se da a la clave un límite mayor.
advice-send-row-again = El lote se canceló antes de llegar a esta fila; envíela en otro lote si todavía necesita el comprobante.
advice-await-proof = Nada por ahora: el banco central tiene el pago (estado: { $state }), y la consulta se repite sola hasta que emita el comprobante, casi siempre en 30 minutos.
advice-await-return = No dé el pago por recibido: se está devolviendo al ordenante (estado: { $state }). La consulta se repite sola.
advice-payment-pending = No dé el pago por recibido: el banco central todavía lo procesaba (estado: { $state }). Cree otra consulta más tarde para saber cómo terminó.
advice-return-pending = No dé el pago por recibido: se estaba devolviendo al ordenante (estado: { $state }). Cree otra consulta más tarde para saber cómo terminó.
advice-check-meanwhile = El banco central todavía no conoce el pago, y la consulta se repite sola. Mientras tanto, compare los datos con el comprobante del ordenante y revise las pistas.
advice-correct-question = Los datos se contradicen; corríjalos y cree otra consulta. { $hint }
advice-check-question = Compare fecha, clave de rastreo o número de referencia, cuenta, monto y bancos con el comprobante del ordenante, revise las pistas y cree otra consulta con los datos corregidos.
advice-reject-proof = No acepte este comprobante: su sello no corresponde a sus datos. Confirme el abono en el estado de cuenta antes de dar el pago por recibido.
advice-confirm-payment = El sello no se pudo verificar; confirme el abono en el estado de cuenta antes de dar el pago por recibido.
advice-payment-returned = No dé el pago por recibido: el dinero volvió al ordenante (estado: { $state }) y no habrá comprobante. Pida otra transferencia.
advice-payment-rejected = No dé el pago por recibido: no se liquidó (estado: { $state }) y no habrá comprobante. Pida otra transferencia.
advice-payment-canceled = No dé el pago por recibido: se canceló (estado: { $state }) y no habrá comprobante. Pida otra transferencia.
advice-ask-receiving-bank = El banco central conoce el pago y no emitió su comprobante a tiempo; pida al banco receptor que lo confirme y después cree otra consulta.
advice-name-banks = Cree otra consulta que indique { LIST($fields, last: "y") }: no se pudo inferir.
advice-same-institution = Emisor y receptor son la misma institución ({ $code }), y una transferencia interna no tiene comprobante. Si no es así, corrija emisor, receptor y cuenta y cree otra consulta.
advice-choose-transfer = Varias transferencias tienen este número de referencia. Elija la suya entre las candidatas y consúltela por su clave de rastreo.
advice-ask-again = Cree otra consulta más tarde. { $failure }
advice-ask-anew = La consulta se canceló; cree otra si todavía necesita el comprobante.

## Fallas con las que terminó un intento

failure-bank-protocol-error = El banco central dio una respuesta que no se entiende; avise al operador si se repite.
failure-bank-unavailable = El banco central no estaba disponible.
failure-bank-throttled = No se podía consultar más al banco central.
failure-bank-timeout = El banco central no respondió a tiempo.
failure-reader-unavailable = El programa que lee estos archivos no estaba disponible.
failure-internal-error = Falló este servicio; avise al operador si se repite.

## GraphQL: petición

graphql-post-only = GraphQL solo se atiende por POST; envíe la consulta en un cuerpo JSON.
graphql-media-type = El cuerpo debe ser application/json en UTF-8; indíquelo en Content-Type.
graphql-body-too-large = El cuerpo tiene más de { $max_bytes } bytes; envíe una consulta más pequeña.
graphql-body-timeout = El cuerpo no llegó a tiempo; envíelo de nuevo.
graphql-incomplete-body = El cuerpo se interrumpió antes de su final; envíelo de nuevo completo.
graphql-malformed-json = El cuerpo no es JSON válido (línea { $line }, columna { $column }); revise la sintaxis en ese lugar.
graphql-batch = No se atienden lotes; envíe una operación por petición, como objeto.
graphql-body-shape = El cuerpo debe ser un objeto con el texto "query" y, según haga falta, el texto "operationName" y el objeto "variables", cada uno una sola vez.
graphql-misspelt-member = No se conoce el campo { $name }; ¿quiso decir { $meant }? Corríjalo o quítelo.
graphql-syntax = La consulta no es GraphQL válido (línea { $line }, columna { $column }); revise la sintaxis en ese lugar.
graphql-syntax-unplaced = La consulta no es GraphQL válido; revise sus operaciones, sus fragmentos y el final de sus textos.
graphql-invalid-document = La consulta no corresponde al esquema: { $reason }
graphql-operation-name-required = El documento tiene varias operaciones; indique cuál en operationName.
graphql-unknown-operation = El documento no tiene ninguna operación con el nombre de operationName; corríjalo u omítalo.
graphql-variable-required = La variable ${ $name } debe tener un valor; indíquelo en "variables".
graphql-introspection-disabled = Aquí no se describe el esquema; viene con la documentación, como schema.graphql.
graphql-timeout = No hubo respuesta en { $seconds } segundos; pida menos o intente de nuevo. Si era una mutación, compruebe antes si se realizó.
graphql-internal-error = Algo falló de nuestro lado; intente de nuevo y, si persiste, indíquenos el request_id.
graphql-subscription-over-post = Las suscripciones se atienden por un WebSocket; abra uno en { $path }.
graphql-subscriptions-only = Por un WebSocket solo se atienden suscripciones; mande las consultas y mutaciones por POST a /graphql.
graphql-too-many-subscriptions = La sesión tiene { $most } suscripciones, que son las que puede tener; termine una, o lea de vez en cuando lo que sigue.
graphql-session-busy = La sesión, o su cuenta, manda demasiadas solicitudes; intente de nuevo en { $seconds } s.
graphql-session-ended = La sesión terminó; inicie sesión de nuevo.
graphql-session-unchecked = La sesión no se puede revisar ahora; intente de nuevo en unos segundos.

## GraphQL: límites de una consulta

graphql-fragment-cycle = Un fragmento de la consulta se contiene a sí mismo; elimine el ciclo.
graphql-page-size = El argumento first de { $field } debe ser un número entero de 1 a { $most }; lea más con after.
graphql-cost = Una consulta puede tener como máximo { $most } puntos de complejidad; pida páginas más cortas o menos campos, o repártalos en varias peticiones.
graphql-selections = Una consulta puede tener como máximo { $most } campos, fragmentos y directivas, alias incluidos; pida menos.
graphql-levels = Una consulta puede tener como máximo { $most } niveles de selecciones, fragmentos incluidos; anídelos menos.
graphql-nesting = Una consulta puede tener como máximo { $most } niveles de llaves y corchetes; anide menos.
graphql-tokens = Una consulta puede tener como máximo { $most } símbolos; envíe una consulta más corta.

## GraphQL: argumentos

graphql-forbidden = Solo los administradores pueden consultarlo.
graphql-not-found = Lo que indican los argumentos no existe o no es suyo; revise los identificadores.
graphql-unreadable-argument = No se puede leer un argumento: { $reason }
argument-integer = { $argument } debe ser un número entero de { $least } a { $most }.
argument-wrong-cursor = { $argument } no es un cursor de esta lista; use un cursor o endCursor de sus páginas, con el mismo orden, u omítalo.
argument-malformed-id = { $argument } no es un identificador; use uno de los que muestran las listas.
argument-request-id = { $argument } no es un id de petición: tienen de 1 a 64 caracteres de A-Z a-z 0-9 . _ : -
argument-malformed-text = { $argument } puede tener como máximo { $most } caracteres, ninguno de ellos de control.
argument-value = { $argument }: { $fault }
argument-backwards = { $argument } debe ser anterior a to.
argument-range-ends = { $argument } necesita newest, o bien from y to, pero no ambas cosas.
argument-empty-period = { $argument } no contiene ningún intervalo: from debe ser anterior a to, y newest al menos 1.
argument-period-too-long = { $argument } contiene más de { $slots } intervalos; pida menos tiempo o intervalos más largos.

## GraphQL: mutaciones rechazadas (userErrors)

user-name = Un nombre tiene de 1 a 100 caracteres, ninguno de ellos invisible o de control.
user-grace = El plazo de gracia es de 0 a { $most } horas.
user-per-minute = Las peticiones por minuto son un número de 1 a { $most }.
user-monthly-quota = La cuota mensual es un número de 1 a { $most }, o null para no tener tope.
user-no-limit = No cambiaría nada: indique perMinute, monthlyQuota o plan.
user-not-found = No existe o no es suyo; revise el identificador.
user-forbidden = Solo los administradores pueden hacerlo.
user-revoked = La clave está revocada y no hay vuelta atrás; use una activa.
user-already-rotated = La clave ya tiene una sucesora; rote esa en su lugar.
user-too-many-keys = Una cuenta de este plan tiene como máximo { $most } claves activas; revoque una que ya no use.
user-too-many-new-keys = Una cuenta crea o rota como máximo { $most } claves en una hora; intente de nuevo en { $minutes } min.
user-lookup-final = La consulta ya terminó y no hay nada que cancelar; bórrela en su lugar.
user-lookup-not-final = La consulta no ha terminado; cancélela primero.
user-batch-final = El lote ya terminó y no hay nada que cancelar; bórrelo en su lugar.
user-batch-not-final = El lote no ha terminado; cancélelo primero.
user-no-change = No cambiaría nada: indique url, events o enabled.
user-test-event = TEST no se puede suscribir: se envía cuando testWebhook lo pide. Omítalo.
user-too-many-webhooks = La cuenta ya tiene { $most } webhooks, el máximo que puede tener; quite uno que no use.
user-webhook-disabled = El webhook está desactivado; actívelo con updateWebhook y repita esto.
user-delivery-pending = El mensaje todavía se intenta; su próximo intento está en nextAttemptAt.

## Avisos junto al veredicto sobre un comprobante (avisos[].mensaje)

notice-campos-sin-sellar-comparados-con-el-banco = Ningún sello protege la clave de rastreo ni el número de referencia. El banco emitió el comprobante de un pago con esta clave y los mismos datos sellados.
notice-campos-sin-sellar-no-comparados = Ningún sello protege la clave de rastreo ni el número de referencia, y nadie los comparó con el banco: alguien pudo cambiarlos. Compárelos con el banco antes de confiar en ellos.
notice-campos-sin-sellar-no-coinciden-con-el-banco = Ningún sello protege la clave de rastreo ni el número de referencia, y en el banco no se halló un comprobante con esta clave y estos datos: alguien pudo cambiar la clave. No confíe en ella.
notice-comprobante-traido-en-un-archivo = El comprobante llegó en un archivo, que cualquiera pudo enviar; el sistema no lo obtuvo del banco. Un comprobante emitido antes de que se devolviera el pago no cambia: vea en la cuenta que el dinero esté ahí.
notice-sello-del-banco-de-pruebas = El sello es del banco de pruebas, cuya clave es pública: cualquiera puede hacer un comprobante así, y no prueba nada.

## Comprobaciones de un comprobante recibido (comprobaciones[].explicacion)

check-archivo-muy-grande = El archivo es muy grande: se revisan archivos de hasta 1 MiB, y un comprobante tiene unos 30 KB. Envíe el comprobante tal como se descargó.
check-archivo-vacio = El archivo está vacío. Descárguelo de nuevo, o pídalo de nuevo.
check-es-factura = Esto es una factura (CFDI), no un CEP: dice qué se vendió, y no prueba ningún pago. Pida el CEP de la transferencia, en XML o PDF.
check-es-imagen = Esto es una imagen, y una imagen no prueba nada: cualquiera puede hacer una. Consulte el pago con lo que muestra: fecha, clave de rastreo, cuenta que recibe, monto, y los dos bancos si los conoce. O pida el CEP en XML o PDF.
check-es-documento-de-office = Esto es un documento de Office (Word, Excel o parecido), no un CEP. Envíe el CEP como se descargó del portal, en XML o PDF.
check-es-pagina-web = Esto es una página web, no un CEP: puede ser la del portal, guardada en lugar del archivo. Descargue el CEP con los botones del portal, en XML o PDF.
check-es-correo = Esto es un correo, no un CEP. Envíe el archivo que trae adjunto.
check-es-json = Esto es JSON, no un CEP. Si es una respuesta con el comprobante en base64, decodifique su data y envíe eso; para consultar un pago, envíe el JSON a /v1/cep/json.
check-es-formulario = Esto es un formulario (multipart/form-data), y el cuerpo debe ser el archivo mismo, por ejemplo con curl --data-binary @cep.xml.
check-es-texto = Esto es texto simple, no un CEP. Envíe el CEP como se descargó del portal, en XML o PDF.
check-es-otro-archivo-comprimido = Esto es un archivo comprimido que aquí no se lee. Descomprímalo y envíe el CEP, en XML, PDF o ZIP.
check-formato-desconocido = El archivo no es XML ni PDF ni ZIP. Envíe el CEP como se descargó del portal.
check-zip-danado = El ZIP está cortado, dañado, o hecho para que cada programa lo lea de otra manera. Descárguelo de nuevo, o envíe el CEP mismo.
check-zip-muy-grande = El ZIP trae más archivos, o más grandes, de los que se comprueban a la vez: hasta 50 archivos, de 1 MiB cada uno y 8 MiB en total. Divídalo.
check-zip-sin-comprobantes = Ningún archivo del ZIP es un CEP. Envíe uno con el CEP como se descargó del portal, en XML o PDF.
check-zip-en-zip = Esto es un ZIP dentro del ZIP. Descomprímalo y envíe ese.
check-archivo-cifrado = El archivo está cifrado. Envíe el ZIP sin contraseña.
check-archivo-ilegible = El archivo está dañado, o comprimido de una forma que aquí no se lee. Envíe el CEP mismo.
check-compresion-excesiva = El archivo está comprimido mucho más que un CEP, así que no se leyó. Envíe el CEP mismo.
check-demasiado-complejo = El archivo tiene muchas más partes que un comprobante. Envíe el comprobante tal como se descargó.
check-no-es-utf8 = El XML no está en UTF-8, como todos los comprobantes. Envíe el archivo tal como se descargó, sin abrirlo y guardarlo en otro programa.
check-tipo-de-documento = El XML declara un tipo de documento, y un comprobante no. Envíe el archivo tal como se descargó.
check-no-es-xml = El archivo no es un XML bien formado. Envíe el comprobante tal como se descargó.
check-otra-raiz = El XML no es un comprobante: su elemento raíz no es SPEI_Tercero.
check-falta-un-dato = Al comprobante le falta un dato que todos tienen; el comprobante está alterado o incompleto.
check-dato-repetido = El comprobante repite un elemento que aparece una sola vez; está alterado.
check-dato-ilegible = Un dato del comprobante no se puede leer; está alterado o dañado.
check-no-es-pdf = El archivo no es un PDF. Envíe el comprobante tal como se descargó.
check-pdf-cifrado = El PDF está cifrado, y los del portal nunca lo están. Envíe el PDF tal como se descargó, o el XML.
check-pdf-danado = La estructura del PDF no se puede leer. Envíe el PDF tal como se descargó, o el XML.
check-pdf-sin-texto = El PDF no tiene texto: se hizo de una imagen, como una captura de pantalla o un escaneo, y una imagen no prueba nada. Pida el PDF o el XML originales.
check-pdf-sin-cadena = El PDF no muestra la cadena original, el sello y el número de certificado como los del portal; no es un comprobante, o se convirtió con otro programa. Pida el archivo original.
check-comprobante-del-banco = Es el comprobante que un banco da a su cliente, no un CEP: no lleva sello, y cualquiera lo edita. Busque el pago con los datos que muestra (fecha, clave de rastreo, cuenta del beneficiario, monto y los dos bancos) y obtenga su CEP.
check-reporte-de-estado = Es el reporte del estado de un pago, no un CEP: el portal imprime en él lo que se le envía, y no lleva sello. Busque el pago con los datos que muestra (fecha, clave de rastreo, cuenta del beneficiario, monto y los dos bancos) y obtenga su CEP.
check-varios-comprobantes = El PDF tiene varios comprobantes. Envíe cada uno en un archivo aparte, tal como se descargó.
check-campos-cambiados = El sello es válido, pero los campos indicados no dicen lo que está sellado: alguien los cambió.
check-cadena-de-otro-pago = El sello es válido, pero la cadena sellada es la de otro pago: el archivo se armó con partes de dos comprobantes.
check-cadena-cambiada = El sello no es de esta cadena, y la cadena contradice a los campos: alguien la cambió.
check-cadena-y-campos-cambiados-u-otro-sello = El sello no es de esta cadena: alguien cambió la cadena junto con los campos, o puso el sello de otro comprobante.
check-contradiccion = Los campos indicados contradicen a la cadena original: alguien cambió el archivo.
check-lugares-inciertos = Un nombre o el concepto contiene el separador de la cadena, así que el texto sellado puede leerse de más de una manera: los campos que aquí se nombran pueden ser otros que los que selló el banco. No confíe en ellos; consulte el pago.
check-contenido-ajeno = El archivo tiene más de lo que un banco escribe (otros elementos, atributos, comentarios o instrucciones), y un visor puede mostrarlo. Lea los datos sellados de esta respuesta, no lo que muestra el archivo.
check-pagina-no-comparada = Lo que la página muestra no se comparó con lo sellado: no está dibujada como las del portal, y un visor puede mostrar otra cosa. Lea los datos sellados, no los que se ven.
check-certificado-desconocido = No se conoce la llave del certificado de la institución receptora, así que el sello no se revisó. No dice nada en contra del comprobante.
check-sello-rechazado-por-banxico = El validador del Banco de México dice que el archivo no es un comprobante válido: su sello no es el de los datos que contiene. No confíe en el archivo.
check-sello-ilegible = El sello o el número de certificado no se pueden leer con certeza.
check-otro-sello = El sello del final de la cadena original es otro que el del comprobante: alguien cambió uno de los dos.
check-otro-certificado = La cadena original nombra otro certificado que el comprobante: alguien cambió uno de los dos.
check-sin-sello = Ningún sello protege la clave de rastreo: un sello válido no dice nada de ella. Búsquela en el portal para comprobarla.
check-clave-que-ningun-banco-escribe = Ningún banco conocido escribe una clave de rastreo así, y ningún sello la cubre: alguien pudo haber escrito otra cosa en su lugar. No confíe en ella; consulte el pago con la clave que da el banco del ordenante.
check-otro-monto = El comprobante que emite el banco tiene otro monto: alguien cambió el archivo.
check-otro-beneficiario = El comprobante que emite el banco tiene otro beneficiario: alguien cambió el archivo.
check-clave-de-otro-pago = Con esta clave de rastreo, el banco emite el comprobante de otro pago. Los datos sellados son los del archivo y su sello es válido, pero ningún sello protege la clave: alguien pudo cambiarla. Pida el comprobante original a quien se lo envió.
check-otros-datos = El comprobante que emite el banco difiere en los campos indicados: alguien cambió el archivo.
check-desconocido-para-el-banco = El banco no conoce un pago con la clave de rastreo, la fecha, el monto, las instituciones y la cuenta del archivo: no existió así, o es de hace muy poco.
check-sin-comprobante-del-banco = El banco conoce el pago, que está liquidado, pero todavía no tiene un comprobante de él. Consúltelo más tarde.
check-pago-en-proceso = El banco central todavía procesa el pago, o su devolución, y no tiene comprobante de él. No lo dé por recibido; consúltelo más tarde.
check-pago-devuelto = El banco central dice que el pago fue devuelto a quien lo envió: el dinero no está en la cuenta y el banco no emite comprobante de él. No dé por recibido este pago.
check-pago-rechazado = El banco central dice que el pago fue rechazado o no se liquidó: el dinero no llegó a la cuenta y el banco no emite comprobante de él. No dé por recibido este pago.
check-pago-cancelado = El banco central dice que el pago fue cancelado: el dinero no llegó a la cuenta y el banco no emite comprobante de él. No dé por recibido este pago.
check-faltan-datos-para-consultar = El archivo no dice lo suficiente para consultar al banco: faltan, o no se pueden leer, la institución emisora, la receptora, la cuenta, el monto, la fecha o la clave de rastreo.
check-varios-pagos-en-zip = No se preguntó al banco, porque el ZIP trae comprobantes de varios pagos y una petición es una consulta. Envíe cada comprobante por separado para compararlo con el banco.
check-ok-estructura = El archivo es un comprobante y se puede leer completo.
check-ok-atributos-y-cadena = Los datos del comprobante dicen lo mismo que la cadena original.
check-ok-texto-y-cadena = Lo que se ve en el PDF dice lo mismo que la cadena original.
check-ok-sello = El sello es la firma de la institución receptora sobre la cadena original: nadie la cambió.
check-ok-sello-repetido = El final de la cadena original repite el sello.
check-ok-certificado = La cadena original nombra el mismo certificado que el comprobante.
check-ok-clave-rastreo = La clave de rastreo es la del pago.
check-ok-portal = El banco emite el mismo comprobante.

opinion-valid = Confirmado por el validador del Banco de México: el sello es la firma de la institución receptora sobre los datos sellados. No dice nada de la clave de rastreo.
opinion-invalid = El validador del Banco de México dice que el archivo no es un comprobante válido.
no-opinion-not-needed = No se consultó al validador del Banco de México: la pasarela misma sabe quién hizo el sello.
no-opinion-unreadable-seal = No se consultó al validador del Banco de México: el sello o el número de certificado no se pueden leer.
no-opinion-not-configured = No se consultó al validador del Banco de México: el operador de esta pasarela no permitió que se le envíen archivos (CEP_VALIDATOR_URL).
no-opinion-not-xml = No se consultó al validador del Banco de México: solo lee archivos XML. Envíe el XML del comprobante.
no-opinion-several-seals = No se consultó al validador del Banco de México: el ZIP contiene comprobantes con varios sellos, y una petición pregunta por uno. Envíe cada comprobante por separado.
no-opinion-out-of-range = No se consultó al validador del Banco de México: abarca los últimos 45 días hábiles bancarios, y la fecha del comprobante no es uno de ellos.
no-opinion-unsafe-text = No se consultó al validador del Banco de México: el archivo tiene signos o partes que podrían cambiar la página en la que responde.
no-opinion-busy = No se consultó al validador del Banco de México: solo se le puede preguntar unas cuantas veces por minuto. Intente de nuevo en un minuto.
no-opinion-timeout = El validador del Banco de México no respondió a tiempo. Intente de nuevo más tarde.
no-opinion-unavailable = No se pudo consultar al validador del Banco de México, o falló. Intente de nuevo más tarde.
no-opinion-unknown-answer = El validador del Banco de México dio una respuesta desconocida, que no cuenta como respuesta. Intente de nuevo más tarde, o use el validador en su propia página.

# Resultados de lotes

row-state-faulty = con errores
row-state-duplicate = repetida
row-state-not-begun = sin empezar
row-state-queued = en cola
row-state-running = en curso
row-state-waiting = en espera
row-state-delivered = entregada
row-state-ambiguous = varias transferencias
row-state-not-found = sin comprobante
row-state-failed = fallida
row-state-expired = vencida
row-state-canceled = cancelada
row-state-erased = borrada
row-repeats = Pregunta lo mismo que la fila { $row }; el resultado está ahí.
row-candidates = Varias transferencias tienen este número de referencia: { $candidates }.
row-candidate-seal = sello { $seal }
row-seen = { $times ->
    [one] Este comprobante ya se le entregó una vez.
   *[other] Este comprobante ya se le entregó { $times } veces.
  } Presentar un mismo pago para dos pedidos es un fraude común: revise que no lo haya aceptado ya.
payment-state-in-process = en proceso
payment-state-settled = liquidado
payment-state-canceled = cancelado
payment-state-rejected = rechazado
payment-state-return-in-process = en proceso de devolución
payment-state-returned = devuelto
payment-state-not-settled = no liquidado
payment-state-not-found = no encontrado
payment-state-sent-back = retornado
results-seal-valid = válido
results-seal-invalid = no válido
results-seal-not-checked = sin comprobar
results-state-seal-invalid = sello no válido
results-state-seal-not-checked = entregada · sello sin comprobar
results-state = Resultado CEP
results-explanation = Explicación
results-what-to-do = Qué hacer
results-seal = Sello del CEP
results-credit-date = Fecha de abono del CEP
results-credit-time = Hora de abono del CEP
results-payer = Ordenante del CEP
results-payer-tax-id = RFC o CURP del ordenante
results-payee = Beneficiario del CEP
results-payee-tax-id = RFC o CURP del beneficiario
results-payee-account = Cuenta del beneficiario en el CEP
results-concept = Concepto del CEP
results-issuer = Banco emisor del CEP
results-receiver = Banco receptor del CEP
results-link = Comprobante
results-open = ver

## Recibos

empty-receipt = El cuerpo está vacío; envíe el texto, el PDF o la imagen del recibo.
receipt-damaged = No se puede leer el archivo: está dañado o no es lo que parece. Vuelva a guardar o fotografiar el recibo y envíe ese archivo.
receipt-encrypted = El PDF pide una contraseña. Guárdelo sin ella, o envíe una captura de pantalla.
receipt-too-large = El archivo tiene más páginas, píxeles o texto que un recibo. Envíe solo la página del recibo, o una imagen más pequeña.
receipt-too-slow = Leer el archivo tardó demasiado. Envíe una imagen solo del recibo, recortada a su texto.
large-receipt = El archivo pasa de { $mebibytes } MiB; envíe una imagen más pequeña, o solo la página del recibo.
encoded-receipt = El cuerpo debe ser el archivo tal como es: envíelo sin comprimir y sin Content-Encoding.
unsupported-receipt = El archivo no es un texto en UTF-8, un PDF ni una imagen PNG, JPEG o WebP. Envíe el recibo en uno de estos formatos; las tablas de pagos van a /v1/cep/batches, los ZIP y los comprobantes a /v1/cep/verify.
unsupported-picture = La imagen está en un formato que no se lee, como HEIC o GIF. Envíe una imagen PNG, JPEG o WebP; una captura de pantalla de la imagen lo es.
no-recognition = Este gateway no puede leer un archivo así: su operador debe instalar poppler-utils (PDF) o tesseract-ocr y tesseract-ocr-spa (imágenes). Envíe el texto del recibo.
recognition-busy = Se están leyendo tantas imágenes como es posible a la vez; inténtelo de nuevo en { $seconds } s.
receipt-not-paid-yet = El recibo dice que el pago está programado, pendiente o en proceso: no está pagado. Pida el recibo del pago ya hecho.
receipt-refused = El recibo dice que el pago fue rechazado o cancelado.
receipt-returned = El recibo dice que el pago fue devuelto al ordenante.
receipt-within-one-bank = Parece que ordenante y beneficiario tienen el mismo banco. Dentro de un banco no hay CEP: vea en la cuenta que el dinero haya llegado.
receipt-several-receipts = Hay datos de más de una transferencia. Envíe un recibo a la vez.
receipt-key-is-reference = El número en el lugar de la clave de rastreo es una referencia de pocos dígitos, no una clave. Pida al ordenante la clave de rastreo.
receipt-folio-is-no-key = Un folio o una autorización no es la clave de rastreo, y el recibo no muestra ninguna. Pida al ordenante la clave de rastreo, que su banco muestra en el detalle del movimiento; si el recibo muestra la referencia numérica, también con ella se puede consultar.
receipt-wrong-check-digit = El dígito verificador de la cuenta no corresponde: hay un dígito mal leído o mal escrito. Compárela con el recibo.
receipt-receiver-differs = El banco que nombra el recibo no es el de la CLABE. Revise los dos.
receipt-issuer-differs = El banco que nombra el recibo no es aquel cuyas claves de rastreo se ven así. Revise los dos.
receipt-key-date-differs = La clave de rastreo contiene otra fecha que el recibo. Revise las dos.
receipt-around-midnight = La transferencia se hizo cerca de la medianoche: su fecha puede ser la del día anterior o la del siguiente.
receipt-account-not-own = La cuenta no es ninguna de sus cuentas propias de ese tipo: el pago puede ser real y de otra persona.
receipt-foreign-currency = El recibo dice un monto en otra moneda: solo los pagos en pesos tienen CEP. El monto es el que está en pesos.
receipt-corrected = Se corrigieron caracteres que se parecen, como O y 0. Compare los valores con el recibo.
missing-clave-rastreo-not-found = Falta la clave de rastreo. Está junto a “Clave de rastreo”, o en el detalle del movimiento en el banco del ordenante.
missing-clave-rastreo-unclear = La clave de rastreo es dudosa. Compárela con el recibo, carácter por carácter.
missing-fecha-not-found = Falta la fecha de la transferencia: el día en que el ordenante la envió.
missing-fecha-unclear = La fecha es dudosa. Elija el día en que el ordenante envió la transferencia.
missing-monto-not-found = Falta el monto: el de la transferencia, sin comisión ni IVA.
missing-monto-unclear = El monto es dudoso: es el de la transferencia, sin comisión ni IVA.
missing-cuenta-not-found = Falta la cuenta receptora. Escriba su CLABE, tarjeta o teléfono al que se envió, o agréguela a sus cuentas propias.
missing-cuenta-masked = La cuenta receptora está oculta. Escriba completa la CLABE, la tarjeta o el teléfono que termina así, o agregue esa cuenta a sus cuentas propias.
missing-cuenta-unclear = La cuenta receptora es dudosa. Compárela con la suya, dígito por dígito.
missing-receptor-not-told = Falta el banco receptor, y la cuenta no lo dice. Es el banco de la cuenta que recibió el dinero.
missing-receptor-unclear = El banco receptor es dudoso. Es el banco de la cuenta que recibió el dinero.
missing-emisor-not-told = Falta el banco emisor, y la clave de rastreo no lo dice. Es el banco del ordenante.
missing-emisor-unclear = El banco emisor es dudoso. Es el banco del ordenante.
