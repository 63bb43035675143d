// Dialogs of a key: another name, a successor, an end, other limits.

import { html, useState } from '../lib.js';
import { count, dateTime, relative } from '../format.js';
import { t, tn } from '../i18n.js';
import { close, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { ADMIN_REVOKE_KEY, RENAME_KEY, REVOKE_KEY, ROTATE_KEY, SET_LIMITS } from '../queries.js';
import { Choice, Field } from '../components/field.js';
import { Notice } from '../components/feedback.js';
import { MAX_NAME, reveal } from './create-key.js';
import { FormDialog } from './form-dialog.js';

export function RenameKey({ subject }) {
  const [name, setName] = useState(subject.name);
  const mutation = useMutation(RENAME_KEY, ['name']);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id, name: name.trim() })) return;
    close();
    say(t('rename.done'));
  };
  return html`
    <${FormDialog} title=${t('rename.title')} submit=${t('rename.submit')} mutation=${mutation} onSubmit=${submit}
      disabled=${!name.trim()} testid="rename-confirm">
      <${Field} label=${t('create.name')} error=${mutation.fields.name}>
        ${(control) => html`
          <input ...${control} type="text" maxlength=${MAX_NAME} autocomplete="off" autofocus required
            value=${name} onInput=${(event) => setName(event.target.value)} />`}
      </${Field}>
    </${FormDialog}>`;
}

const lastUse = ({ lastUsedAt }) => lastUsedAt
  ? t('revoke.last_use', { relative: relative(lastUsedAt), at: dateTime(lastUsedAt) })
  : t('revoke.never_used');

export function RevokeKey({ subject, admin }) {
  const mutation = useMutation(admin ? ADMIN_REVOKE_KEY : REVOKE_KEY);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    say(t('revoke.done', { name: subject.name }));
  };
  return html`
    <${FormDialog} title=${t('revoke.title', { name: subject.name })} submit=${t('revoke.submit')} tone="danger"
      mutation=${mutation} onSubmit=${submit} testid="revoke-confirm">
      <p><code>${subject.prefix}</code></p>
      <p><strong>${lastUse(subject)}</strong></p>
      <p>${t('revoke.effect')}</p>
    </${FormDialog}>`;
}

const GRACES = [0, 1, 24, 72, 168];

export function RotateKey({ subject }) {
  const [grace, setGrace] = useState(24);
  const mutation = useMutation(ROTATE_KEY);
  const submit = async () => {
    const result = await mutation.run({ id: subject.id, graceHours: grace });
    if (!result) return;
    const until = result.oldKey.retiresAt;
    const note = until ? t('rotate.until', { at: dateTime(until) }) : t('rotate.at_once');
    reveal(result, t('rotate.revealed'), note);
  };
  return html`
    <${FormDialog} title=${t('rotate.title', { name: subject.name })} submit=${t('rotate.submit')} mutation=${mutation}
      onSubmit=${submit} testid="rotate-confirm">
      <p>${t('rotate.effect')}</p>
      <${Choice} legend=${t('rotate.grace')} name="grace" value=${grace} onChange=${setGrace} testid="grace"
        options=${GRACES.map((hours) => ({ key: hours, ...graceInWords(hours), testid: `grace-${hours}` }))} />
    </${FormDialog}>`;
}

function graceInWords(hours) {
  if (hours === 0) return { label: t('rotate.none'), help: t('rotate.none_help') };
  return hours < 48 ? { label: tn('rotate.hours', hours) } : { label: tn('rotate.days', hours / 24) };
}

// What a key may be given, as the domain has it.
const MOST_PER_MINUTE = 1_000_000;
const MOST_A_MONTH = 1_000_000_000_000;

const whole = (text) => (/^\d+$/.test(text.trim()) ? Number(text) : NaN);

const outside = (value, most) => (value >= 1 && value <= most ? undefined : t('limits.range', { most: count(most) }));

export function SetLimits({ subject }) {
  const { perMinute, monthlyQuota } = subject;
  const [mode, setMode] = useState('custom');
  const [minute, setMinute] = useState(String(perMinute));
  const [month, setMonth] = useState(monthlyQuota === null ? '' : String(monthlyQuota));
  const [capped, setCapped] = useState(monthlyQuota !== null);
  const [wrong, setWrong] = useState({});
  const mutation = useMutation(SET_LIMITS, mode === 'custom' ? ['perMinute', ...(capped ? ['monthlyQuota'] : [])] : []);

  const submit = async () => {
    const input = { id: subject.id };
    if (mode === 'custom') {
      const faults = {
        perMinute: outside(whole(minute), MOST_PER_MINUTE),
        monthlyQuota: capped ? outside(whole(month), MOST_A_MONTH) : undefined,
      };
      setWrong(faults);
      if (faults.perMinute || faults.monthlyQuota) return;
      Object.assign(input, { perMinute: whole(minute), monthlyQuota: capped ? whole(month) : null });
    } else {
      input.plan = mode;
    }
    if (!await mutation.run(input)) return;
    close();
    say(t('limits.done'));
  };

  return html`
    <${FormDialog} title=${t('limits.title', { name: subject.name })} submit=${t('limits.submit')} mutation=${mutation}
      onSubmit=${submit} testid="limits-confirm">
      <${Choice} legend=${t('limits.which')} name="mode" value=${mode} onChange=${setMode}
        options=${[
          { key: 'custom', label: t('limits.custom') },
          { key: 'STARTUP', label: t('plan.STARTUP'), help: t('plan.STARTUP.help') },
          { key: 'ENTERPRISE', label: t('plan.ENTERPRISE'), help: t('plan.ENTERPRISE.help') },
        ]} />
      ${mode === 'custom' && html`
        <${Field} label=${t('limits.per_minute')} error=${wrong.perMinute ?? mutation.fields.perMinute}>
          ${(control) => html`
            <input ...${control} type="text" inputmode="numeric" value=${minute} onInput=${(event) => setMinute(event.target.value)} />`}
        </${Field}>
        <label class="check">
          <input type="checkbox" checked=${capped} onChange=${(event) => setCapped(event.target.checked)} />
          <span>${t('limits.capped')}</span>
        </label>
        ${capped && html`
          <${Field} label=${t('limits.per_month')} error=${wrong.monthlyQuota ?? mutation.fields.monthlyQuota}>
            ${(control) => html`
              <input ...${control} type="text" inputmode="numeric" value=${month} onInput=${(event) => setMonth(event.target.value)} />`}
          </${Field}>`}`}
      ${mode !== 'custom' && html`<${Notice}><p>${t('limits.plan_note')}</p></${Notice}>`}
    </${FormDialog}>`;
}
