import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { findProject, storeHome, withoutCredentials } from '../../config/find-project.ts';
import { openStoreIn, placeIn } from '../../config/project-store.ts';
import { configurationOf, shownValue } from '../../config/settings.ts';
import { exists, realPathOrNull } from '../../fs/entries.ts';
import { findProgram } from '../../fs/find-program.ts';
import { displayText, isSavepointError, type Store, storeDirectory } from '../../index.ts';
import { described, exact, integer, nullable, TEXT, type TypeOf } from '../../model/check.ts';
import { messageOf } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  RedirectFile,
  type ShownSettings,
  startWebServer,
  type WebServer,
} from '../../web/server/index.ts';
import { type Call, type Command, flag, option } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { JSON_VERSION } from '../json.ts';
import { inPackage, ownVersion } from '../package-place.ts';

const SHAPE = exact({
  url: described('Where the page is. Only a page that was opened with a token gets in.', TEXT),
  port: integer(1, 65_535),
  oneTimeUrl: described(
    'With --no-open: the address with a token, good for one minute and one use.',
    nullable(TEXT),
  ),
});

export const web: Command = {
  name: 'web',
  summary: 'a page in your browser: what every agent did, in all your projects, and the way back',
  details:
    'Opens a page that shows the timeline of every project on record, each prompt with its diffs, who wrote\n' +
    'each line, executions and the store, and that takes back any of it: the same plans, locks and journals\n' +
    'as `savepoint rewind`. It is served on this machine alone (127.0.0.1 and ::1), and only to the browser\n' +
    'that this command opens. With --no-open it prints an address that works once, within a minute; Enter\n' +
    'prints or opens a new one. It ends with Ctrl-C.',
  options: {
    port: option('N', 'the port; by default one that is free'),
    'no-open': flag('do not open the browser, print the address instead'),
  },
  examples: [
    ['savepoint web', 'see it in your browser'],
    [
      'savepoint web --no-open --port 4321',
      'open the printed address yourself, such as through `ssh -L 4321:127.0.0.1:4321`',
    ],
  ],
  json: { web: SHAPE },
  run: (call) => runWeb(call, inPackage('dist/web')),
};

/** Serves the page until somebody presses Ctrl-C, or asks the process to end. */
async function runWeb(call: Call, page: string): Promise<ExitCode> {
  const { io } = call;
  const home = storeHome(io);
  const server = await start(call, page, home);
  const file = new RedirectFile(home);
  const removeFiles = io.interrupts.onInterrupt(() => file.remove());
  const ended = Promise.withResolvers<void>();
  let isEnding = false;
  // The first signal lets what was begun finish; the second one does not wait for it.
  const pass = (signal: Parameters<typeof io.interrupts.end>[0]): void => {
    if (isEnding) io.interrupts.end(signal);
    isEnding = true;
    if (server.isWriting()) {
      io.err('\nsavepoint: finishing what was begun first; once more ends it at once\n');
    }
    ended.resolve();
  };
  const serve = async (): Promise<void> => {
    void openAgain(call, server, file, announce(call, server, file));
    await ended.promise;
  };
  try {
    await io.interrupts.during(serve, pass);
  } finally {
    await server.close();
    file.remove();
    removeFiles();
  }
  return EXIT.done;
}

