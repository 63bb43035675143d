// A file that was checked or read, is being checked, or wasn't sent.

import { html } from '../lib.js';
import { maySucceedLater, proofsIn } from '../file-checks.js';
import { dateTime, size } from '../format.js';
import { t, tn } from '../i18n.js';
import { CheckList } from './check-list.js';
import { Badge } from './facts.js';
import { Notice } from './feedback.js';
import { ForeignText } from './foreign-text.js';
import { Icon } from './icon.js';
import { Payment, ProofFacts, ProofNotices, SeenBefore } from './proof-facts.js';
import { ReceiptReport } from './receipt-report.js';
import { Refusal, RequestIdLine } from './refusal.js';
import { SealVerdict, toneOf, VerdictBadge } from './seal-verdict.js';

const STATE_TONES = { waiting: 'neutral', checking: 'test', refused: 'bad', failed: 'bad' };

// The sandbox bank's key is published: anybody can make its seals.
const isOfSandbox = ({ avisos }) => avisos.some(({ codigo }) => codigo === 'sello_del_banco_de_pruebas');

export const shownResult = (proof) => (proof.resultado === 'valid' && isOfSandbox(proof) ? 'sandbox' : proof.resultado);

// A page that wasn't compared may show anything, whatever its seal says. Data that can be read in more than one way
// aren't called sealed.
function headlineOf({ resultado, pagina, sello, comprobaciones }) {
  if (resultado !== 'not_checked') return resultado;
  if (comprobaciones.some(({ motivo }) => motivo === 'lugares_inciertos')) return 'uncertain';
  return pagina === 'no_comparada' && sello.estado === 'valid' ? 'page_not_compared' : resultado;
}

const Verdict = ({ of: proof }) => html`
  <${VerdictBadge} verdict=${proof.resultado} text=${t(`verify.result.${shownResult(proof)}`)} testid="file-result" />`;

// What isn't a proof, and says what it is.
const isInvoice = (result) => result?.error?.details?.file?.problem === 'es_factura';

// The proofs of a ZIP have verdicts of their own.
const State = ({ of: { state, result } }) => {
  if (isInvoice(result)) return html`<${Badge} tone="test">${t('receipt.kind.invoice')}</${Badge}>`;
  if (state !== 'done') return html`<${Badge} tone=${STATE_TONES[state]}>${t(`verify.state.${state}`)}</${Badge}>`;
  if (result.receipt) return html`<${Badge} tone="test">${t(`receipt.kind.${result.receipt.tipo}`)}</${Badge}>`;
  return !result.proof.comprobantes && html`<${Verdict} of=${result.proof} />`;
};

export const titleId = (id) => `file-${id}`;

export function FileCard({ entry, onRetry, onCompare, onLookUp, onRemove }) {
  const { id, file, state, refusal, result } = entry;
  return html`
    <li class="panel file-card" data-testid="file" data-state=${state} aria-busy=${state === 'checking' ? 'true' : undefined}>
      <header class="file-head">
        <div class="file-name">
          <h2 id=${titleId(id)} tabindex="-1"><${ForeignText} text=${file.name} /></h2>
          <span class="muted small">${size(file.size)}</span>
        </div>
        <div class="row file-state">
          <${State} of=${entry} />
          ${state === 'failed' && maySucceedLater(result) && html`
            <button type="button" class="small" aria-label=${t('verify.retry', { name: file.name })} onClick=${onRetry} data-testid="file-retry">
              <${Icon} name="refresh" />${t('action.retry')}
            </button>`}
        </div>
        <button type="button" class="quiet icon-only" aria-label=${t('verify.remove', { name: file.name })} onClick=${onRemove} data-testid="file-remove">
          <${Icon} name="close" />
        </button>
      </header>
      ${state === 'refused' && html`<${Notice} tone="bad"><p>${t(`verify.refused.${refusal}`)}</p></${Notice}>`}
      ${isInvoice(result) ? html`<${Notice} tone="warn" testid="receipt-kind"><p>${t('receipt.more.invoice')}</p></${Notice}>` : state === 'failed' && (result ? html`<${Refusal} result=${result} />` : html`<${Notice} tone="bad"><p>${t('error.network')}</p></${Notice}>`)}
      ${state === 'done' && result.proof && html`<${Answer} of=${result.proof} name=${file.name} onCompare=${onCompare} />`}
      ${state === 'done' && result.receipt && html`<${ReceiptReport} receipt=${result.receipt} file=${file} onLookUp=${onLookUp} />`}
      ${state === 'failed' && result?.requestId && html`<${RequestIdLine} id=${result.requestId} />`}
    </li>`;
}

