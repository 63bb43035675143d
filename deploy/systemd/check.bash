# shellcheck shell=bash
# Checks what is in this folder. Sourced by `deploy/check` at the root of the project, whose functions,
# folder ($work) and list of processes ($running) it uses.

step "systemd: units"
if command -v systemd-analyze >/dev/null && command -v systemd-sysusers >/dev/null; then
  units="$work/units"
  mkdir -p "$units/cep-gateway.service.d" "$work/system/etc"
  cp deploy/systemd/*.service deploy/systemd/*.timer "$units"
  cp deploy/systemd/oidc-client-secret.conf "$units/cep-gateway.service.d"
  # The programs need not be installed here.
  sed -i 's|^ExecStart=/[^ ]*|ExecStart=/bin/true|' "$units"/*.service
  # The colon adds the system's own units.
  export SYSTEMD_UNIT_PATH="$units:"
  systemd-analyze verify --man=no --recursive-errors=no "$units"/*.service "$units"/*.timer
  for unit in "$units"/*.service; do
    systemd-analyze security --no-pager --offline=true --threshold=20 "$unit" > "$work/security" \
      || fail "$(cat "$work/security")"
    tail -n 1 "$work/security"
  done
  unset SYSTEMD_UNIT_PATH
  systemd-sysusers --root="$work/system" "$PWD/deploy/systemd/sysusers.conf" 2>/dev/null
  grep -q '^cep-gateway:.*:/usr/sbin/nologin$' "$work/system/etc/passwd" || fail "sysusers.conf makes no user that can't sign in"
else
  skip "systemd-analyze is not installed (Debian: systemd)"
fi

step "systemd: backups of a real database"
if command -v sqlite3 >/dev/null; then
  data="$work/data"
  backups="$work/backups"
  mkdir "$data"
  backup() { deploy/systemd/cep-gateway-backup "$data" "$backups"; }
  kept() { find "$backups" -name 'cep-*.db' -printf '%f\n' | sort; }
  if backup 2>/dev/null; then fail "cep-gateway-backup succeeds without a database"; fi
  [ ! -e "$data/cep.db" ] || fail "cep-gateway-backup makes a database"
  sqlite3 "$data/cep.db" 'PRAGMA journal_mode = wal; CREATE TABLE count (n INTEGER); INSERT INTO count VALUES (0);' >/dev/null
  for run in $(seq 16); do
    sqlite3 "$data/cep.db" "UPDATE count SET n = $run"
    backup >/dev/null
  done
  [ "$(kept | wc -l)" = 14 ] || fail "16 backups leave $(kept | wc -l), not 14"
  oldest=$(sqlite3 "$backups/$(kept | head -n 1)" 'SELECT n FROM count')
  newest=$(sqlite3 "$backups/$(kept | tail -n 1)" 'SELECT n FROM count')
  [ "$oldest-$newest" = 3-16 ] || fail "backups $oldest to $newest are kept, not the newest fourteen"
  [ -z "$(find "$backups" -type f ! -perm 600)" ] || fail "others may read backups"

  # A program that writes all the time: `.backup` outside of a transaction would begin anew forever.
  sqlite3 "$data/cep.db" 'CREATE TABLE filler (b BLOB);
    INSERT INTO filler SELECT randomblob(3000) FROM generate_series(1, 10000);'
  python3 - "$data/cep.db" <<'PYTHON' &
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA synchronous = off")
while True:
    database.execute("UPDATE count SET n = n + 1")
    time.sleep(0.001)
PYTHON
  writer=$!
  running+=("$writer")
  until_it test -s "$data/cep.db-wal" || fail "nothing is written"
  timeout 20 deploy/systemd/cep-gateway-backup "$data" "$backups" >/dev/null || fail "no backup of a busy database within 20 s"
  kill "$writer"
  wait "$writer" 2>/dev/null || true

  before=$(kept)
  printf 'not a page of a database' | dd of="$data/cep.db" bs=4096 seek=1 conv=notrunc status=none
  rm -f "$data"/cep.db-*
  if backup 2>/dev/null; then fail "a backup of a corrupted database succeeds"; fi
  : > "$data/cep.db"
  if backup 2>/dev/null; then fail "a backup of an empty database succeeds"; fi
  [ "$(kept)" = "$before" ] || fail "a backup that failed removes older ones"
  [ "$(find "$backups" -name '*.failed' | wc -l)" = 2 ] || fail "a copy that failed its check is not kept"
else
  skip "sqlite3 is not installed"
fi

# A gateway's stand-in, which answers with what it was asked.
cat > "$work/upstream.py" <<'PYTHON'
import http.server, json, sys

class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if len(self.rfile.read(length)) < length:
            return
        names = ["host", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-api-key", "upgrade", "connection"]
        asked = {"path": self.path, "version": self.request_version}
        body = json.dumps(asked | {name: self.headers.get_all(name) for name in names}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Upstream).serve_forever()
PYTHON

# Checks what both proxies must do: `proxy_holds NAME PORT`.
proxy_holds() {
  local name=$1 origin="https://cep.example.org:$2"
  local ask=(curl -sS --noproxy '*' --http2 --cacert "$work/tls.crt" --resolve "cep.example.org:$2:127.0.0.1" --max-time 10)
  until_it "${ask[@]}" "$origin/healthz" || fail "$name doesn't answer: $(cat "$work/$name.log")"
  "${ask[@]}" -D "$work/head" -o "$work/body" -H 'x-api-key: key' -H 'x-forwarded-for: 203.0.113.9' \
    -H 'forwarded: for=203.0.113.9' -d '{}' "$origin/v1/cep/xml_auto"
  python3 - "$name" "$work/head" "$work/body" <<'PYTHON'
import json, sys
name, head, body = sys.argv[1], open(sys.argv[2]).read().lower(), json.load(open(sys.argv[3]))
for holds, problem in [
    (head.startswith("http/2 200"), "speaks no HTTP/2 to callers"),
    ("strict-transport-security: max-age=31536000" in head, "sends no Strict-Transport-Security"),
    (body["path"] == "/v1/cep/xml_auto", "asks for another path"),
    (body["version"] == "HTTP/1.1", "doesn't speak HTTP/1.1 to the gateway"),
    (body["x-api-key"] == ["key"], "loses the API key"),
    (body["host"][0].startswith("cep.example.org"), "loses the name of the host"),
    (body["x-forwarded-for"] == ["127.0.0.1"], "believes a caller's X-Forwarded-For"),
    (body["forwarded"] is None, "passes a caller's Forwarded on"),
    (body["x-forwarded-proto"] == ["https"], "doesn't tell of https"),
]:
    if not holds:
        sys.exit(f"{name} {problem}: {head}{body}")
PYTHON
  local path status
  "${ask[@]}" --http1.1 -H 'connection: upgrade' -H 'upgrade: websocket' -o "$work/body" "$origin/graphql/ws"
  python3 - "$name" "$work/body" <<'PYTHON'
import json, sys
name, body = sys.argv[1], json.load(open(sys.argv[2]))
if body["upgrade"] != ["websocket"] or [value.lower() for value in body["connection"]] != ["upgrade"]:
    sys.exit(f"{name} passes no WebSocket on: {body}")
PYTHON
  for path in /metrics /readyz /api/metrics /api/readyz /%72eadyz //readyz /api//readyz; do
    status=$("${ask[@]}" -o /dev/null -w '%{http_code}' "$origin$path")
    [ "$status" = 404 ] || fail "$name answers $path with $status"
  done
  head -c 2000000 /dev/zero > "$work/large"
  # nginx answers 413, Caddy 2.6 ends the stream.
  status=$("${ask[@]}" -o /dev/null -w '%{http_code}' --data-binary @"$work/large" "$origin/v1/cep/xml_auto" 2>/dev/null) || true
  [ "$status" != 200 ] || fail "$name passes a body of 2 MB on"
  for path in /v1/cep/batches /api/v1/cep/batches/0/import; do
    status=$("${ask[@]}" -o /dev/null -w '%{http_code}' --data-binary @"$work/large" "$origin$path")
    [ "$status" = 200 ] || fail "$name passes no table of 2 MB on: $status"
  done
  head -c 1048576 /dev/zero > "$work/large"
  status=$("${ask[@]}" -o /dev/null -w '%{http_code}' --data-binary @"$work/large" "$origin/v1/cep/verify")
  [ "$status" = 200 ] || fail "$name passes no file of a proof of 1 MiB on: $status"
}

step "systemd: nginx and Caddy in front of a gateway's stand-in"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=cep.example.org \
  -addext subjectAltName=DNS:cep.example.org -keyout "$work/tls.key" -out "$work/tls.crt" 2>/dev/null
upstream=$(free_port)
python3 "$work/upstream.py" "$upstream" 2>/dev/null &
running+=($!)
nginx=$(PATH="$PATH:/usr/sbin" command -v nginx || true)
if [ -n "$nginx" ]; then
  port=$(free_port)
  sed -e '/listen \[::\]/d' -e "s|listen 80;|listen 127.0.0.1:$(free_port);|" \
    -e "s|listen 443|listen 127.0.0.1:$port|" -e "s|127.0.0.1:8080|127.0.0.1:$upstream|" \
    -e "s|/etc/letsencrypt/.*/fullchain.pem|$work/tls.crt|" -e "s|/etc/letsencrypt/.*/privkey.pem|$work/tls.key|" \
    deploy/systemd/nginx.conf > "$work/nginx-site.conf"
  {
    [ "$(id -u)" != 0 ] || echo "user root;"
    echo "pid $work/nginx.pid; error_log stderr; events {} http {"
    for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $work/nginx-$kind;"; done
    echo "include $work/nginx-site.conf; }"
  } > "$work/nginx-main.conf"
  "$nginx" -t -q -e stderr -c "$work/nginx-main.conf"
  "$nginx" -e stderr -c "$work/nginx-main.conf" -g 'daemon off;' > "$work/nginx.log" 2>&1 &
  running+=($!)
  proxy_holds nginx "$port"
