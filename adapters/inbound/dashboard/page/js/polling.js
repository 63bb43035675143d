// Repeated reads of what changes by itself.

import { useEffect } from './lib.js';

const INTERVAL_MS = 4_000;

// Calls `reload` every few seconds while `active`, unless the page is hidden.
export function usePolling(reload, active) {
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [reload, active]);
}
