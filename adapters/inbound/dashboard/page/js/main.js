// The beginning: who is here? Then the page, or the way in.

import { html, render, useEffect, useState } from './lib.js';
import { onSessionEnd } from './api.js';
import { language, t } from './i18n.js';
import { dialog, dismiss, notice } from './memory.js';
import { VIEWER } from './queries.js';
import { useSignal } from './signal.js';
import { useQuery } from './use-query.js';
import { Failed, Skeleton } from './components/feedback.js';
import { Shell } from './views/shell.js';
import { SignIn } from './views/sign-in.js';

function App() {
  const { data, error, reload } = useQuery(VIEWER);
  const [viewer, setViewer] = useState(null);
  const [out, setOut] = useState(false);
  useSignal(language);
  useEffect(() => onSessionEnd(() => {
    setOut(true);
    dismiss();
  }), []);
  useEffect(() => {
    if (data) setViewer(data.viewer);
  }, [data]);

  return html`
    <${Content} viewer=${viewer} out=${out} error=${error} reload=${reload} />
    <${Dialogs} />
    <${Announcer} />`;
}

function Content({ viewer, out, error, reload }) {
  if (out) return html`<${SignIn} ended=${viewer !== null} />`;
  if (viewer) return html`<${Shell} viewer=${viewer} />`;
  return html`
    <main class="lone" id="content">
      <h1 class="visually-hidden">${t('app.name')}</h1>
      ${error ? html`<${Failed} error=${error} retry=${reload} />` : html`<${Skeleton} lines=${6} />`}
    </main>`;
}

// Above everything: a secret that is shown this once outlives the session.
function Dialogs() {
  const opened = useSignal(dialog);
  return opened && opened();
}

const NOTICE_MS = 5000;

function Announcer() {
  const said = useSignal(notice);
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => notice.set(null), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return html`<div class="announcer" role="status">${said && html`<p key=${said.id}>${said.text}</p>`}</div>`;
}

render(html`<${App} />`, document.getElementById('app'));
