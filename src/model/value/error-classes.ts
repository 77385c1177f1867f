/** Errors of the language itself. An error of any other class would come back as another class. */
const CLASSES: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError: AggregateError as unknown as ErrorConstructor,
};

const NAMES: ReadonlyMap<object, string> = new Map(
  Object.entries(CLASSES).map(([name, { prototype }]) => [prototype, name]),
);

/** The name of the class that has this prototype, or null. */
export function errorClass(prototype: object): string | null {
  return NAMES.get(prototype) ?? null;
}

/** An error of that class without a single field; null where there is no such class. */
export function emptyError(type: string): Error | null {
  const made = Object.hasOwn(CLASSES, type) ? CLASSES[type] : undefined;
  if (made === undefined) return null;
  // The first argument of an AggregateError is a list.
  const error = type === 'AggregateError' ? new AggregateError([]) : new made();
  for (const key of Reflect.ownKeys(error)) Reflect.deleteProperty(error, key);
  return error;
}