else
  skip "nginx is not installed (Debian: nginx-light)"
fi
if command -v caddy >/dev/null; then
  port=$(free_port)
  export XDG_DATA_HOME="$work/caddy" XDG_CONFIG_HOME="$work/caddy"
  caddy validate --config deploy/systemd/Caddyfile --adapter caddyfile > "$work/caddy.log" 2>&1 || fail "$(cat "$work/caddy.log")"
  caddy fmt deploy/systemd/Caddyfile | diff -u deploy/systemd/Caddyfile - || fail "Caddyfile: caddy fmt --overwrite"
  sed -e '0,/^{$/s||{\n\tadmin off\n\tauto_https disable_redirects|' \
    -e "s|^cep.example.org {|https://cep.example.org:$port {\n\tbind 127.0.0.1\n\ttls $work/tls.crt $work/tls.key|" \
    -e "s|127.0.0.1:8080|127.0.0.1:$upstream|" deploy/systemd/Caddyfile > "$work/Caddyfile"
  caddy run --config "$work/Caddyfile" --adapter caddyfile > "$work/caddy.log" 2>&1 &
  running+=($!)
  proxy_holds caddy "$port"
  unset XDG_DATA_HOME XDG_CONFIG_HOME
else
  skip "caddy is not installed"
fi
