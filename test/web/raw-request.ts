import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  /** Of the first answer on the connection; 0 where there was none. */
  readonly status: number;
  /** How many answers came. */
  readonly answers: number;
  readonly all: string;
}

/** Sends exactly these bytes, which no client library would, and reads until the server ends the connection. */
export async function rawRequest(
  port: number,
  bytes: string,
  host = '127.0.0.1',
): Promise<RawAnswer> {
  const socket = connect(port, host);
  socket.on('error', () => {});
  socket.end(Buffer.from(bytes, 'latin1'));
  const all = await text(socket).catch(() => '');
  const statuses = [...all.matchAll(/^HTTP\/1\.1 (\d{3})/gm)];
  return { status: Number(statuses[0]?.[1] ?? 0), answers: statuses.length, all };
}
