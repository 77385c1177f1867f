interface Column<Value> {
  [at: number]: Value;
  readonly length: number;
  set(values: ArrayLike<Value>, at?: number): void;
  subarray(from: number, to: number): Column<Value>;
}

/** A typed array that grows at its end. Takes no memory before it holds something. */
export class GrowingColumn<Value, Kind extends Column<Value>> {
  length = 0;
  readonly #make: new (
    length: number,
  ) => Kind;
  readonly #firstCapacity: number;
  #values: Kind;

  constructor(make: new (length: number) => Kind, firstCapacity: number) {
    this.#make = make;
    this.#firstCapacity = firstCapacity;
    this.#values = new make(0);
  }

  push(value: Value): void {
    if (this.length === this.#values.length) this.#reserve(this.length + 1);
    (this.#values as Column<Value>)[this.length] = value;
    this.length += 1;
  }

  set(at: number, value: Value): void {
    (this.#values as Column<Value>)[at] = value;
  }

  append(values: Kind): void {
    this.#reserve(this.length + values.length);
    this.#values.set(values, this.length);
    this.length += values.length;
  }

  copyTo(target: Kind): void {
    target.set(this.#values.subarray(0, this.length));
  }

  #reserve(length: number): void {
    if (length <= this.#values.length) return;
    const capacity = Math.max(length, this.#values.length * 2, this.#firstCapacity);
    const larger = new this.#make(capacity);
    larger.set(this.#values.subarray(0, this.length));
    this.#values = larger;
  }
}

/** The longest name that a file system gives us, with some room. */
const NAME_ROOM = 4096;

/** Bytes that grow at their end, for names. */
export class GrowingBytes {
  length = 0;
  readonly #firstCapacity: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(firstCapacity: number) {
    this.#firstCapacity = firstCapacity;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(this.length + bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends text as UTF-8 and returns how many bytes that took. */
  appendText(text: string): number {
    this.#reserve(this.length + NAME_ROOM);
    const written = this.#bytes.write(text, this.length);
    this.length += written;
    return written;
  }

  copyTo(target: Uint8Array): void {
    target.set(this.#bytes.subarray(0, this.length));
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const capacity = Math.max(length, this.#bytes.length * 2, this.#firstCapacity);
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }
}