async function start(call: Call, page: string, home: string): Promise<WebServer> {
  const { io } = call;
  try {
    return await startWebServer({
      page,
      home,
      port: portOf(call),
      version: ownVersion(),
      here: hereOf(call, home),
      now: io.now,
      optionsFor: (root) => ({
        ...configurationOf(call.io, root).values,
        refusedProjects: [io.homeDirectory],
        environment: io.env,
        now: io.now,
        lockTimeoutMs: LOCK_MS,
      }),
      openStore: (directory) => openStore(call, directory),
      isOnServer: (directory) => placeIn(directory, io) !== null,
      settingsOf: (root) => settingsOf(call, root),
      retentionOf: (root) => configurationOf(call.io, root).values,
      onError: (error) => io.err(`savepoint: ${displayText(messageOf(error))}\n`),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isSavepointError(error) || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    const why = code === 'EACCES' ? 'may not be used' : 'is in use';
    throw new UsageError(`port ${portOf(call)} ${why}`, 'choose another one, or leave out --port');
  }
}

/** In the folder, or on the server that the person's own settings name. */
function openStore(call: Call, directory: string): Promise<Store> {
  const { values: database } = configurationOf(call.io, directory);
  return openStoreIn(directory, {
    surroundings: call.io,
    database,
    patience: PATIENCE,
    create: false,
  });
}

const PATIENCE = { connectTimeoutMs: 3000, queryTimeoutMs: 30_000 };

/** A person waits for the page: somebody who holds the lock for longer is told of instead. */
const LOCK_MS = 10_000;

function portOf({ values }: Call): number {
  const word = values.get('port') ?? '0';
  const port = /^\d{1,5}$/.test(word) ? Number(word) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port must be a number up to 65535, not "${word}"`);
}

/** The id of the project that the person stands in; null where nothing is on record of it. */
function hereOf(call: Call, home: string): string | null {
  const project = findProject(call);
  const folder = storeDirectory(home, realPathOrNull(project) ?? project);
  return exists(folder) ? basename(folder) : null;
}

function settingsOf(call: Call, root: string): ShownSettings {
  const { effective, problems, warnings } = configurationOf(call.io, root);
  return {
    settings: effective.map(({ key, value, origin, source, summary }) => {
      return { key, value: textOf(shownValue(key, value)), origin, source, summary };
    }),
    problems: [...problems.map(({ message }) => message), ...warnings],
  };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return value === null ? 'no limit' : String(value);
}

/** Says where the page is, and opens it. */
function announce(call: Call, server: WebServer, file: RedirectFile): Opened {
  const { json, io, flags } = call;
  const { url, port } = server;
  call.tell(`Savepoint's page is at ${url} for you alone, until you press Ctrl-C.`);
  const opened = open(call, server, file);
  if (json) {
    const oneTimeUrl = flags.has('no-open') ? opened.address : null;
    const answer: TypeOf<typeof SHAPE> = { url, port, oneTimeUrl };
    io.out(`${JSON.stringify({ version: JSON_VERSION, ...answer })}\n`);
  }
  return opened;
}

/** Opens it again whenever the person presses Enter. */
async function openAgain(
  call: Call,
  server: WebServer,
  file: RedirectFile,
  { hasOpener }: Opened,
): Promise<void> {
  const { json, io } = call;
  if (json || !io.interactive) return;
  call.hint(
    hasOpener
      ? 'press Enter to open it again; if no page appears, press Ctrl-C and type: savepoint web --no-open'
      : 'press Enter for a new address',
  );
  while ((await io.ask('')) !== null) open(call, server, file);
}

interface Opened {
  /** With a token, for one use. */
  readonly address: string;
  /** Whether a program opened the browser. A browser in a sandbox, such as a snap, may not read our file. */
  readonly hasOpener: boolean;
}

/** Opens the page, or prints its address where that is asked for or nothing can open it. */
function open(call: Call, server: WebServer, file: RedirectFile): Opened {
  const { json, flags, io } = call;
  const address = server.oneTimeUrl();
  const program = flags.has('no-open') ? null : browserOpener(call);
  const print = (): void => {
    if (!json) call.say(`Open this address within a minute; it works once:\n  ${address}`);
    else if (!flags.has('no-open'))
      io.err('savepoint: no program was found that opens a browser; use --no-open\n');
  };
  if (program === null) print();
  else {
    const env = withoutCredentials(io.env);
    const options = { detached: true, stdio: 'ignore', env } as const;
    const child = spawn(program, [file.write(address)], options);
    child.once('error', print);
    child.unref();
  }
  return { address, hasOpener: program !== null };
}

/** The program that opens a file in the person's browser; null where there is none, or nobody to see it. */
function browserOpener(call: Call): string | null {
  const { env, platform } = call.io;
  const hasScreen = platform === 'darwin' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!hasScreen) return null;
  const project = findProject(call);
  const name = platform === 'darwin' ? 'open' : 'xdg-open';
  return findProgram(name, env.PATH, realPathOrNull(project) ?? project)?.file ?? null;
}
