"""Checks monitoring/grafana.json against Grafana's own model of a dashboard, and prints its queries as
recording rules, which `promtool check rules` can read. Run by `deploy/check`."""

import json
import sys
from pathlib import Path

import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

# Known to Grafana and not to its model.
UNMODELLED = {"definition"}


def lost(ours: object, theirs: object, place: str) -> list[str]:
    """Parts of the file that the model doesn't know."""
    if isinstance(ours, dict):
        known = theirs if isinstance(theirs, dict) else {}
        return [
            problem
            for name in ours.keys() - UNMODELLED
            for problem in lost(ours[name], known.get(name), f"{place}/{name}")
        ]
    if isinstance(ours, list):
        known = theirs if isinstance(theirs, list) else []
        known += [None] * (len(ours) - len(known))
        return [problem for at, item in enumerate(ours) for problem in lost(item, known[at], f"{place}/{at}")]
    return [] if ours == theirs else [f"grafana.json: Grafana knows no {place} = {ours}"]


register_default_plugins()
dashboard = json.loads((Path(__file__).parent / "monitoring/grafana.json").read_text())
understood = json.loads(json.dumps(Dashboard.from_json(dashboard), cls=JSONEncoder))
if problems := lost(dashboard, understood, ""):
    sys.exit("\n".join(problems))

queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
if len(queries) < 20:
    sys.exit("grafana.json: the queries can't be found: this check is blind")
filled = [query.replace("$__rate_interval", "5m").replace("$job", ".*") for query in queries]
rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(filled)]
print(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
