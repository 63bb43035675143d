// Fetches a proof from the sandbox with a test key, and shows it.

import { html, useEffect, useRef, useState } from '../lib.js';
import { exampleBody } from '../curl.js';
import { todayInMexico } from '../format.js';
import { t } from '../i18n.js';
import { say } from '../memory.js';
import { fetchFile, fetchProof, testKeyProblem } from '../proofs.js';
import { PARTICIPANTS } from '../queries.js';
import { saveFile } from '../save-file.js';
import { bringIntoSight } from '../sight.js';
import { useQuery, refresh } from '../use-query.js';
import { Notice } from '../components/feedback.js';
import { Field, Select } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { KeyField, useKeyField } from '../components/key-field.js';
import { EarlierDeliveries, Payment, ProofFacts, ProofNotices } from '../components/proof-facts.js';
import { Refusal, RequestIdLine } from '../components/refusal.js';
import { SealVerdict } from '../components/seal-verdict.js';
import { Page } from './page.js';

// Amounts with which the sandbox bank answers otherwise.
const AMOUNTS = [
  '200.01', '404.00', '404.01', '404.02', '404.03', '404.04', '404.05', '404.06', '404.07', '404.08', '404.09', '404.10',
  '429.00', '429.01', '500.00', '502.00', '502.01', '503.00', '504.00', '600.00', '600.01', '700.00', '700.01', '700.02', '700.03',
];

export function Try() {
  const example = exampleBody();
  const field = useKeyField(testKeyProblem);
  const [values, setValues] = useState({
    fecha: example.fecha, clave_rastreo: example.clave_rastreo, cuenta: example.cuenta, monto: String(example.monto),
    emisor: '', receptor: '', nombre_beneficiario: '', rfc_beneficiario: '',
  });
  const [state, setState] = useState({});
  const change = (name) => (event) => setValues((old) => ({ ...old, [name]: event.target.value }));

  const submit = async (event) => {
    event.preventDefault();
    if (state.busy) return;
    const key = field.usable();
    if (!key) return;
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim()));
    setState({ busy: true });
    try {
      setState({ result: await fetchProof(key, body), asked: { key, body } });
      refresh();
    } catch {
      setState({ lost: true });
    }
  };
  const faults = faultsOf(state.result);

  return html`
    <${Page} title=${t('nav.try')} lead=${t('try.lead')}>
      <div class="try">
        <form class="panel" onSubmit=${submit} novalidate aria-label=${t('nav.try')}>
          <${KeyField} of=${field} label=${t('try.key')} help=${t('try.key_help')} placeholder="cep_test_…" testid="try-key" />
          <div class="form-grid">
            <${Text} name="fecha" type="date" max=${todayInMexico()} values=${values} change=${change} faults=${faults} />
            <${Text} name="monto" inputmode="decimal" values=${values} change=${change} faults=${faults} />
            <${Text} name="clave_rastreo" mono values=${values} change=${change} faults=${faults} />
            <${Text} name="cuenta" mono inputmode="numeric" values=${values} change=${change} faults=${faults} />
          </div>
          <${Select} label=${t('try.outcome')} value=${AMOUNTS.includes(values.monto) ? values.monto : ''}
            onChange=${(monto) => setValues((old) => ({ ...old, monto: monto || String(example.monto) }))}
            options=${[['', t('try.outcome.found')], ...AMOUNTS.map((amount) => [amount, `${amount} — ${t(`try.outcome.${amount}`)}`])]} />
          <details class="more">
            <summary>${t('try.banks')}</summary>
            <p class="help">${t('try.banks_help')}</p>
            <${Banks} values=${values} setValues=${setValues} />
          </details>
          <details class="more" data-testid="try-expected">
            <summary>${t('try.expected')}</summary>
            <p class="help">${t('try.expected_help')}</p>
            <div class="form-grid">
              <${Text} name="nombre_beneficiario" values=${values} change=${change} faults=${faults} />
              <${Text} name="rfc_beneficiario" mono values=${values} change=${change} faults=${faults} />
            </div>
          </details>
          <button type="submit" class="primary" disabled=${state.busy} data-testid="try-submit">
            <${Icon} name="try" />${state.busy ? t('try.busy') : t('try.submit')}
          </button>
        </form>
        <${Result} state=${state} />
      </div>
    </${Page}>`;
}

