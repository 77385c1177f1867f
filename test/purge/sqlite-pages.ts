const PAGE_BYTES = 4096;
const MAX_CHAIN = 500;
const MAX_GUESSES = 40;

/**
 * Bytes as they may go on from a place in a database. Long values go on in overflow pages, each of which
 * begins with the number of the next; where the part in the first page ends is not known without the row,
 * which may be long gone, so every number that could be one is followed.
 */
export function continuations(database: Buffer, at: number): Buffer[] {
  const pages = Math.floor(database.length / PAGE_BYTES);
  const pageEnd = (Math.floor(at / PAGE_BYTES) + 1) * PAGE_BYTES;
  const found = [
    database.subarray(at, pageEnd),
    chain(database, at, pageEnd, overflowOf(database, at)),
  ];
  for (let end = at + 16; end + 4 <= pageEnd && found.length < MAX_GUESSES; end += 1) {
    const next = database.readUInt32BE(end);
    if (next > 1 && next <= pages) found.push(chain(database, at, end, next));
  }
  return found;
}

/** The number at the beginning of the page, were it an overflow page. */
function overflowOf(database: Buffer, at: number): number {
  return database.readUInt32BE(Math.floor(at / PAGE_BYTES) * PAGE_BYTES);
}

function chain(database: Buffer, start: number, end: number, first: number): Buffer {
  const parts = [database.subarray(start, end)];
  let page = first;
  while (page > 1 && page * PAGE_BYTES <= database.length && parts.length < MAX_CHAIN) {
    const begin = (page - 1) * PAGE_BYTES;
    parts.push(database.subarray(begin + 4, begin + PAGE_BYTES));
    page = database.readUInt32BE(begin);
  }
  return Buffer.concat(parts);
}
