// A change asked of the server: runs once at a time, sorts refusals by field.

import { graphql } from './api.js';
import { useState } from './lib.js';
import { refresh } from './use-query.js';

// `run(input)` resolves to the payload, or to null when it was refused or failed. `shown` are the fields
// beside which the form shows their refusals.
export function useMutation(mutation, shown = []) {
  const [state, setState] = useState({ busy: false, fields: {} });
  const run = async (input) => {
    setState({ busy: true, fields: {} });
    try {
      const { result } = await graphql(mutation, { input });
      if (result.userErrors.length) {
        setState({ busy: false, ...sorted(result.userErrors, shown) });
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

// Refusals of fields that the form shows stand beside them, all others above the form.
function sorted(errors, shown) {
  const fields = {};
  const others = [];
  for (const { field, message } of errors) {
    const name = field?.at(-1);
    if (shown.includes(name)) fields[name] = message;
    else others.push(message);
  }
  return { fields, error: others.length ? { message: others.join(' ') } : undefined };
}
