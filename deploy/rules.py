"""Consistency of the files of this folder with the sources. Run by `deploy/check`."""

import re
import sys
from pathlib import Path

import yaml

DEPLOY = Path(__file__).parent
ROOT = DEPLOY.parent
problems: list[str] = []


def must(holds: object, problem: str) -> None:
    if not holds:
        problems.append(problem)


def options() -> dict[str, str]:
    """The variables of the gateway, and their defaults."""
    page = (ROOT / "docs/configuration.md").read_text()
    return dict(re.findall(r"^\| `(CEP_[A-Z_]+)` \| `[^`]*` \| (?:`([^`]*)`)? *\|", page, re.MULTILINE))


def known_variables() -> set[str]:
    return set(options())


def settings_of(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def variables_are_real() -> None:
    # Compose's own, which no gateway reads.
    known = known_variables() | {"CEP_HTTPS_PORT", "CEP_IMAGE", "CEP_OUTSIDE_NETWORK"}
    must(len(known) > 20, "the options can't be found in docs/configuration.md: this check is blind")
    for path in [*DEPLOY.rglob("*"), ROOT / "docs/single-machine.md"]:
        if path.is_file() and "secrets" not in path.parts and path.name not in {"rules.py", ".env"}:
            for name in set(re.findall(r"\bCEP_[A-Z_]*[A-Z]\b", path.read_text())) - known:
                problems.append(f"{path.name}: {name} is no option of the gateway")


def secrets_stand_in_files() -> None:
    # An option with a form for a file is a secret, and must not stand in an environment.
    known = known_variables()
    secrets = {name for name in known if f"{name}_FILE" in known}
    must(len(secrets) >= 5, "the options that stand in files can't be found: this check is blind")
    text = (DEPLOY / "compose.yaml").read_text()
    # As it is for whom the provider gave a client secret.
    uncommented, lines = re.subn(r"^( +)# (?=.*oidc_client_secret)", r"\1", text, flags=re.MULTILINE)
    must(lines == 3, f"compose.yaml: a client secret takes {lines} lines, and its head says three")
    compose = yaml.safe_load(uncommented)
    must("oidc_client_secret" in compose["services"]["gateway"]["secrets"], "compose.yaml: the gateway isn't given a client secret")
    mounted = "/run/secrets/"
    for name, service in compose["services"].items():
        for variable, value in service.get("environment", {}).items():
            must(variable not in secrets, f"compose.yaml: {name} has {variable} in its environment")
            if variable.startswith("CEP_") and value.startswith(mounted):
                file = value.removeprefix(mounted)
                must(file in service["secrets"], f"compose.yaml: {name} isn't given {file}")
                must(file in compose["secrets"], f"compose.yaml: there is no secret {file}")
    folder = DEPLOY / "kubernetes"
    examples = [folder / "secret.example.yaml", folder / "migrate/secret.example.yaml"]
    of_replicas, of_migration = (set(yaml.safe_load(path.read_text())["stringData"]) for path in examples)
    keys = of_replicas | of_migration
    must(not of_replicas & of_migration, "secret.example.yaml: replicas get what only the migration needs")
    for path in folder.rglob("*"):
        text = path.read_text() if path.is_file() else ""
        for name in set(re.findall(r"\bCEP_[A-Z_]*[A-Z]\b", text)) & secrets:
            if f"{name}=" in text or f"name: {name}" in text:
                problems.append(f"{path.name}: {name} is in an environment")
        for key in set(re.findall(r"/run/secrets/cep-gateway/([a-z-]+)", text)):
            must(key in keys, f"{path.name}: secret.example.yaml has no {key}")


def redis_user_is_the_documented_one() -> None:
    source = (ROOT / "adapters/outbound/limiter-redis/src/lib.rs").read_text()
    quoted = re.search(r'ACL_RULES: &str = "(.*?)";', source, re.DOTALL)
    must(quoted, "ACL_RULES can't be found: this check is blind")
    rules = re.sub(r"\\\s*", "", quoted[1]).split() if quoted else []
    lines = (DEPLOY / "redis.acl").read_text().splitlines()
    users = {line.split()[1]: line.split()[2:] for line in lines}
    must(users.get("default") == ["off"], "redis.acl: the default user is not off")
    must(users["cep"][2:] == rules, "redis.acl: the rules of `cep` are not ACL_RULES")
    must(not any(rule.startswith(("+@", "~", "allkeys")) for rule in users["operator"]), "redis.acl: `operator` reads keys")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    given = {name for name, service in services.items() if "redis_operator_password" in service.get("secrets", [])}
    must(given == {"redis"}, f"compose.yaml: {sorted(given)} are given the password of Redis' operator")


def compose_is_hardened() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    compose = yaml.safe_load(text)
    services = compose["services"]
    for name, service in services.items():
        must(service.get("read_only") is True, f"compose.yaml: {name} may write to its image")
        must(service.get("cap_drop") == ["ALL"], f"compose.yaml: {name} keeps capabilities")
        must("cap_add" not in service, f"compose.yaml: {name} adds capabilities")
        must(
            "no-new-privileges:true" in service.get("security_opt", []),
            f"compose.yaml: {name} may gain privileges",
        )
        must(service.get("ulimits", {}).get("core") == 0, f"compose.yaml: {name} may leave core dumps")
        tag = service["image"].partition("@")[0].rpartition(":")[2]
        must(tag not in {"latest", service["image"]}, f"compose.yaml: {name} has no fixed version")
    owners = {name for name, service in services.items() if {"owner_url", "owner_password"} & set(service.get("secrets", []))}
    must(owners == {"postgres", "migrate"}, f"compose.yaml: {sorted(owners)} know the owner of the tables")
    must({n for n, s in services.items() if "ports" in s} == {"proxy"}, "compose.yaml: not only the proxy is reachable")
    must("9464" not in (DEPLOY / "nginx.conf").read_text(), "nginx.conf: metrics are shown outside")
    must(compose["networks"]["data"]["internal"], "compose.yaml: the database's network leads outside")
    grace = int(services["gateway"]["stop_grace_period"].rstrip("s"))
    timeout = int(services["gateway"]["environment"]["CEP_BANK_TIMEOUT"])
    must(grace >= timeout + 30, "compose.yaml: the gateway is killed before it has finished")
    read = re.search(r"proxy_read_timeout (\d+)s", (DEPLOY / "nginx.conf").read_text())
    must(read and int(read[1]) > timeout + 5, "nginx.conf: lookups outlive the proxy's patience")
    must("CEP_REPLICAS" not in services["gateway"]["environment"], "compose.yaml: replicas count themselves")


def callers_are_told_apart() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    trusted = compose["services"]["gateway"]["environment"].get("CEP_TRUSTED_PROXIES")
    subnets = [config["subnet"] for config in compose["networks"]["outside"]["ipam"]["config"]]
    must(subnets == [trusted], "compose.yaml: the proxy's network isn't the trusted one")
    must(compose["services"]["proxy"]["networks"] == ["outside"], "compose.yaml: the proxy isn't in the trusted network")
    for name in ["nginx.conf", "systemd/nginx.conf"]:
        text = (DEPLOY / name).read_text()
        must("proxy_set_header X-Forwarded-For $remote_addr;" in text, f"{name}: doesn't name callers")
        must('proxy_set_header Forwarded "";' in text, f"{name}: a caller may name itself")
        must("location ~ ^(/api)?/(readyz|metrics)$ { return 404; }" in text, f"{name}: shows callers its parts' state")
    listens = settings_of(DEPLOY / "systemd/gateway.env")
    host = listens["CEP_LISTEN"].rpartition(":")[0]
    must(listens.get("CEP_TRUSTED_PROXIES") == host, "systemd/gateway.env: the proxy isn't trusted")
    settings = settings_of(DEPLOY / "kubernetes/gateway.env")
    must("CEP_TRUSTED_PROXIES" in settings, "kubernetes/gateway.env: the ingress isn't trusted")


def images_are_pinned() -> None:
    # A tag can be pushed again.
    texts = [(DEPLOY / name).read_text() for name in ["Dockerfile", "compose.yaml"]]
    images = [image for text in texts for image in re.findall(r"^(?:FROM| +image:) ([^ $]+)(?: AS .*)?$", text, re.MULTILINE)]
    must(len(images) == 6, f"the images of others can't be found, {images}: this check is blind")
    for image in images:
        pinned = re.search(r"@sha256:[0-9a-f]{64}$", image)
        must(pinned, f"{image} is not pinned by digest: run deploy/pin-images")


def directives_of(path: Path) -> list[tuple[str, str]]:
    lines = [line for line in path.read_text().splitlines() if "=" in line and not line.startswith("#")]
    return [(name, value) for name, _, value in (line.partition("=") for line in lines)]


def the_unit_fits_the_gateway() -> None:
    folder = DEPLOY / "systemd"
    known = known_variables()
    secrets = {name for name in known if f"{name}_FILE" in known}
    settings = settings_of(folder / "gateway.env")
    directives = dict(directives_of(folder / "cep-gateway.service"))
    for path in [folder / "cep-gateway.service", folder / "oidc-client-secret.conf"]:
        directives_here = directives_of(path)
        credentials = {value.split(":")[0] for name, value in directives_here if name == "LoadCredential"}
        must(credentials, f"{path.name}: no credentials")
        for name, value in directives_here:
            variable, _, file = value.partition("=")
            if name == "Environment":
                must(variable not in secrets, f"{path.name}: {variable} is in the environment")
                must(variable not in settings, f"{path.name}: {variable} is set in gateway.env, too")
                must(not file.startswith("%d/") or file[3:] in credentials, f"{path.name}: no credential {file}")
    must(not secrets & set(settings), f"gateway.env: {secrets & set(settings)} in the environment")
    timeout = int(settings["CEP_BANK_TIMEOUT"])
    stop = int(directives["TimeoutStopSec"].removesuffix("s"))
    must(stop >= timeout + 30, "cep-gateway.service: the gateway is killed before it has finished")
    metrics = settings["CEP_ADMIN_LISTEN"].rpartition(":")[2]
    must(settings["CEP_ADMIN_LISTEN"].startswith("127.0.0.1:"), "systemd/gateway.env: metrics are shown outside")
    for name, patience in {
        "nginx.conf": r"proxy_read_timeout (\d+)s",
        "Caddyfile": r"response_header_timeout (\d+)s",
    }.items():
        text = (folder / name).read_text()
        read = re.search(patience, text)
        must(read and int(read[1]) > timeout + 5, f"systemd/{name}: lookups outlive the proxy's patience")
        must(settings["CEP_LISTEN"] in text, f"systemd/{name}: the gateway listens on {settings['CEP_LISTEN']}")
        must(metrics not in text, f"systemd/{name}: metrics are shown outside")


def kubernetes_is_hardened() -> None:
    folder = DEPLOY / "kubernetes"
    settings = settings_of(folder / "gateway.env")
    deployment = yaml.safe_load((folder / "deployment.yaml").read_text())
    for name, workload in {
        "deployment.yaml": deployment,
        "migrate/job.yaml": yaml.safe_load((folder / "migrate/job.yaml").read_text()),
    }.items():
        pod = workload["spec"]["template"]["spec"]
        # The Pod Security Standard `restricted`, and a file system that is read.
        must(pod["securityContext"]["runAsNonRoot"], f"{name}: runs as root")
        must(pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", f"{name}: no seccomp")
        must(pod["automountServiceAccountToken"] is False, f"{name}: holds a token of the cluster")
        for container in pod["containers"]:
            context = container["securityContext"]
            must(context["allowPrivilegeEscalation"] is False, f"{name}: may gain privileges")
            must(context["readOnlyRootFilesystem"], f"{name}: may write to its image")
            must(context["capabilities"] == {"drop": ["ALL"]}, f"{name}: keeps capabilities")
    spec = deployment["spec"]
    pod = spec["template"]["spec"]
    ports = {port["name"]: port["containerPort"] for port in pod["containers"][0]["ports"]}
    must(settings["CEP_ADMIN_LISTEN"].endswith(f":{ports['metrics']}"), "gateway.env: metrics are at another port")
    annotations = spec["template"]["metadata"]["annotations"]
    must(annotations["prometheus.io/port"] == str(ports["metrics"]), "deployment.yaml: scraped at another port")
    service = yaml.safe_load((folder / "service.yaml").read_text())
    must([port["targetPort"] for port in service["spec"]["ports"]] == ["http"], "service.yaml: shows more than the API")
    rolling = spec["strategy"]["rollingUpdate"]
    must(rolling["maxUnavailable"] == 0, "deployment.yaml: a rollout takes a replica away")
    pause = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
    needed = pause + int(settings["CEP_BANK_TIMEOUT"]) + 30
    must(pod["terminationGracePeriodSeconds"] >= needed, "deployment.yaml: killed before it has finished")
    must("CEP_REPLICAS" not in settings, "gateway.env: replicas count themselves")
    collector = re.search(r"^#?CEP_OTLP_ENDPOINT=http://[a-z.-]+:(\d+)$", (folder / "gateway.env").read_text(), re.MULTILINE)
    policies = yaml.safe_load_all((folder / "network-policy.yaml").read_text())
    ways_out = [way for policy in policies for way in policy["spec"].get("egress", [])]
    reachable = {port["port"] for way in ways_out for port in way["ports"]}
    must(collector and int(collector[1]) in reachable, "network-policy.yaml: the collector of traces can't be reached")


def the_banks_budget_is_one_for_all_replicas() -> None:
    # The gateway's default is the number that the portal accepts from one address.
    default = options().get("CEP_BANK_BUDGET")
    must(default, "the default of CEP_BANK_BUDGET can't be found: this check is blind")
    compose = re.search(r"CEP_BANK_BUDGET:-(\d+)", (DEPLOY / "compose.yaml").read_text())
    for name, budget in {
        "compose.yaml": compose and compose[1],
        "env.example": settings_of(DEPLOY / "env.example").get("CEP_BANK_BUDGET"),
        "gateway.env": settings_of(DEPLOY / "kubernetes/gateway.env").get("CEP_BANK_BUDGET"),
        "systemd/gateway.env": settings_of(DEPLOY / "systemd/gateway.env").get("CEP_BANK_BUDGET"),
    }.items():
        must(
            budget == default,
            f"{name}: CEP_BANK_BUDGET is {budget}, and one address has {default} a minute",
        )


def metrics_are_real() -> None:
    source = (ROOT / "src/metrics/names.rs").read_text()
    known = set(re.findall(r'"(cep_[a-z_]+)"', source))
    must(len(known) > 15, "the metrics' names can't be found: this check is blind")
    for name in ["alerts.yaml", "alerts-test.yaml", "grafana.json"]:
        text = (DEPLOY / "monitoring" / name).read_text()
        for metric in set(re.findall(r"\bcep_[a-z_]+", text)):
            plain = re.sub(r"_(bucket|count|sum)$", "", metric)
            must({metric, plain} & known, f"{name}: no metric {metric} is served")


def the_builder_gets_every_crate() -> None:
    manifest = (ROOT / "Cargo.toml").read_text()
    members = re.findall(r'^    "([a-z/-]+)",$', manifest, re.MULTILINE)
    must(len(members) > 10, "the workspace's members can't be found: this check is blind")
    ignore = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    sent = {line[1:] for line in ignore if line.startswith("!")}
    for member in [*members, ".cargo"]:
        must(member.split("/")[0] in sent, f"Dockerfile.dockerignore: {member} is not sent")


variables_are_real()
secrets_stand_in_files()
redis_user_is_the_documented_one()
compose_is_hardened()
callers_are_told_apart()
images_are_pinned()
the_unit_fits_the_gateway()
kubernetes_is_hardened()
the_banks_budget_is_one_for_all_replicas()
metrics_are_real()
the_builder_gets_every_crate()
if problems:
    sys.exit("\n".join(problems))
