// A change asked of the server: runs once at a time, sorts refusals by field.

import { graphql } from './api.js';
import { useState } from './lib.js';
import { refresh } from './use-query.js';

// `run(input)` resolves to the payload, or to null when it was refused or failed.
export function useMutation(mutation) {
  const [state, setState] = useState({ busy: false, fields: {} });
  const run = async (input) => {
    setState({ busy: true, fields: {} });
    try {
      const { result } = await graphql(mutation, { input });
      if (result.userErrors.length) {
        setState({ busy: false, ...sorted(result.userErrors) });
        return null;
      }
      setState({ busy: false, fields: {} });
      refresh();
      return result;
    } catch (error) {
      setState({ busy: false, fields: {}, error });
      return null;
    }
  };
  return { ...state, run };
}

// Refusals that name a field stand beside it, the others above the form.
function sorted(errors) {
  const fields = {};
  const others = [];
  for (const { field, message } of errors) {
    const name = field?.at(-1);
    if (name && name !== 'id') fields[name] = message;
    else others.push(message);
  }
  return { fields, error: others.length ? { message: others.join(' ') } : undefined };
}
