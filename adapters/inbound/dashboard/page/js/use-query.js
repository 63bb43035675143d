// Questions of a view to the server, with loading, failure, retry and pages.

import { graphql } from './api.js';
import { useCallback, useEffect, useRef, useState } from './lib.js';
import { signal, useSignal } from './signal.js';

// After a change: whatever is shown is asked for again.
export const edition = signal(0);
export const refresh = () => edition.set(edition.get() + 1);

// Whoever comes back from a terminal wants to see what was just done there; whoever stays, now and
// then.
const GLANCE_MS = 60_000;
const glance = signal(0);
const look = () => document.visibilityState === 'visible' && glance.set(glance.get() + 1);
addEventListener('focus', look);
setInterval(look, GLANCE_MS);

// What was there stays visible while it is asked for again with the same variables. What is `live`
// is asked for again by itself; a list that was paged through isn't, it would lose its pages.
export function useQuery(query, variables = {}, { live = false } = {}) {
  const key = query + JSON.stringify(variables);
  const [state, setState] = useState({ loading: true });
  const [round, setRound] = useState(0);
  const changes = useSignal(edition);
  const glances = useSignal(glance);
  useEffect(() => {
    const controller = new AbortController();
    setState((old) => ({ key, data: old.key === key ? old.data : undefined, previous: old.data ?? old.previous, loading: true }));
    graphql(query, variables, { signal: controller.signal }).then(
      (data) => controller.signal.aborted || setState({ key, data, loading: false }),
      (error) => controller.signal.aborted || setState({ key, error, loading: false }),
    );
    return () => controller.abort();
  }, [key, round, changes, live && glances]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  const current = state.key === key ? state : { loading: true, previous: state.data };
  return { ...current, reload };
}

// A connection, one page after the other; `pick` finds it in the answer.
export function useConnection(query, variables, pick) {
  const first = useQuery(query, { ...variables, after: null });
  const [more, setMore] = useState({ of: null, nodes: [] });
  const running = useRef(null);
  useEffect(() => () => running.current?.abort(), []);

  const page = first.data && pick(first.data);
  const added = more.of === first.data ? more : { nodes: [] };
  const last = added.pageInfo ?? page?.pageInfo;

  const loadMore = async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const of = first.data;
    setMore({ ...added, of, loading: true, error: undefined });
    try {
      const data = await graphql(query, { ...variables, after: last.endCursor }, { signal: controller.signal });
      const next = pick(data);
      setMore({ of, nodes: [...added.nodes, ...next.nodes], pageInfo: next.pageInfo });
    } catch (error) {
      if (!controller.signal.aborted) setMore({ ...added, of, loading: false, error });
    }
  };

  return {
    nodes: page && [...page.nodes, ...added.nodes],
    totalCount: page?.totalCount,
    loading: first.loading,
    error: first.error,
    reload: first.reload,
    isPaged: Boolean(added.nodes.length || added.loading),
    hasMore: Boolean(last?.hasNextPage),
    loadMore,
    loadingMore: Boolean(added.loading),
    moreError: added.error,
  };
}