const faultsOf = (result) =>
  Object.fromEntries((result?.error?.details?.fields ?? []).map(({ field, message }) => [field, message]));

const Text = ({ name, values, change, faults, mono, ...rest }) => html`
  <${Field} label=${t(`field.${name}`)} error=${faults[name]}>
    ${(control) => html`
      <input type="text" autocomplete="off" spellcheck=${false} class=${mono ? 'mono' : ''} ...${rest} ...${control} name=${name}
        value=${values[name]} onInput=${change(name)} />`}
  </${Field}>`;

function Banks({ values, setValues }) {
  const { data } = useQuery(PARTICIPANTS);
  const options = [
    ['', t('try.inferred')],
    ...(data?.participants ?? []).filter(({ active }) => active).map(({ code, name }) => [code, `${name} (${code})`]),
  ];
  return html`
    <div class="form-grid">
      ${['emisor', 'receptor'].map((side) => html`
        <${Select} key=${side} label=${t(`field.${side}`)} value=${values[side]} options=${options}
          onChange=${(value) => setValues((old) => ({ ...old, [side]: value }))} />`)}
    </div>`;
}

function Result({ state: { busy, lost, result, asked } }) {
  const box = useRef(null);
  useEffect(() => {
    if (result) bringIntoSight(box.current);
  }, [result]);
  return html`
    <section class="panel try-result" aria-live="polite" aria-busy=${busy ? 'true' : undefined} aria-labelledby="try-result-title"
      ref=${box} data-testid="try-result" data-status=${result?.status}>
      <h2 id="try-result-title">${t('try.result')}</h2>
      ${busy ? html`<p class="muted">${t('try.busy_more')}</p>`
        : lost ? html`<${Notice} tone="bad"><p>${t('error.network')}</p></${Notice}>`
          : !result ? html`<p class="muted">${t('try.nothing')}</p>`
            : result.proof ? html`<${Proof} key=${result.requestId} result=${result} asked=${asked} />` : html`<${Refusal} result=${result} />`}
      ${result?.requestId && html`<${RequestIdLine} id=${result.requestId} />`}
    </section>`;
}

function Proof({ result: { proof, inferred: { issuer, receiver } }, asked }) {
  const distrusted = proof.sello.estado === 'invalid';
  return html`
    <${Notice} tone=${distrusted ? 'bad' : 'ok'}><p><strong>${t(distrusted ? 'proof.distrust' : 'try.delivered')}</strong> ${t('try.delivered_more')}</p></${Notice}>
    <${EarlierDeliveries} seen=${proof.visto} />
    <${Payment} proof=${proof} />
    <${ProofNotices} of=${proof.avisos} />
    <${SealVerdict} seal=${proof.sello} covered=${proof.campos_sellados} />
    <${ProofFacts} proof=${proof} />
    ${(issuer || receiver) && html`<p class="small">${t('try.inferred_as', { issuer: issuer ?? '—', receiver: receiver ?? '—' })}</p>`}
    <${Downloads} asked=${asked} />`;
}

const FORMATS = ['xml', 'pdf'];

// The bank's own files. Each is a request of its own, so none is made before it is wanted.
function Downloads({ asked: { key, body } }) {
  const [state, setState] = useState({});
  const save = async (format) => {
    if (state.busy) return;
    setState({ busy: format });
    try {
      const result = await fetchFile(format, key, body);
      setState({ result });
      if (result.file) {
        saveFile(result.file, result.name);
        say(t('try.saved', { name: result.name }));
      }
      refresh();
    } catch {
      setState({ lost: true });
    }
  };
  return html`
    <div class="downloads" aria-busy=${state.busy ? 'true' : undefined}>
      <div class="row">
        ${FORMATS.map((format) => html`
          <button key=${format} type="button" aria-describedby="downloads-help" onClick=${() => save(format)} data-testid=${`download-${format}`}>
            <${Icon} name="download" />${state.busy === format ? t('state.working') : t(`try.download.${format}`)}
          </button>`)}
      </div>
      <p class="help" id="downloads-help">${t('try.download_help')}</p>
      ${state.lost && html`<${Notice} tone="bad"><p>${t('error.network')}</p></${Notice}>`}
      ${state.result?.error && html`<${Refusal} result=${state.result} />`}
    </div>`;
}
