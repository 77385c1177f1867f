type Leaf =
  | string
  | number
  | boolean
  | bigint
  | null
  | undefined
  | Date
  | RegExp
  | Error
  | ArrayBuffer
  | ArrayBufferView;

type Refused =
  | symbol
  | ((...values: never) => unknown)
  | (abstract new (
      ...values: never
    ) => unknown);

/**
 * The type with `never` wherever a value cannot be stored as it is: functions, symbols, and with them promises
 * and objects with methods. The compiler cannot tell for `unknown` and `any`: they stay, and the value itself is checked.
 */
export type Storable<Value> = unknown extends Value
  ? Value
  : Value extends Leaf
    ? Value
    : Value extends Refused
      ? never
      : Value extends readonly (infer Item)[]
        ? readonly Storable<Item>[]
        : Value extends ReadonlyMap<infer Key, infer Entry>
          ? ReadonlyMap<Storable<Key>, Storable<Entry>>
          : Value extends ReadonlySet<infer Member>
            ? ReadonlySet<Storable<Member>>
            : { [Key in keyof Value]: Storable<Value[Key]> };

/** Adds nothing to a parameter's type where values of this type can be stored; otherwise nothing fits it. */
export type IfStorable<Value> = [Value] extends [Storable<Value>]
  ? unknown
  : { readonly 'cannot be stored: it holds functions, symbols or promises': Value };
