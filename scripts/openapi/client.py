"""Uses a generated client against a gateway over the sandbox bank.

Usage: python client.py ADDRESS API_KEY DOCUMENT, with the generated package `cep_client` beside it.
"""

import base64
import io
import json
import pkgutil
import re
import sys
import time
import zipfile

import cep_client.api
from cep_client import AuthenticatedClient, Client
from cep_client.api.batches import create_batch, get_batch, get_batch_files, get_batch_results
from cep_client.api.operation import readyz
from cep_client.api.proofs import base64 as base64_endpoint
from cep_client.api.proofs import pdf, verify, xml_auto, zip_auto
from cep_client.models import CheckedProof, Envelope, Error, ProofRequest, ProofRequestAuto
from cep_client.types import File

address, api_key, document = sys.argv[1:]

# Every operation of the document has a module.
with open(document) as file:
    paths = json.load(file)["paths"]
described = {operation["operationId"] for item in paths.values() for operation in item.values()}
described = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in described}
walked = pkgutil.walk_packages(cep_client.api.__path__, "cep_client.api.")
generated = {module.name.rsplit(".")[-1] for module in walked if not module.ispkg}
assert described == generated, described ^ generated

client = AuthenticatedClient(address, api_key, prefix="", auth_header_name="x-api-key")
transfer = {
    "fecha": "2025-01-31",
    "clave_rastreo": "MBAN01002501310001234567",
    "cuenta": "002010077777777771",
    "monto": 1234.56,
}
inferred = ProofRequestAuto.from_dict(transfer)
named = {**transfer, "emisor": "40012", "receptor": "40002"}

proof = xml_auto.sync(client=client, body=inferred)
assert b"<SPEI_Tercero" in proof.payload.read()
archive = zip_auto.sync(client=client, body=inferred)
assert archive.payload.read(2) == b"PK"
envelope = base64_endpoint.sync(client=client, body=ProofRequest.from_dict(named))
assert isinstance(envelope, Envelope)
assert base64.b64decode(envelope.data).startswith(b"%PDF-")
for endpoint in (xml_auto, pdf):
    body = inferred if endpoint is xml_auto else ProofRequest.from_dict(named)
    checked = verify.sync(client=client, body=endpoint.sync(client=client, body=body))
    assert isinstance(checked, CheckedProof) and checked.resultado == "valid", checked
faulty = ProofRequest.from_dict({**named, "fecha": "2025-01-31", "clave_rastreo": "no tracking key!" * 9})
refused = pdf.sync(client=client, body=faulty)
assert isinstance(refused, Error) and refused.error == "INVALID_REQUEST", refused
assert readyz.sync(client=Client(address)).status == "ready"

# A batch, from its table to its files.
rows = [f"2025-01-31,MBAN0100250131000{number:07},002010077777777771,99.{number:02},F-{number}" for number in range(20)]
table = "\n".join(["fecha,clave_rastreo,cuenta,monto,id", *rows])
batch = create_batch.sync(client=client, body=File(payload=io.BytesIO(table.encode())))
deadline = time.monotonic() + 30
while batch.state != "finished":
    assert time.monotonic() < deadline, batch
    time.sleep(0.1)
    batch = get_batch.sync(id=batch.id, client=client)
assert batch.counts.delivered == len(rows), batch
results = get_batch_results.sync_detailed(id=batch.id, client=client)
assert results.status_code == 200 and results.content.count(b"delivered") == len(rows), results.content
files = get_batch_files.sync(id=batch.id, client=client)
names = zipfile.ZipFile(files.payload).namelist()
assert len(names) == len(rows) + 2 and {"resumen.csv", "resumen.xlsx"} <= set(names), names
print("Python client: ok")
