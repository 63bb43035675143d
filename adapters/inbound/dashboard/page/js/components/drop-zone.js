// A place for files, dropped anywhere on the page, pasted, chosen or photographed, and the file that was taken or refused.

import { html, useEffect, useId, useLayoutEffect, useRef, useState } from '../lib.js';
import { size } from '../format.js';
import { t } from '../i18n.js';
import { Notice } from './feedback.js';
import { Icon } from './icon.js';

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');

// Without this, a file that misses the place would replace the page.
function useFileDrop(onFiles) {
  const [over, setOver] = useState(false);
  const receive = useRef(onFiles);
  receive.current = onFiles;
  useLayoutEffect(() => {
    const drag = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Leaving one element for another isn't leaving the page.
    const leave = (event) => event.relatedTarget === null && setOver(false);
    const drop = (event) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      receive.current([...event.dataTransfer.files]);
    };
    const listeners = { dragover: drag, dragleave: leave, drop };
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener);
    };
  }, []);
  return over;
}

// Files that are pasted into the page, as a screenshot is; a text that isn't pasted into a field, if there is an `onText`.
function usePaste(onFiles, onText) {
  const receive = useRef(null);
  receive.current = (event) => {
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    const isOfField = event.target.closest?.('input, textarea, select');
    if (!files.length && (isOfField || !onText || !text.trim())) return;
    event.preventDefault();
    if (files.length) onFiles(files);
    else onText(text);
  };
  useEffect(() => {
    const paste = (event) => receive.current(event);
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
}

// `camera`: the label of a button that takes a photo, where there is a touch screen.
export function DropZone({ title, choose, camera, help, accept, onFiles, onText, input, testid, multiple = true }) {
  const over = useFileDrop(onFiles);
  usePaste(onFiles, onText);
  const id = useId();
  const chosen = ({ target }) => {
    onFiles([...target.files]);
    target.value = ''; // the same file may be chosen again
  };
  return html`
    <div class=${over ? 'drop-zone over' : 'drop-zone'}>
      <span class="empty-mark"><${Icon} name="upload" /></span>
      <p class="empty-title">${title}</p>
      <input id=${id} ref=${input} class="visually-hidden" type="file" multiple=${multiple} accept=${accept} aria-describedby=${`${id}-help`}
        onChange=${chosen} data-testid=${testid} />
      <div class="row">
        <label class="button" for=${id}>${choose}</label>
        ${camera && html`
          <span class="camera">
            <input id=${`${id}-camera`} class="visually-hidden" type="file" accept="image/jpeg,image/png,image/webp" capture="environment"
              onChange=${chosen} data-testid=${`${testid}-camera`} />
            <label class="button" for=${`${id}-camera`}><${Icon} name="camera" />${camera}</label>
          </span>`}
      </div>
      <p class="help" id=${`${id}-help`}>${help}</p>
    </div>`;
}

export const ChosenFile = ({ file, children }) => html`
  <p class="row" data-testid="chosen-file"><${Icon} name="file" /><strong class="break">${file.name}</strong><span class="muted small">${size(file.size)}</span>${children}</p>`;

// `most` is the largest size, in bytes.
export const RefusedFile = ({ of: { name, refusal }, most, testid }) => html`
  <${Notice} tone="bad" testid=${testid}><p><strong class="break">${name}</strong>: ${t(`new_batch.refused.${refusal}`, { most: size(most) })}</p></${Notice}>`;
