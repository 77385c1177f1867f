/** The first line of every export. Another number is another format. */
export const MAGIC = 'savepoint-export';
export const FORMAT = 1;

/** What a frame holds. They come in this order. */
export const FRAME = {
  /** The bytes of one file or link target; its name is its SHA-256. */
  blob: 0x42,
  /** Rows, as lines of JSON. */
  rows: 0x52,
  /** The end: counts, and the SHA-256 of every byte before this frame. */
  end: 0x45,
} as const;

export type FrameType = (typeof FRAME)[keyof typeof FRAME];

export const ENCODING = { raw: 0, zstd: 1 } as const;

/** Type, encoding, bytes that follow, bytes when decompressed. */
export const FRAME_HEADER_BYTES = 10;

/** Rows are put into frames of about this size, so that nobody has to hold all of their text. */
export const ROWS_FRAME_BYTES: number = 256 * 1024;

/** One row can hold a description of 100,000 signs, each of them escaped. */
export const MAX_ROWS_FRAME_BYTES: number = 4 * 1024 * 1024;
export const MAX_END_FRAME_BYTES = 4096;
