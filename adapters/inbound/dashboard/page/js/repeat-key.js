// Keys by which the gateway recognises a request that is sent again, because its answer was lost.

export const newRepeatKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
