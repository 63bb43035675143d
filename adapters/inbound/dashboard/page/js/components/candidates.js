// The transfers that have the reference number of a lookup, of which one is chosen and looked up.

import { html, useState } from '../lib.js';
import { BATCH_KEYS } from '../batch-queries.js';
import { wallTime } from '../format.js';
import { t } from '../i18n.js';
import { newRepeatKey, repeatKeyOf } from '../repeat-key.js';
import { go, Link } from '../router.js';
import { lookUp } from '../sent-files.js';
import { useAllNodes } from '../use-query.js';
import { Button } from './button.js';
import { ChargedKey, useChargedKey } from './charged-key.js';
import { Badge } from './facts.js';
import { Notice } from './feedback.js';
import { ForeignText } from './foreign-text.js';
import { Refusal } from './refusal.js';
import { Table } from './table.js';

const TONES = { VALID: 'ok', INVALID: 'bad', NOT_CHECKED: 'warn' };

const Text = ({ text }) => (text ? html`<${ForeignText} text=${text} />` : html`<span class="muted">—</span>`);

// The request for one of them.
const questionFor = ({ question, metadata }, key) => ({
  fecha: question.fecha, clave_rastreo: key, cuenta: question.cuenta, monto: question.monto,
  emisor: question.emisor, receptor: question.receptor,
  metadata: Object.fromEntries(metadata.map(({ name, value }) => [name, value])),
});

// The key that a choice is charged to: that of the lookup while it is active, otherwise one of the others that ask the same
// bank. `others` is undefined until they are known, and null where they aren't needed.
function useKeyOfChoice({ keyId, env }) {
  const { nodes } = useAllNodes(BATCH_KEYS, { first: 100 }, (data) => data.keys);
  const isActive = nodes?.some(({ id }) => id === keyId);
  const others = isActive ? null : nodes?.filter((key) => key.env === env);
  const charged = useChargedKey(others ?? []);
  return { id: charged.key?.id ?? keyId, charged, others };
}

const KeyOfChoice = ({ of: { charged, others } }) => others && html`
  <${Notice} tone="warn" testid="candidates-key">
    ${charged.key ? html`<p>${t('candidates.charged', { name: charged.key.name })}</p>`
      : html`<p>${t('candidates.no_key')} <${Link} to="/keys">${t('nav.keys')}</${Link}></p>`}
  </${Notice}>
  <${ChargedKey} keys=${others} of=${charged} label=${t('verify.key')} testid="candidates-charged" />`;

// The lookup of an earlier choice that the bank didn't answer, or that was erased.
const isToBeMadeAnew = ({ repeated, lookup }) => repeated && (!lookup || ['failed', 'canceled'].includes(lookup.state));

export function Candidates({ of: lookup }) {
  const [pending, setPending] = useState(null);
  const [refused, setRefused] = useState(null);
  const keyOfChoice = useKeyOfChoice(lookup);
  const [anew] = useState(newRepeatKey);
  const choose = async (key) => {
    setPending(key);
    setRefused(null);
    try {
      const send = (...names) => lookUp(keyOfChoice.id, questionFor(lookup, key), repeatKeyOf(lookup.id, key, ...names));
      // The same choice has the same lookup for a day, and is counted once.
      const first = await send();
      const result = isToBeMadeAnew(first) ? await send(anew) : first;
      if (result.lookup) go(`/lookups/${result.lookup.id}`);
      else setRefused(result);
    } catch {
      setRefused({ status: null, error: { message: t('error.network') } });
    } finally {
      setPending(null);
    }
  };
  const columns = [
    { key: 'key', label: t('candidates.key'), cell: ({ claveRastreo }) => html`<code class="break">${claveRastreo}</code>` },
    { key: 'credited', label: t('candidates.credited'), cell: ({ fecha, hora }) => wallTime(fecha, hora) },
    { key: 'payer', label: t('candidates.payer'), cell: ({ ordenante }) => html`<${Text} text=${ordenante} />` },
    { key: 'concept', label: t('candidates.concept'), cell: ({ concepto }) => html`<${Text} text=${concepto} />` },
    {
      key: 'seal', label: t('candidates.seal'),
      cell: ({ seal }) => html`<${Badge} tone=${TONES[seal]}>${t(`seal.${seal.toLowerCase()}`)}</${Badge}>`,
    },
    {
      key: 'choose', label: t('candidates.choice'),
      cell: ({ claveRastreo: key }) => html`
        <${Button} blocked=${pending !== null} onClick=${() => choose(key)} aria-label=${t('candidates.choose_of', { key })} data-testid="choose-candidate">
          ${pending === key ? t('state.working') : t('candidates.choose')}</${Button}>`,
    },
  ];
  return html`
    <section class="panel candidates" aria-labelledby="candidates-title" data-testid="candidates">
      <h2 id="candidates-title">${t('candidates.title')}</h2>
      <p class="muted">${t('candidates.more')}</p>
      <${KeyOfChoice} of=${keyOfChoice} />
      <div role="status">${refused && html`<${Refusal} result=${refused} />`}</div>
      <${Table} label=${t('candidates.title')} columns=${columns} rows=${lookup.candidates.map((each) => ({ id: each.claveRastreo, ...each }))} />
    </section>`;
}
