// Subscribes with the public client, as lines of JSON on stdin say, and prints what happens as such lines.

import { createInterface } from 'node:readline';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const { URL: url, HEADERS } = process.env;
const headers = JSON.parse(HEADERS);
const tell = (event, facts) => console.log(JSON.stringify({ event, ...facts }));

// The client's connection, with a session; what becomes of it is told.
class Connection extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols, { headers });
    this.on('close', (code, reason) => tell('closed', { code, reason: String(reason) }));
    this.on('unexpected-response', (request, { statusCode }) => {
      tell('refused', { status: statusCode });
      request.destroy();
    });
  }
}

const client = createClient({ url, webSocketImpl: Connection, retryAttempts: 0, lazyCloseTimeout: 60_000 });
const running = new Map();
let socket;

const commands = {
  subscribe({ id, query, variables }) {
    running.set(id, client.subscribe({ query, variables }, {
      next: (answer) => tell('next', { id, ...answer }),
      error: () => tell('failed', { id }),
      complete: () => tell('completed', { id }),
    }));
  },
  end: ({ id }) => running.get(id)(),
  // A connection without the client, for what it would never send.
  open({ protocols }) {
    socket = new Connection(url, protocols);
    socket.on('open', () => tell('opened', { protocol: socket.protocol }));
    socket.on('message', (text) => tell('message', JSON.parse(text)));
    socket.on('error', () => {});
  },
  send: ({ text }) => socket.send(text),
  sendLetters: ({ count }) => socket.send('x'.repeat(count)),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...facts } = JSON.parse(line);
  commands[command](facts);
}
process.exit();
