// The check of a table before anything runs, again after each change of what it depends on.

import { checkTable } from './batch-requests.js';
import { t } from './i18n.js';
import { useEffect, useState } from './lib.js';

// `result` stays while its successor is asked for, as long as it is of the same file.
export function useDryRun(file, keyId, columns) {
  const [state, setState] = useState({});
  const [round, setRound] = useState(0);
  const ready = Boolean(file && keyId);
  useEffect(() => {
    if (!ready) return undefined;
    const controller = new AbortController();
    setState((old) => ({ file, result: old.file === file ? old.result : undefined, busy: true }));
    checkTable(file, keyId, columns, controller.signal).then(
      (result) => controller.signal.aborted || setState({ file, result }),
      () => controller.signal.aborted || setState({ file, result: { status: 503, error: { error: 'NETWORK', message: t('error.network') } } }),
    );
    return () => controller.abort();
  }, [ready, file, keyId, JSON.stringify(columns), round]);
  const again = () => setRound((old) => old + 1);
  return ready && state.file === file ? { ...state, again } : { again };
}
