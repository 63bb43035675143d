// Subscriptions, over one WebSocket that is open while something is followed.

import { createClient } from '../vendor/graphql-ws.js';
import { useEffect, useRef, useState } from './lib.js';

// From one view to the next the connection stays.
const IDLE_MS = 3_000;
const MAX_PAUSE_MS = 30_000;
// A connection whose other end is gone says nothing: the server is pinged, and has to answer.
const PING_MS = 15_000;
const PONG_MS = 5_000;

// Doubles with each attempt; at random, so that the pages of a gateway that restarts come back apart.
function pause(attempts) {
  const most = Math.min(1_000 * 2 ** attempts, MAX_PAUSE_MS);
  return new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}

function connect() {
  let overdue;
  const connection = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql/ws`,
    lazyCloseTimeout: IDLE_MS,
    connectionAckWaitTimeout: 10_000,
    retryAttempts: Infinity,
    retryWait: pause,
    // A refused connection is an event without a code, which the library takes for final.
    shouldRetry: () => true,
    keepAlive: PING_MS,
    on: {
      ping: (received) => {
        if (!received) overdue = setTimeout(() => connection.terminate(), PONG_MS);
      },
      pong: (received) => received && clearTimeout(overdue),
      closed: () => clearTimeout(overdue),
    },
  });
  return connection;
}

let client;

function shared() {
  client ??= connect();
  return client;
}

// Follows what a subscription tells while `active`, and passes each answer's data on. Returns true while
// its answers come: a view polls only while it is false.
export function useLive(query, variables, active, onData) {
  const [running, setRunning] = useState(false);
  const receive = useRef(onData);
  receive.current = onData;
  const key = query + JSON.stringify(variables);
  useEffect(() => {
    if (!active) return undefined;
    const connection = shared();
    const stop = () => setRunning(false);
    const forget = connection.on('closed', stop);
    const unsubscribe = connection.subscribe({ query, variables }, {
      next({ data, errors }) {
        setRunning(!errors);
        if (!errors) receive.current(data);
      },
      error: stop,
      complete: stop,
    });
    return () => {
      forget();
      unsubscribe();
      stop();
    };
  }, [key, active]);
  return running;
}
