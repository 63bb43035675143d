# shellcheck shell=bash
# Boots a machine of its own (systemd-nspawn: this system's /usr, an empty /etc and /var, no network) and
# does there what docs/single-machine.md says, the commands that need systemd included. Sourced like
# check.bash.

step "systemd: docs/single-machine.md on a machine that boots"
program=$(realpath "${CARGO_TARGET_DIR:-target}/debug/cep-gateway" 2>/dev/null || true)
machine="$work/machine"
name="cep-gateway-$$"
boot() {
  timeout --kill-after=10 240 systemd-nspawn --quiet --register=no --keep-unit --link-journal=no --console=pipe \
    --machine="$name" --directory="$machine" --private-network \
    --bind-ro=/usr --bind="$machine/local:/usr/local" --bind-ro=/etc/ssl "$@"
}
mkdir -p "$machine"/{usr,local/bin,var,etc/systemd/system,checkout/target/dist}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$machine/$folder"; done
cp /usr/lib/os-release "$machine/etc/os-release"
cp -R /etc/pam.d /etc/security "$machine/etc"
echo '127.0.0.1 localhost' > "$machine/etc/hosts"

if [ ! -x "$program" ]; then
  skip "target/debug/cep-gateway is not built (cargo build)"
elif ! command -v systemd-nspawn >/dev/null || ! command -v sqlite3 >/dev/null; then
  skip "systemd-nspawn or sqlite3 is not installed (Debian: systemd-container, sqlite3)"
elif ! boot --as-pid2 /bin/true >/dev/null 2>&1; then
  skip "systemd-nspawn can't start a machine here (it needs root and control groups)"
else
  cp -R deploy docs "$machine/checkout"
  python3 - > "$machine/checkout/page" <<'PYTHON'
import re

# Steps of a reader between the blocks, by how the next block begins.
BEFORE = {
    "install -m 0644 deploy/systemd/*.service": """
sed -i -e 's|^CEP_PUBLIC_URL=.*|CEP_PUBLIC_URL=https://cep.example.org|' \\
  -e 's|^CEP_OIDC_ISSUER=.*|CEP_OIDC_ISSUER=https://localhost:9|' -e 's|=REPLACE$|=gateway|' /etc/cep-gateway/gateway.env
echo CEP_BANK_URL=http://localhost:9/cep >> /etc/cep-gateway/gateway.env
""",
}
AFTER = """
until_it() { for _ in $(seq 200); do "$@" && return; sleep 0.1; done; echo "not within 20 s: $*"; return 1; }
ask() {
  curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/v1/cep/xml_auto -H "x-api-key: $1" \\
    -H 'content-type: application/json' \\
    -d '{"fecha":"2026-11-20","clave_rastreo":"MBAN01002611200000000001","cuenta":"002010077777777771","monto":1234.56}'
}
key() { cep keys create --name probe --env "$1" | sed 's/.*"api_key":"\\([^"]*\\)".*/\\1/'; }
test_key=$(key test)
live_key=$(key live)
[ "$(ask "$test_key")" = 200 ]
# Nothing listens there; the name was resolved.
[ "$(ask "$live_key")" = 503 ]
until_it sh -c 'journalctl --unit=cep-gateway.service --output=cat | grep -q "Connection refused"'
curl -fsS http://127.0.0.1:9464/metrics | grep '^process_start_time_seconds'
process() { systemctl show --property=MainPID --value cep-gateway.service; }
grep '^Seccomp:.2' "/proc/$(process)/status"
[ -z "$(find /var/lib/cep-gateway /var/lib/cep-gateway-backups -type f ! -perm 600)" ]
[ "$(find /var/lib/cep-gateway-backups -name 'cep-*.db' | wc -l)" = 2 ]

# A gateway that hangs is started again.
mkdir -p /etc/systemd/system/cep-gateway.service.d
printf '[Service]\\nWatchdogSec=2s\\n' > /etc/systemd/system/cep-gateway.service.d/check.conf
systemctl daemon-reload
systemctl restart cep-gateway.service
hanging=$(process)
kill -s STOP "$hanging"
started_again() { [ "$(systemctl show --property=NRestarts --value cep-gateway.service)" = 1 ]; }
until_it started_again
until_it systemctl is-active --quiet cep-gateway.service
[ "$(ask "$test_key")" = 200 ]
systemctl stop cep-gateway.service
[ "$(systemctl show --property=Result --value cep-gateway.service)" = success ]
touch passed
"""

print("set -euxo pipefail")
print("trap 'journalctl --no-pager --output=cat --lines=20 --unit=cep-gateway.service' ERR")
blocks = re.findall(r"(?:<!-- not run: (.*?) -->\n)?```sh\n(.*?)```", open("docs/single-machine.md").read(), re.DOTALL)
for reason, text in blocks:
    if "domain" in reason:
        continue
    text = re.sub(r"^(apt-get|cargo|git) .*\n", "", text, flags=re.MULTILINE)
    for beginning, what in BEFORE.items():
        if text.startswith(beginning):
            print(what)
    print("{\n" + text + "} <<< 'the secret of a client'" if "identity provider" in reason else text)
print(AFTER)
PYTHON
  cat > "$machine/etc/systemd/system/page.service" <<'UNIT'
[Service]
Type=oneshot
WorkingDirectory=/checkout
Environment=PATH=/usr/local/bin:/usr/sbin:/usr/bin HOME=/root
ExecStart=/bin/bash /checkout/page
TimeoutStopSec=5s
ExecStopPost=/bin/systemctl --no-block exit
StandardOutput=file:/checkout/said
StandardError=inherit
UNIT
  touch "$machine/checkout/said"
  boot --bind-ro="$program:/checkout/target/dist/cep-gateway" --boot -- --unit=page.service > "$work/boot.log" 2>&1 \
    || fail "the machine doesn't boot: $(cat "$work/boot.log")"
  [ -e "$machine/checkout/passed" ] || fail "docs/single-machine.md fails: $(tail -n 40 "$machine/checkout/said")"
fi
rmdir "/run/systemd/nspawn/propagate/$name" 2>/dev/null || true
