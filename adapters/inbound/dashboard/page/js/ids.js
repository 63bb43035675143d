// Ids as the server writes them: UUIDs mostly.

const SHAPE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// Half an id is no question yet.
export const isId = (text) => SHAPE.test(text);

// What a request id is made of; anything else was never one.
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;
export const isRequestId = (text) => REQUEST_ID.test(text);
