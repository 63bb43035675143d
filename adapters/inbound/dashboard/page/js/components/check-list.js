// The checks of a file, each with its result and its explanation.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Badge } from './facts.js';
import { Icon } from './icon.js';
import { FieldNames } from './seal-verdict.js';

const LOOKS = {
  ok: { tone: 'ok', icon: 'check' },
  failed: { tone: 'bad', icon: 'warning' },
  not_checked: { tone: 'neutral', icon: 'info' },
};

export const CheckList = ({ checks }) => html`
  <ul class="checks">
    ${checks.map(({ nombre, resultado, campos, explicacion }) => html`
      <li key=${nombre} class=${`check-item ${LOOKS[resultado].tone}`} data-testid="check" data-check=${nombre} data-result=${resultado}>
        <${Icon} name=${LOOKS[resultado].icon} />
        <div>
          <p class="row"><strong>${t(`check.name.${nombre}`)}</strong>
            <${Badge} tone=${LOOKS[resultado].tone}>${t(`check.result.${resultado}`)}</${Badge}></p>
          <p class="small">${explicacion}</p>
          ${campos.length > 0 && html`<div class="small check-fields"><span>${t('check.fields')}</span><${FieldNames} fields=${campos} /></div>`}
        </div>
      </li>`)}
  </ul>`;
