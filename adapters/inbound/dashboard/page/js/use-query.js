// Questions of a view to the server, with loading, failure, retry and pages.

import { graphql } from './api.js';
import { language } from './i18n.js';
import { useCallback, useEffect, useRef, useState } from './lib.js';
import { signal, useSignal } from './signal.js';

// After a change: whatever is shown is asked for again.
export const edition = signal(0);
export const refresh = () => edition.set(edition.get() + 1);

// A person who comes back from a terminal wants to see what was just done there; one who stays, now and then.
const GLANCE_MS = 60_000;
const glance = signal(0);
const look = () => document.visibilityState === 'visible' && glance.set(glance.get() + 1);
addEventListener('focus', look);
setInterval(look, GLANCE_MS);

// Calls `update` at each such look at the page.
function useGlance(update) {
  const latest = useRef(update);
  latest.current = update;
  useEffect(() => glance.follow(() => latest.current()), []);
}

const begun = (old, key) => {
  const data = old.key === key ? old.data : undefined;
  return { key, data, previous: old.data ?? old.previous, error: data && old.error, loading: true };
};

// A repeated failure stays the same one, so that a screen reader hears it once.
const failed = (old, key, error) => {
  const data = old.key === key ? old.data : undefined;
  return { key, data, error: data && old.error?.code === error.code ? old.error : error, loading: false };
};

// An answer stays while it is asked for again with the same variables, and beside the error when that fails.
// A `live` one is asked for again by itself, one with texts in the reader's language (`localised`) when that
// changes.
export function useQuery(query, variables = {}, { live = false, localised = false } = {}) {
  const key = query + JSON.stringify(variables);
  const [state, setState] = useState({ loading: true });
  const [round, setRound] = useState(0);
  const changes = useSignal(edition);
  const shownIn = useSignal(language);
  useEffect(() => {
    const controller = new AbortController();
    setState((old) => begun(old, key));
    graphql(query, variables, { signal: controller.signal }).then(
      (data) => controller.signal.aborted || setState({ key, data, loading: false }),
      (error) => controller.signal.aborted || setState((old) => failed(old, key, error)),
    );
    return () => controller.abort();
  }, [key, round, changes, localised && shownIn]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  useGlance(() => live && reload());
  const current = state.key === key ? state : { loading: true, previous: state.data };
  return { ...current, reload };
}

// A connection, one page after the other; `pick` finds it in the answer. A list that was paged through isn't
// asked for again by itself: it would lose its pages.
export function useConnection(query, variables, pick, { live = false } = {}) {
  const first = useQuery(query, { ...variables, after: null });
  const [more, setMore] = useState({ of: null, nodes: [] });
  const running = useRef(null);
  useEffect(() => () => running.current?.abort(), []);

  const page = first.data && pick(first.data);
  const added = more.of === first.data ? more : { nodes: [] };
  const last = added.pageInfo ?? page?.pageInfo;
  const isPaged = Boolean(added.nodes.length || added.loading);
  useGlance(() => live && !isPaged && first.reload());

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
    isPaged,
    hasMore: Boolean(last?.hasNextPage),
    loadMore,
    loadingMore: Boolean(added.loading),
    moreError: added.error,
  };
}

// All nodes of a connection, which is read page by page to its end; none until then.
export function useAllNodes(query, variables, pick) {
  const list = useConnection(query, variables, pick);
  const { hasMore, loadingMore, moreError, loadMore } = list;
  const complete = useRef();
  useEffect(() => {
    if (hasMore && !loadingMore && !moreError) loadMore();
  });
  if (list.nodes && !hasMore) complete.current = list.nodes;
  return { nodes: complete.current, error: list.error ?? moreError, reload: list.error ? list.reload : loadMore };
}