const shortly = ({ ordenante, beneficiario }) => [ordenante, beneficiario].map(({ nombre }) => nombre ?? t('proof.not_given'));

// Comparisons of what a file says with what is sealed.
const COMPARISONS = ['atributos_y_cadena', 'texto_y_cadena'];

// A ZIP of any other name may be opened by another program as something else.
const NAMES_OF_ZIPS = /\.zip$/i;

// The report of a file, or one for each proof of a ZIP and the files of it that are none.
function Answer({ of: answer, name, onCompare }) {
  if (!answer.comprobantes) return html`<${Report} report=${answer} onCompare=${onCompare} />`;
  return html`
    ${!NAMES_OF_ZIPS.test(name) && html`<${Notice} tone="warn" testid="zip-named-as-proof"><p class="break">${t('verify.zip_named_as_proof', { name })}</p></${Notice}>`}
    ${proofsIn(answer).map((report, place) => html`
      <section key=${place} class="panel file-card" data-testid="zipped-proof" data-result=${report.resultado}>
        <header class="file-head">
          <h3 class="file-name break"><${ForeignText} text=${report.nombre} /></h3>
          <div class="row file-state"><${Verdict} of=${report} /></div>
        </header>
        <${Report} report=${report} onCompare=${onCompare} />
      </section>`)}
    ${answer.omitidos.length > 0 && html`
      <div data-testid="zip-omitted">
        <h3>${t('verify.omitted')}</h3>
        <ul class="hints">${answer.omitidos.map((omitted, place) => html`<${Omitted} key=${place} of=${omitted} />`)}</ul>
      </div>`}`;
}

// One that should be a proof, and can't be read as such, is a result like the others.
const Omitted = ({ of: { nombre, mensaje, resultado } }) => html`
  <li>${resultado && html`<${Verdict} of=${{ resultado }} /> `}<strong class="break"><${ForeignText} text=${nombre} /></strong>: ${mensaje}</li>`;

// All of a file that is well is folded away; what failed is seen at once.
function Report({ report, onCompare }) {
  const { resultado, comprobaciones: checks, cep, visto: seen } = report;
  const failed = checks.filter((check) => check.resultado === 'failed');
  const contradicted = failed.flatMap(({ campos }) => campos);
  const altered = failed.some(({ nombre }) => COMPARISONS.includes(nombre));
  const [payer, beneficiary] = shortly(cep);
  return html`
    <${Notice} tone=${toneOf(resultado)}><p>${t(`verify.more.${headlineOf(report)}`)}</p></${Notice}>
    ${report.banxico && html`<p data-testid="file-opinion" data-verdict=${report.banxico.estado}>${report.banxico.explicacion}</p>`}
    <${ProofNotices} of=${report.avisos}>
      <p><button type="button" class="small" onClick=${onCompare} data-testid="file-compare"><${Icon} name="lookups" />${t('verify.compare')}</button></p>
    </${ProofNotices}>
    ${seen?.veces > 0 && html`<${SeenBefore} told=${tn('verify.seen', seen.veces, { at: dateTime(seen.primera_vez) })} />`}
    <${Payment} proof=${report} contradicted=${contradicted} />
    <p class="break"><${ForeignText} text=${payer} /> <span aria-hidden="true">→</span><span class="visually-hidden">${t('request.to')}</span> <${ForeignText} text=${beneficiary} />
      <span class="muted"> · </span><span class="mono"><${ForeignText} text=${cep.clave_rastreo} /></span> <span class="muted small">${t('proof.unsealed')}</span></p>
    <details class="more" open=${resultado !== 'valid'} data-testid="file-details">
      <summary>${t('verify.details')}</summary>
      <${CheckList} checks=${checks} />
      <${ProofFacts} proof=${report} contradicted=${contradicted} />
      <${SealVerdict} seal=${report.sello} covered=${report.campos_sellados} altered=${altered} />
    </details>`;
}
