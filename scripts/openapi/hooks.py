"""Knowledge that no schema holds, applied to what schemathesis generates.

Only values that fit the schema are replaced, so negative tests stay what they are.
"""

import datetime
import json
import re

import schemathesis

# Participants of the catalogue, and their codes in CLABEs.
ISSUER, RECEIVER = "40012", "40002"
TODAY = datetime.date.today().isoformat()
DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\Z")
PARTICIPANT = re.compile(r"([1-9][0-9]{4}|2001)\Z")
# Amounts by which the sandbox chooses a failure of the bank (README.md).
FAILURES = {"429.00", "429.01", "500.00", "502.00", "502.01", "503.00", "504.00"}


def is_date(text):
    try:
        return DATE.match(text) is not None and datetime.date.fromisoformat(text) is not None
    except ValueError:
        return False


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    body = dict(body)
    date = body.get("fecha")
    if isinstance(date, str) and is_date(date) and date > "2026-11-20":
        body["fecha"] = "2026-11-20"
    for name, code in (("emisor", ISSUER), ("receptor", RECEIVER)):
        given = body.get(name)
        if isinstance(given, str) and PARTICIPANT.match(given):
            body[name] = code
        # What can't be inferred is no fault of the schema.
        elif given is None and context.operation.path.endswith("_auto"):
            body[name] = code
    amount = body.get("monto")
    try:
        if f"{float(amount):.2f}" in FAILURES:
            body["monto"] = "1234.56"
    except (TypeError, ValueError):
        pass
    return body
