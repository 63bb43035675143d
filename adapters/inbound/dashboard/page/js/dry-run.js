// The check of a table before anything runs, again after each change of what it depends on.

import { unreachable } from './api.js';
import { checkTable } from './batch-requests.js';
import { language } from './i18n.js';
import { useEffect, useState } from './lib.js';
import { useSignal } from './signal.js';

const NOTHING = { columns: [], sheets: [], corrections: [] };

const columnsOf = ({ answer, error }) => answer?.columns ?? error.details?.columns;
const sheetsOf = ({ answer, error }) => answer?.sheets ?? error.details?.sheets;

// As long as the file is the same, `result` stays while its successor is asked for, and `columns` and `sheets` are
// the last ones that an answer had. `choices` are those of columns and of the sheet, and the corrections; `corrections`
// are those that `result` was asked with. Mistakes are told in the reader's language.
export function useDryRun(file, keyId, choices) {
  const [state, setState] = useState({});
  const [round, setRound] = useState(0);
  const shownIn = useSignal(language);
  const ready = Boolean(file && keyId);
  useEffect(() => {
    if (!ready) return undefined;
    const controller = new AbortController();
    setState((old) => (old.file === file ? { ...old, busy: true } : { file, ...NOTHING, busy: true }));
    checkTable(file, keyId, choices, controller.signal).catch(unreachable).then((result) => {
      if (controller.signal.aborted) return;
      setState((old) => ({
        file, result, columns: columnsOf(result) ?? old.columns, sheets: sheetsOf(result) ?? old.sheets, corrections: choices.corrections,
      }));
    });
    return () => controller.abort();
  }, [ready, file, keyId, JSON.stringify(choices), shownIn, round]);
  const again = () => setRound((old) => old + 1);
  return ready && state.file === file ? { ...state, again } : { ...NOTHING, again };
}
