// A fault of a field, by the name that people know the field by; that of a whole row has none.

import { html } from '../lib.js';
import { COLUMNS } from '../batch-requests.js';
import { t } from '../i18n.js';

const Name = ({ field }) => (COLUMNS.includes(field) ? t(`given.${field}`) : html`<code>${field}</code>`);

export const Fault = ({ field, message }) => html`${field !== 'row' && html`<${Name} field=${field} />: `}${message}`;
