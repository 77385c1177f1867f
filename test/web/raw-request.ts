import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  /** Of the first answer on the connection; 0 where there was none. */
  readonly status: number;
  /** How many answers came. */
  readonly answers: number;
  readonly all: string;
}

// A request without an end is answered once we end the connection. A whole one is not answered any more then.
const PATIENCE_MS = 2_000;

/** Sends exactly these bytes, which no client library would, and reads until the server ends the connection. */
export async function rawRequest(
  port: number,
  bytes: string,
  host = '127.0.0.1',
): Promise<RawAnswer> {
  const socket = connect(port, host);
  socket.on('error', () => {});
  socket.write(Buffer.from(bytes, 'latin1'));
  const timer = setTimeout(() => socket.end(), PATIENCE_MS);
  const all = await text(socket).catch(() => '');
  clearTimeout(timer);
  const statuses = [...all.matchAll(/^HTTP\/1\.1 (\d{3})/gm)];
  return { status: Number(statuses[0]?.[1] ?? 0), answers: statuses.length, all };
}
