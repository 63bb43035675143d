// Spanish: the texts of all topics.

import admin from './es/admin.js';
import frame from './es/frame.js';
import keys from './es/keys.js';
import lookups from './es/lookups.js';
import proof from './es/proof.js';
import requests from './es/requests.js';
import seal from './es/seal.js';
import attempt from './es/try.js';
import usage from './es/usage.js';
import verify from './es/verify.js';

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
