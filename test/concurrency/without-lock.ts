import type { Store } from '../../src/index.ts';

/** The same store, but its project lock is given to everybody at once. For the control. */
export function withoutLock(store: Store): Store {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'lock') return async () => ({ release: () => undefined });
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
