import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The socket at which the server of this run is asked for. */
    readonly postgres: string;
  }
}

/**
 * Starts one server for all tests of a run when the first one asks for it, and answers with its URL. It listens on a
 * socket, since tests run in other processes.
 */
export async function offerPostgres(socket: string): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | null = null;
  const door = createServer((connection) => {
    connection.on('error', () => {});
    server ??= PostgresServer.start();
    server.then(
      ({ url }) => connection.end(url),
      (error) => connection.end(`failed: ${error}`),
    );
  }).listen(socket);
  await once(door, 'listening');
  return async () => {
    door.close();
    await (await server?.catch(() => null))?.stop();
  };
}

/** The URL of the server of this run. */
export async function sharedPostgres(): Promise<string> {
  const answer = await text(createConnection(inject('postgres')));
  if (answer.startsWith('postgres:')) return answer;
  throw new Error(answer);
}
