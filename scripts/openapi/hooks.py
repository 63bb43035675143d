"""Knowledge that no schema holds, applied to what schemathesis generates.

Only values that fit the schema are replaced, so negative tests stay what they are.
"""

import datetime
import re

import schemathesis

# Two participants of the catalogue, and a day that has passed.
ISSUER, RECEIVER = "40012", "40002"
PAST = "2025-01-31"
# SPEI began in 2004: no payment is older.
FIRST = "2004-01-01"
DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\Z")
PARTICIPANT = re.compile(r"([1-9][0-9]{4}|2001|.*[A-Za-z].*)\Z")
LONGEST_NAME = 150
# Amounts by which the sandbox chooses a failure of the bank (README.md).
FAILURES = {"429.00", "429.01", "500.00", "502.00", "502.01", "503.00", "504.00"}


def is_date(text):
    try:
        return DATE.match(text) is not None and datetime.date.fromisoformat(text) is not None
    except ValueError:
        return False


def is_failure(amount):
    try:
        return f"{float(amount):.2f}" in FAILURES
    except (TypeError, ValueError):
        return False


@schemathesis.hook
def before_call(context, case, kwargs):
    # Random bytes are no proof: the files that are sent to be checked are real ones.
    if case.operation.path == "/v1/cep/verify":
        name = "proof.pdf" if case.media_type == "application/pdf" else "proof.xml"
        with open(name, "rb") as file:
            case.body = file.read()
        return
    if not isinstance(case.body, dict):
        return
    body = case.body = dict(case.body)
    date = body.get("fecha")
    # No date is in the future of whatever day it is, or before SPEI.
    if isinstance(date, str) and is_date(date) and not FIRST <= date <= PAST:
        body["fecha"] = PAST
    for name, code in (("emisor", ISSUER), ("receptor", RECEIVER)):
        given = body.get(name)
        # Only codes and names of participants of the catalogue, and two different ones.
        if isinstance(given, str) and len(given) <= LONGEST_NAME and PARTICIPANT.match(given):
            body[name] = code
        # Whether a bank can be inferred depends on lists of prefixes and shapes.
        elif given is None and case.operation.path.endswith("_auto"):
            body[name] = code
    if is_failure(body.get("monto")):
        body["monto"] = "1234.56"
