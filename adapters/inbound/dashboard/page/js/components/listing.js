// A connection on the screen: loading, failure, nothing, rows, and "load more".

import { html, useEffect, useRef } from '../lib.js';
import { t, tn } from '../i18n.js';
import { Button } from './button.js';
import { Failed, Skeleton } from './feedback.js';
import { Icon } from './icon.js';
import { Table } from './table.js';

// Reads a list anew, from its beginning.
export const Refresh = ({ of: list }) => html`
  <button type="button" class="quiet icon-only" aria-label=${t('action.refresh')} onClick=${list.reload} data-testid="refresh"><${Icon} name="refresh" /></button>`;

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

  const failure = list.error && html`<${Failed} error=${list.error} retry=${list.reload} stale=${Boolean(list.nodes)} />`;
  if (!list.nodes) return failure ?? html`<${Skeleton} lines=${5} />`;
  if (!shown) return failure ?? empty;
  const more = () => {
    before.current = shown;
    list.loadMore();
  };
  return html`
    ${failure}
    <div ref=${wrap} aria-busy=${list.loading ? 'true' : undefined}>
      <${Table} rows=${list.nodes} ...${table} />
      <footer class="list-foot">
        <span class="muted small" role="status">
          ${list.totalCount === undefined ? tn('list.shown', shown) : t('list.shown_of', { shown, total: list.totalCount })}
        </span>
        ${list.hasMore && html`
          <${Button} onClick=${more} blocked=${list.loadingMore} data-testid="load-more">
            ${list.loadingMore ? t('state.loading') : t('list.more')}
          </${Button}>`}
      </footer>
      ${list.moreError && html`<${Failed} error=${list.moreError} retry=${more} />`}
    </div>`;
}
