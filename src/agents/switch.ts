import { basename, join } from 'node:path';
import { removeIfThere } from '../fs/entries.ts';
import { makePrivateFolder, writeFile } from '../fs/write-file.ts';
import { storeDirectory } from '../index.ts';
import { BOOLEAN, exact, type Kind, listOf, TEXT } from '../model/check.ts';
import { readJson } from './read-json.ts';

/** The hooks that do not record in a project: all of them, or those of these sessions. */
export interface SwitchedOff {
  readonly all: boolean;
  readonly sessions: readonly string[];
}

const SWITCHED_OFF: Kind<SwitchedOff> = exact({ all: BOOLEAN, sessions: listOf(TEXT) });

const ON: SwitchedOff = { all: false, sessions: [] };
const MOST_BYTES = 1024 * 1024;

/** What is switched off in a project. `home`: where the stores are; `project`: its real path. */
export function switchedOff(home: string, project: string): SwitchedOff {
  return readJson(SWITCHED_OFF, fileOf(home, project), { maxBytes: MOST_BYTES }) ?? ON;
}

/** Whether the hooks of a session record nothing. A file that cannot be read switches nothing off. */
export function isOff(home: string, project: string, sessionId: string): boolean {
  const { all, sessions } = switchedOff(home, project);
  return all || sessions.includes(sessionId);
}

/** Null for all sessions. False where it was so already. */
export function turnOff(home: string, project: string, sessionId: string | null): boolean {
  const before = switchedOff(home, project);
  if (before.all || (sessionId !== null && before.sessions.includes(sessionId))) return false;
  const sessions = sessionId === null ? [] : [...before.sessions, sessionId];
  const after: SwitchedOff = { all: sessionId === null, sessions };
  makePrivateFolder(folderOf(home));
  writeFile(fileOf(home, project), Buffer.from(`${JSON.stringify(after)}\n`));
  return true;
}

/** For all sessions. False where everything was on already. */
export function turnOn(home: string, project: string): boolean {
  const { all, sessions } = switchedOff(home, project);
  removeIfThere(fileOf(home, project));
  return all || sessions.length > 0;
}

// Not in the folder of the project's store: that one is there only where something is on record.
function folderOf(home: string): string {
  return join(home, 'agents', 'off');
}

function fileOf(home: string, project: string): string {
  return join(folderOf(home), `${basename(storeDirectory(home, project))}.json`);
}
