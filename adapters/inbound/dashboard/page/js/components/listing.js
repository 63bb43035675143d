// A connection on the screen: loading, failure, nothing, rows, and "load more".

import { html, useEffect, useRef } from '../lib.js';
import { t, tn } from '../i18n.js';
import { Failed, Skeleton } from './feedback.js';
import { Table } from './table.js';

export function Listing({ list, empty, ...table }) {
  const shown = list.nodes?.length ?? 0;
  const before = useRef(0);
  const wrap = useRef(null);
  // After "load more" the focus goes to the first new row, which a reader then hears.
  useEffect(() => {
    if (before.current && shown > before.current) {
      wrap.current?.querySelectorAll('tbody tr')[before.current]?.querySelector('a, button')?.focus();
    }
    before.current = list.loading || list.loadingMore ? before.current : 0;
  }, [shown, list.loading, list.loadingMore]);

  if (list.error) return html`<${Failed} error=${list.error} retry=${list.reload} />`;
  if (!list.nodes) return html`<${Skeleton} lines=${5} />`;
  if (!shown) return empty;
  const more = () => {
    before.current = shown;
    list.loadMore();
  };
  return html`
    <div ref=${wrap} aria-busy=${list.loading ? 'true' : undefined}>
      <${Table} rows=${list.nodes} ...${table} />
      <footer class="list-foot">
        <span class="muted small" role="status">
          ${list.totalCount === undefined ? tn('list.shown', shown) : t('list.shown_of', { shown, total: list.totalCount })}
        </span>
        ${list.hasMore && html`
          <button type="button" onClick=${more} disabled=${list.loadingMore} data-testid="load-more">
            ${list.loadingMore ? t('state.loading') : t('list.more')}
          </button>`}
      </footer>
      ${list.moreError && html`<${Failed} error=${list.moreError} retry=${more} />`}
    </div>`;
}
