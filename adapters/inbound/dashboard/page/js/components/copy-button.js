// Copies a text, and says so.

import { html, useEffect, useRef, useState } from '../lib.js';
import { t } from '../i18n.js';
import { say } from '../memory.js';
import { Icon } from './icon.js';

// Without the permission, the old way: select and copy.
function copyBySelection(text, beside) {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  beside.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

// `bare`: the icon alone, beside the text that it copies.
export function CopyButton({ text, label, onCopied, testid, primary, bare }) {
  const [copied, setCopied] = useState(false);
  const button = useRef(null);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2500);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    if (done || copyBySelection(text, button.current.parentElement)) {
      setCopied(true);
      say(t('copy.done'));
      onCopied?.();
    } else {
      say(t('copy.failed'));
    }
    button.current?.focus();
  };

  const look = bare ? 'quiet icon-only bare' : primary ? 'primary' : '';
  return html`
    <button ref=${button} type="button" class=${look} aria-label=${bare ? label : undefined} title=${bare ? label : undefined}
      onClick=${copy} data-testid=${testid}>
      <${Icon} name=${copied ? 'check' : 'copy'} />${!bare && (copied ? t('copy.copied') : label)}
    </button>`;
}
