// A value that views follow.

import { useEffect, useState } from './lib.js';

export function signal(value) {
  const followers = new Set();
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const follower of [...followers]) follower(value);
    },
    follow(follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

export function useSignal(source) {
  const [value, setValue] = useState(() => source.get());
  useEffect(() => {
    setValue(() => source.get());
    return source.follow((next) => setValue(() => next));
  }, [source]);
  return value;
}
