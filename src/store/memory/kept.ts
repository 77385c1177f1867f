/**
 * A copy that nobody can change: neither the caller who handed the original in, nor those who are
 * handed this one.
 */
export function kept<Value>(value: Value): Value {
  return freeze(structuredClone(value));
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
