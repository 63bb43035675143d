// The certified oidc-provider on a free port of 127.0.0.1. The configuration comes as JSON in the
// first argument: client, redirect addresses, audience. On standard output: `ready <issuer>`, then
// `rotated` for each line `rotate` on standard input. It ends when standard input does, so that it
// never outlives whoever started it.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Provider } from 'oidc-provider';

const settings = JSON.parse(process.argv[2]);

const signingKey = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' };
};

// What the provider remembers outlives a rotation, for which it is built anew.
const memory = new Map();
class Memory {
  constructor(kind) { this.kind = kind; }
  key(id) { return `${this.kind}:${id}`; }
  async upsert(id, payload) { memory.set(this.key(id), payload); }
  async find(id) { return memory.get(this.key(id)); }
  async findByUid(uid) {
    return [...memory.values()].find((payload) => payload.uid === uid && payload.kind === this.kind);
  }
  async consume(id) { memory.get(this.key(id)).consumed = Math.floor(Date.now() / 1000); }
  async destroy(id) { memory.delete(this.key(id)); }
  async revokeByGrantId(grantId) {
    for (const [key, payload] of memory) if (payload.grantId === grantId) memory.delete(key);
  }
}

const configuration = (keys) => ({
  adapter: Memory,
  jwks: { keys },
  cookies: { keys: ['a secret of a provider that lives for one test'] },
  clients: [{
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
    redirect_uris: [settings.redirectUri],
    post_logout_redirect_uris: [settings.postLogoutRedirectUri],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic',
  }],
  pkce: { required: () => true },
  claims: { openid: ['sub'], profile: ['name'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: `The ${id}` }) }),
  extraTokenClaims: (_, token) => ({
    name: `The ${token.accountId}`,
    roles: token.accountId === 'admin' ? ['cep-admin'] : [],
  }),
  features: {
    devInteractions: { enabled: true },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: '',
        audience: settings.audience,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let keys = [signingKey()];
  let answer;
  const begin = () => { answer = new Provider(issuer, configuration(keys)).callback(); };
  begin();
  server.on('request', (request, response) => answer(request, response));
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      if (line !== 'rotate') return;
      keys = [signingKey(), ...keys];
      begin();
      console.log('rotated');
    })
    .on('close', () => process.exit(0));
  console.log(`ready ${issuer}`);
});
