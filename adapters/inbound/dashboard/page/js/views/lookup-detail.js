// One stored lookup: its attempts, its proof with the files, and what can be done to it.

import { html } from '../lib.js';
import { money, wallTime } from '../format.js';
import { t, tn } from '../i18n.js';
import { useKeyNames } from '../key-names.js';
import { open } from '../memory.js';
import { OWN, PARTICIPANTS } from '../queries.js';
import { Link } from '../router.js';
import { useLookup } from '../use-lookup.js';
import { useQuery } from '../use-query.js';
import { StateButton } from '../components/button.js';
import { Candidates } from '../components/candidates.js';
import { DeliveredProof } from '../components/delivered-proof.js';
import { Badge, EnvironmentBadge, KeyLink, OutcomeBadge, Time } from '../components/facts.js';
import { Empty, Failed, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { isOpen, LookupState, NextAttempt, Reason } from '../components/lookup-facts.js';
import { NextStep } from '../components/next-step.js';
import { CancelLookup, EraseLookup } from '../dialogs/lookup-dialogs.js';
import { Page } from './page.js';

export function LookupDetail({ id }) {
  const { data, found, error, reload } = useLookup(id);
  const back = html`<${Link} class="back" to="/lookups"><${Icon} name="back" />${t('nav.lookups')}</${Link}>`;
  if (error && !data) return html`${back}<${Page} title=${t('lookup.title')}><${Failed} error=${error} retry=${reload} /></${Page}>`;
  if (!data) return html`${back}<div class="panel"><${Skeleton} lines=${6} /></div>`;
  if (!found) {
    return html`${back}<${Page} title=${t('lookup.none')}><div class="panel"><${Empty} title=${t('lookup.none')} icon="lookups"><p class="muted">${t('lookup.none_more')}</p></${Empty}></div></${Page}>`;
  }
  const { attempts, delivery } = found;
  const seal = delivery?.seal.verdict ?? found.seal;
  return html`
    ${back}
    <${Page} title=${t('lookup.title')}
      lead=${html`<span class="badges"><span role="status"><${LookupState} of=${{ ...found, seal }} /></span><${EnvironmentBadge} environment=${found.env} /></span> <code class="id">${found.id}</code>`}
      actions=${html`<${Actions} subject=${found} />`}>
      ${error && html`<${Failed} error=${error} retry=${reload} stale />`}
      <${NextStep} of=${found} tone=${toneOf(found, delivery)} />
      ${found.candidates.length > 0 && html`<${Candidates} of=${found} />`}
      ${delivery && html`<${Delivery} of=${delivery} />`}
      <div class="fact-cards">
        <${Progress} of=${found} />
        <${Question} of=${found} />
        <${Attempts} of=${attempts} next=${found.nextAttemptAt} seal=${seal} />
      </div>
    </${Page}>`;
}

function toneOf(lookup, delivery) {
  if (delivery?.seal.verdict === 'INVALID') return 'bad';
  return isOpen(lookup) ? 'info' : 'warn';
}

function Actions({ subject }) {
  const show = (dialog) => () => open(() => html`<${dialog} subject=${subject} />`);
  return isOpen(subject)
    ? html`<${StateButton} key="cancel" class="danger-quiet" onClick=${show(CancelLookup)} data-testid="cancel-lookup"><${Icon} name="forbid" />${t('cancel.action')}</${StateButton}>`
    : html`<${StateButton} key="erase" class="danger-quiet" onClick=${show(EraseLookup)} data-testid="erase-lookup"><${Icon} name="close" />${t('erase.action')}</${StateButton}>`;
}

function Delivery({ of: delivery }) {
  return html`
    <section class="panel lookup-proof" aria-labelledby="proof-title" data-testid="lookup-proof">
      <h2 id="proof-title">${t('lookup.proof')}</h2>
      <${DeliveredProof} of=${delivery} />
    </section>`;
}

// Times of SPEI are Mexico City's.
const inMexico = (at) => wallTime(...at.split('T'));

const BankPayment = ({ of: { text, receivedAt, processedAt } }) => html`
  <span class="stacked"><span>${text}</span>
  ${receivedAt && html`<small>${t('lookup.payment.received', { at: inMexico(receivedAt) })}</small>`}
  ${processedAt && html`<small>${t('lookup.payment.processed', { at: inMexico(processedAt) })}</small>`}</span>`;

function Progress({ of: lookup }) {
  const keyOf = useKeyNames(OWN, [lookup.keyId]);
  return html`
    <section class="panel" aria-labelledby="progress-title">
      <h2 id="progress-title">${t('lookup.progress')}</h2>
      <dl class="pairs">
        <div><dt>${t('lookup.reason')}</dt><dd><${Reason} of=${lookup} /></dd></div>
        ${lookup.payment && html`<div><dt>${t('lookup.payment')}</dt><dd><${BankPayment} of=${lookup.payment} /></dd></div>`}
        <div><dt>${t('request.key')}</dt><dd><${KeyLink} to=${`/keys/${lookup.keyId}`} subject=${keyOf(lookup.keyId)} /></dd></div>
        <div><dt>${t('lookup.created')}</dt><dd><${Time} at=${lookup.createdAt} /></dd></div>
        <div><dt>${t('lookup.updated')}</dt><dd><${Time} at=${lookup.updatedAt} /></dd></div>
        ${isOpen(lookup)
          ? html`<div><dt>${t('lookup.retry_until')}</dt><dd><${Time} at=${lookup.retryUntil} /></dd></div>`
          : html`<div><dt>${t('lookup.erase_at')}</dt><dd><${Time} at=${lookup.eraseAt} /></dd></div>`}
      </dl>
    </section>`;
}

// A bank that was given, by its name where that is known.
const Given = ({ code, names }) => (names?.[code]
  ? html`<span>${names[code]} <span class="muted small">${code}</span></span>` : html`<span>${code ?? '—'}</span>`);

const Bank = ({ inferred, given, names }) => (inferred ? html`
  <span class="stacked">
    <span>${inferred.participant.name} <span class="muted small">${inferred.participant.code}</span></span>
    <small>${t(`lookup.source.${inferred.source}`)}</small>
    ${inferred.confidence === 'MEDIUM' && html`<${Badge} tone="warn">${t('lookup.probable')}</${Badge}>`}
  </span>` : html`<${Given} code=${given} names=${names} />`);

function Question({ of: lookup }) {
  const { data } = useQuery(PARTICIPANTS);
  const names = data && Object.fromEntries(data.participants.map(({ code, name }) => [code, name]));
  const { question, inferred } = lookup;
  return html`
    <section class="panel" aria-labelledby="question-title">
      <h2 id="question-title">${t('lookup.question')}</h2>
      <dl class="pairs" data-testid="lookup-question">
        <div><dt>${t('columns.fecha')}</dt><dd>${question.fecha}</dd></div>
        ${question.claveRastreo
          ? html`<div><dt>${t('columns.clave_rastreo')}</dt><dd class="break"><code>${question.claveRastreo}</code></dd></div>`
          : html`<div><dt>${t('columns.numero_referencia')}</dt><dd><code>${question.numeroReferencia}</code></dd></div>`}
        <div><dt>${t('columns.cuenta')}</dt><dd class="break"><code>${question.cuenta}</code></dd></div>
        ${question.otrasCuentas.length > 0 && html`
          <div><dt>${t('lookup.other_accounts')}</dt><dd class="break">${question.otrasCuentas.map((other) => html`<code key=${other}>${other}</code> `)}</dd></div>`}
        <div><dt>${t('columns.monto')}</dt><dd>${money(question.monto)}</dd></div>
        <div><dt>${t('lookup.issuer')}</dt><dd><${Bank} inferred=${inferred?.emisor} given=${question.emisor} names=${names} /></dd></div>
        <div><dt>${t('lookup.receiver')}</dt><dd><${Bank} inferred=${inferred?.receptor} given=${question.receptor} names=${names} /></dd></div>
      </dl>
      <h3>${t('lookup.metadata')}</h3>
      ${lookup.metadata.length > 0 ? html`
        <dl class="pairs long" data-testid="lookup-metadata">
          ${lookup.metadata.map(({ name, value }) => html`<div key=${name}><dt class="break">${name}</dt><dd class="break">${value}</dd></div>`)}
        </dl>` : html`<p class="muted small">${t('lookup.no_metadata')}</p>`}
    </section>`;
}

// So many are seen at once; a lookup of three days has some eighty.
const RECENT = 6;

const Attempt = ({ at, outcome, seal }) => html`<li><${OutcomeBadge} outcome=${outcome} seal=${outcome === 'DELIVERED' ? seal : null} /><${Time} at=${at} /></li>`;

function Attempts({ of: attempts, next, seal }) {
  const newestFirst = [...attempts].reverse();
  const earlier = newestFirst.slice(RECENT);
  return html`
    <section class="panel" aria-labelledby="attempts-title">
      <h2 id="attempts-title">${t('lookup.attempts')}</h2>
      ${next && html`<p class="row attempt-next"><span>${t('lookup.next')}</span><${NextAttempt} at=${next} /></p>`}
      ${attempts.length === 0 && html`<p class="muted small">${t('lookup.no_attempts')}</p>`}
      <ol class="attempts" reversed data-testid="attempts">
        ${newestFirst.slice(0, RECENT).map((attempt) => html`<${Attempt} key=${attempt.at} seal=${seal} ...${attempt} />`)}
      </ol>
      ${earlier.length > 0 && html`
        <details class="more small">
          <summary>${tn('lookup.earlier', earlier.length)}</summary>
          <ol class="attempts" reversed>${earlier.map((attempt) => html`<${Attempt} key=${attempt.at} seal=${seal} ...${attempt} />`)}</ol>
        </details>`}
    </section>`;
}
