// Fetches a proof from the sandbox with a test key, and shows it.

import { html, useEffect, useRef, useState } from '../lib.js';
import { exampleBody } from '../curl.js';
import { money, todayInMexico } from '../format.js';
import { t } from '../i18n.js';
import { freshTestKey } from '../memory.js';
import { fetchProof, keyProblem } from '../proofs.js';
import { PARTICIPANTS } from '../queries.js';
import { useSignal } from '../signal.js';
import { useQuery, refresh } from '../use-query.js';
import { Notice } from '../components/feedback.js';
import { Field, Select } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Page } from './page.js';

// Amounts with which the sandbox bank answers otherwise.
const AMOUNTS = [
  '200.01', '404.00', '404.01', '404.02', '404.03', '429.00', '429.01', '500.00', '502.00', '502.01', '503.00', '504.00',
  '600.00', '600.01',
];

export function Try() {
  const fresh = useSignal(freshTestKey);
  const example = exampleBody();
  const [key, setKey] = useState(fresh?.secret ?? '');
  const [values, setValues] = useState({
    fecha: example.fecha, clave_rastreo: example.clave_rastreo, cuenta: example.cuenta, monto: String(example.monto),
    emisor: '', receptor: '',
  });
  const [problem, setProblem] = useState(null);
  const [state, setState] = useState({});
  const change = (name) => (event) => setValues((old) => ({ ...old, [name]: event.target.value }));

  const submit = async (event) => {
    event.preventDefault();
    if (state.busy) return;
    const wrong = keyProblem(key.trim());
    setProblem(wrong);
    if (wrong) {
      document.querySelector('[data-testid="try-key"]').focus();
      return;
    }
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim()));
    setState({ busy: true });
    try {
      setState({ result: await fetchProof(key.trim(), body) });
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
          <${Field} label=${t('try.key')} error=${problem}
            help=${fresh && key === fresh.secret ? t('try.key_fresh', { name: fresh.key.name }) : t('try.key_help')}>
            ${(control) => html`
              <input ...${control} class="mono" type="password" autocomplete="off" spellcheck=${false} placeholder="cep_test_…"
                value=${key} onInput=${(event) => setKey(event.target.value)} data-testid="try-key" />`}
          </${Field}>
          ${fresh && key !== fresh.secret && html`
            <button type="button" class="small" onClick=${() => setKey(fresh.secret)}><${Icon} name="key" />${t('try.use_fresh', { name: fresh.key.name })}</button>`}
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

function Result({ state: { busy, lost, result } }) {
  const box = useRef(null);
  useEffect(() => {
    // Where the result stands below the form, it is brought into sight.
    if (result && box.current.getBoundingClientRect().top > innerHeight * 0.7) box.current.scrollIntoView();
  }, [result]);
  return html`
    <section class="panel try-result" aria-live="polite" aria-busy=${busy ? 'true' : undefined} aria-labelledby="try-result-title"
      ref=${box} data-testid="try-result" data-status=${result?.status}>
      <h2 id="try-result-title">${t('try.result')}</h2>
      ${busy ? html`<p class="muted">${t('try.busy_more')}</p>`
        : lost ? html`<${Notice} tone="bad"><p>${t('error.network')}</p></${Notice}>`
          : !result ? html`<p class="muted">${t('try.nothing')}</p>`
            : result.file ? html`<${Proof} result=${result} />` : html`<${Refusal} result=${result} />`}
      ${result?.requestId && html`<p class="muted small">${t('error.request_id')} <code class="id">${result.requestId}</code></p>`}
    </section>`;
}

const LONG = 60;

const Value = ({ text }) => (text.length > LONG
  ? html`<details><summary>${text.slice(0, 24)}…</summary><code class="break">${text}</code></details>`
  : text);

function Proof({ result }) {
  const { issuer, receiver } = result.inferred;
  const amount = result.elements.flatMap(({ fields }) => fields).find(({ name }) => name === 'MontoPago')?.value;
  return html`
    <${Notice} tone="ok"><p><strong>${t('try.delivered')}</strong> ${t('try.delivered_more')}</p></${Notice}>
    ${amount && html`<p class="number big">${money(Number(amount))}</p>`}
    ${(issuer || receiver) && html`<p class="small">${t('try.inferred_as', { issuer: issuer ?? '—', receiver: receiver ?? '—' })}</p>`}
    <${Download} result=${result} />
    <table class="fields">
      <caption class="visually-hidden">${t('try.fields')}</caption>
      <thead class="visually-hidden"><tr><th scope="col">${t('try.field')}</th><th scope="col">${t('try.value')}</th></tr></thead>
      ${result.elements.map((element) => html`
        <tbody key=${element.name}>
          <tr><th class="group" scope="rowgroup" colspan="2">${element.name}</th></tr>
          ${element.fields.map(({ name, value }) => html`<tr key=${name}><th scope="row">${name}</th><td><${Value} text=${value} /></td></tr>`)}
        </tbody>`)}
    </table>`;
}

function Download({ result }) {
  const [address, setAddress] = useState(null);
  useEffect(() => {
    const made = URL.createObjectURL(result.file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [result]);
  return address && html`<p><a class="button" href=${address} download=${result.name}><${Icon} name="download" />${t('try.download')}</a></p>`;
}

function Refusal({ result }) {
  const { error, status } = result;
  const { hints = [], fields = [], retry_after: wait } = error.details ?? {};
  return html`
    <${Notice} tone=${status < 500 && status !== 401 ? 'warn' : 'bad'}>
      <p><strong>${status} ${error.error}</strong></p>
      <p>${error.message}</p>
    </${Notice}>
    ${hints.length > 0 && html`
      <h3>${t('try.hints')}</h3>
      <ul class="hints">${hints.map(({ code, message }) => html`<li key=${code}>${message}</li>`)}</ul>`}
    ${fields.length > 0 && html`
      <h3>${t('try.faults')}</h3>
      <ul class="hints">${fields.map(({ field, message }) => html`<li key=${field}><code>${field}</code>: ${message}</li>`)}</ul>`}
    ${wait !== undefined && html`<p class="small">${t('try.retry_after', { seconds: wait })}</p>`}`;
}
