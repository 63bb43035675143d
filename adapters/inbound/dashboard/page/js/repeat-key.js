// Keys by which the gateway recognises a request that is sent again, because its answer was lost.

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const newRepeatKey = () => hex(crypto.getRandomValues(new Uint8Array(16)));

// The key of a request that these texts name, whoever sends it.
export const repeatKeyOf = (...names) => hex(new TextEncoder().encode(names.join(' ')));
