// Spanish: the texts of all topics.

import admin from './es/admin.js';
import batches from './es/batches.js';
import frame from './es/frame.js';
import keys from './es/keys.js';
import lookups from './es/lookups.js';
import newBatch from './es/new_batch.js';
import ownAccounts from './es/own_accounts.js';
import proof from './es/proof.js';
import requests from './es/requests.js';
import seal from './es/seal.js';
import attempt from './es/try.js';
import usage from './es/usage.js';
import verify from './es/verify.js';
import webhooks from './es/webhooks.js';

export default {
  ...admin,
  ...batches,
  ...frame,
  ...keys,
  ...lookups,
  ...newBatch,
  ...ownAccounts,
  ...proof,
  ...requests,
  ...seal,
  ...attempt,
  ...usage,
  ...verify,
  ...webhooks,
};
