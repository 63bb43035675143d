// The picture or text that a receipt was read from, as the browser has it; nothing is sent for it.

import { html, useEffect, useState } from '../lib.js';
import { t } from '../i18n.js';
import { ForeignText } from './foreign-text.js';

// What a file holds, as the reader's method gives it; null until then, and for any other kind of file.
function useContent(file, kind, method) {
  const [content, setContent] = useState(null);
  useEffect(() => {
    if (!file.type.startsWith(kind)) return undefined;
    const reader = new FileReader();
    reader.onload = () => setContent(reader.result);
    reader[method](file);
    return () => reader.abort();
  }, [file]);
  return content;
}

const percent = (part) => `${part * 100}%`;

// `place` is that of a field, in fractions of the page.
export function SentPage({ of: file, place }) {
  const picture = useContent(file, 'image/', 'readAsDataURL');
  const text = useContent(file, 'text/', 'readAsText');
  if (text) {
    return html`
      <div class="receipt-page receipt-text" data-testid="receipt-text">
        ${text.split(/\r?\n/).map((line, number) => html`<p key=${number}><${ForeignText} text=${line} /></p>`)}
      </div>`;
  }
  return picture && html`
    <div class="receipt-page">
      <img class="receipt-picture" src=${picture} alt=${t('receipt.picture', { name: file.name })} data-testid="receipt-picture" />
      ${place && html`
        <span class="receipt-place" data-testid="receipt-place"
          style=${{ left: percent(place.x), top: percent(place.y), width: percent(place.ancho), height: percent(place.alto) }}></span>`}
    </div>`;
}
