// English: the texts of all topics.

import admin from './en/admin.js';
import frame from './en/frame.js';
import keys from './en/keys.js';
import lookups from './en/lookups.js';
import proof from './en/proof.js';
import requests from './en/requests.js';
import seal from './en/seal.js';
import attempt from './en/try.js';
import usage from './en/usage.js';
import verify from './en/verify.js';

export default {
  ...admin,
  ...frame,
  ...keys,
  ...lookups,
  ...proof,
  ...requests,
  ...seal,
  ...attempt,
  ...usage,
  ...verify,
};
