// A stored lookup, followed until it ends. With what was read on a receipt its proof is compared with that.

import { useLive } from './live.js';
import { usePolling } from './polling.js';
import { COMPARED_LOOKUP, LOOKUP, LOOKUP_CHANGED } from './queries.js';
import { useQuery } from './use-query.js';
import { isOpen } from './components/lookup-facts.js';

export function useLookup(id, receipt) {
  const [query, variables] = receipt ? [COMPARED_LOOKUP, { id, receipt }] : [LOOKUP, { id }];
  const { data, error, reload } = useQuery(query, variables, { live: true, localised: true });
  const found = data?.lookup;
  const active = Boolean(found && isOpen(found));
  const live = useLive(LOOKUP_CHANGED, { id }, active, ({ lookupChanged: now }) => {
    // The first answer is the present state, which is usually the one that is shown.
    if (now.state !== found?.state || now.attemptCount !== found?.attemptCount) reload();
  });
  usePolling(reload, active && !live);
  return { data, found, error, reload };
}
