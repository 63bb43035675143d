-- The gateway's work of one request, done by nginx: the key's shape, its hash, the limits' script in
-- Redis, the body's fields, an answer of the same bytes with the same header fields.
local cjson = require 'cjson.safe'
local ffi = require 'ffi'
local redis = require 'nginx.redis'

ffi.cdef [[
  const void *EVP_sha256(void);
  unsigned char *HMAC(const void *digest, const void *key, int key_length, const unsigned char *data,
                      size_t length, unsigned char *out, unsigned int *out_length);
  int CRYPTO_memcmp(const void *a, const void *b, size_t length);
]]

local SHAPE = [[^cep_(?:live|test)_[0-9A-Za-z]{8}\.[0-9A-Za-z]{24}$]]
local ADMITTED, RATE_LIMITED, QUOTA_EXCEEDED = 1, 2, 3
local TEXTS = { 'fecha', 'clave_rastreo', 'cuenta', 'emisor', 'receptor' }

-- In milliseconds. Neither the gateway nor this gives up on Redis because the machine is busy.
local TIMEOUT = 10000
local IDLE = 60000

local gate = {}

local sha256 = ffi.C.EVP_sha256()
local mac, mac_length = ffi.new('unsigned char[32]'), ffi.new('unsigned int[1]')
local settings, credentials

-- Reads what doesn't change; the workers share its memory. Lines of `keys`: prefix, hash, three keys.
function gate.start(given)
  settings, credentials = given, {}
  for line in io.lines(given.keys) do
    local prefix, hash, state, counters, log = line:match('^(%S+) (%S+) (%S+) (%S+) (%S+)$')
    hash = hash:gsub('..', function(digits) return string.char(tonumber(digits, 16)) end)
    credentials[prefix] = { hash = hash, state = state, counters = counters, log = log }
  end
  local file = assert(io.open(given.proof, 'rb'))
  settings.proof = file:read('*a')
  file:close()
end

local function credential(key)
  if not key or not ngx.re.find(key, SHAPE, 'jo') then return nil end
  local known = credentials[key:sub(1, 17)]
  if not known then return nil end
  local secret = settings.secret
  ffi.C.HMAC(sha256, secret, #secret, key, #key, mac, mac_length)
  return ffi.C.CRYPTO_memcmp(mac, known.hash, 32) == 0 and known or nil
end

-- One round trip, on a connection that is kept.
local function admit(known)
  local connection = redis:new()
  connection:set_timeout(TIMEOUT)
  local connected = connection:connect('127.0.0.1', settings.redis)
  if not connected then return nil end
  local answer = connection:evalsha(settings.script, 3, known.state, known.counters, known.log, '0')
  if not answer then
    connection:close()
    return nil
  end
  connection:set_keepalive(IDLE, settings.connections)
  return answer[1]
end

local function is_complete(body)
  local query = body and cjson.decode(body)
  if type(query) ~= 'table' or type(query.monto) ~= 'number' then return false end
  for _, name in ipairs(TEXTS) do
    if type(query[name]) ~= 'string' then return false end
  end
  return true
end

local function put_standing(header, answer)
  local limit, remaining, leaves = answer[4], answer[5], answer[6]
  local policy = string.format('"minute";q=%d;w=60', limit)
  local left = string.format('"minute";r=%d;t=%d', remaining, math.ceil(leaves / 1000))
  header['ratelimit-policy'], header['ratelimit'] = policy, left
end

function gate.answer()
  local known = credential(ngx.var.http_x_api_key)
  if not known then return ngx.exit(401) end
  local answer = admit(known)
  if not answer then return ngx.exit(503) end
  if answer[1] == RATE_LIMITED then return ngx.exit(429) end
  if answer[1] == QUOTA_EXCEEDED then return ngx.exit(402) end
  if answer[1] ~= ADMITTED then return ngx.exit(401) end

  ngx.req.read_body()
  if not is_complete(ngx.req.get_body_data()) then return ngx.exit(400) end
  ngx.var.key = known.state
  local header = ngx.header
  put_standing(header, answer)
  header['x-request-id'] = ngx.var.request_id
  header['content-length'] = #settings.proof
  ngx.print(settings.proof)
end

return gate
