// The way to a new key.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { open } from '../memory.js';
import { CreateKey } from '../dialogs/create-key.js';
import { Icon } from './icon.js';

export const CreateButton = () => html`
  <button type="button" class="primary" onClick=${() => open(() => html`<${CreateKey} />`)} data-testid="create-key">
    <${Icon} name="plus" />${t('keys.create')}
  </button>`;
