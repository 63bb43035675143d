// The view library, in one place: Preact, its hooks, and htm's templates bound to it.

import { Fragment, h, render } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export const html = htm.bind(h);
export { Fragment, render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from '../vendor/preact-hooks.js';
