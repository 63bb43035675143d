// English: the texts of all topics.

import admin from './en/admin.js';
import batches from './en/batches.js';
import frame from './en/frame.js';
import keys from './en/keys.js';
import lookups from './en/lookups.js';
import newBatch from './en/new_batch.js';
import ownAccounts from './en/own_accounts.js';
import proof from './en/proof.js';
import requests from './en/requests.js';
import seal from './en/seal.js';
import attempt from './en/try.js';
import usage from './en/usage.js';
import verify from './en/verify.js';
import webhooks from './en/webhooks.js';

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
