import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs';
import type { Opened } from '../opened.ts';

const ARRIVED = `
  SELECT data AS start, size FROM blobs WHERE encoding = 'arrived' ORDER BY data`;
const ZEROS: Uint8Array = new Uint8Array(64 * 1024);

/** Writes over what lies among the arrivals and belongs to nobody. In a transaction, as all writers there. */
export function blankArrivals({ connection, layout }: Opened): void {
  if (!existsSync(layout.arrivals)) return;
  connection.immediate(() => {
    const descriptor = openSync(layout.arrivals, 'r+');
    try {
      let end = 0;
      for (const { start, size } of connection.all<{ start: number; size: number }>(ARRIVED)) {
        blank(descriptor, end, start);
        end = Math.max(end, start + size);
      }
      blank(descriptor, end, fstatSync(descriptor).size);
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

function blank(descriptor: number, from: number, to: number): void {
  for (let at = from; at < to; ) {
    at += writeSync(descriptor, ZEROS, 0, Math.min(ZEROS.length, to - at), at);
  }
}
