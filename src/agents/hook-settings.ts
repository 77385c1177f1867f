import { getNodeValue, type Node } from 'jsonc-parser';
import type { AgentName } from './agent-adapter.ts';
import {
  type Appended,
  appendTo,
  type JsonPath,
  readSettings,
  UnusableSettings,
  valueAt,
  without,
} from './settings-text.ts';

/*
 * Hooks in the settings of Claude Code and of the agents that took over its format:
 * {"hooks": {"EVENT": [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]}}
 */

/** What is registered for each event. */
export interface HookEvents {
  readonly events: readonly string[];
  /** Besides the type and the command. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A registered hook that runs ours. */
export interface OurHook {
  readonly event: string;
  readonly command: string;
  /** Our command is a part of somebody's own: it does what ours does, and is not ours to take out. */
  readonly isWrapped: boolean;
}

const HOOKS = 'hooks';

// In quotes, where the path has spaces, or plain.
const NAME = 'savepoint(?:\\.cjs)?';
const PROGRAM = `'[^'\\n]*${NAME}'|"[^"\\n]*${NAME}"|(?:[^\\s'"]*/)?${NAME}`;

/** The command line in a text that runs our hook for an agent, wherever `savepoint` is installed; null without one. */
export function ourCommandIn(text: string, agent: AgentName): string | null {
  const pattern = new RegExp(`(?:^|[\\s'"=;&|(])((?:${PROGRAM}) hook ${agent})(?![\\w-])`);
  return pattern.exec(text)?.[1] ?? null;
}

// Without anything that a shell would make something else of.
const WHOLE_PROGRAM = [
  `'(?:(?:[^'\\n]|'\\\\'')*/)?${NAME}'`,
  `"(?:[^"$\`\\\\\\n]*/)?${NAME}"`,
  `(?:/(?:[\\w@%+=:,.-]+/)*)?${NAME}`,
].join('|');

/** Whether a command is our hook and nothing else. Only such a one may be replaced or removed. */
function isOurCommand(command: string, agent: AgentName): boolean {
  return new RegExp(`^(?:${WHOLE_PROGRAM}) hook ${agent}(?: --event \\w+)?$`).test(command);
}

/** The hooks in a text that run ours, in its order. Throws `UnusableSettings`. */
export function ourHooks(text: string, agent: AgentName): OurHook[] {
  return handlersIn(text, agent).map(({ event, command, isWrapped }) => {
    return { event, command, isWrapped };
  });
}

/**
 * Adds what is missing: an event that has our hook already, also inside somebody's own command, stays as it is.
 * Hooks of ours whose command is among the `outdated`, and doubled ones, are removed first. Throws
 * `UnusableSettings`.
 */
export function withHooks(
  text: string,
  agent: AgentName,
  table: HookEvents,
  command: string,
  isOutdated: (command: string) => boolean,
): Appended {
  const present = ourHooks(text, agent);
  const isSound = present.every(({ event, command: known, isWrapped }) => {
    const isAlone = present.filter((other) => other.event === event).length === 1;
    return isWrapped || (isAlone && !isOutdated(known));
  });
  const start = isSound ? text : withoutHooks(text, agent, []);
  const events = new Set(ourHooks(start, agent).map(({ event }) => event));
  const missing = table.events.filter((event) => !events.has(event));
  const item = { hooks: [{ type: 'command', command, ...table.fields }] };
  const made: JsonPath[] = [];
  let edited = start;
  for (const event of missing) {
    const appended = appendTo(edited, [HOOKS, event], item);
    edited = appended.text;
    made.push(...appended.made);
  }
  expectValue(edited, plusHooks(settingsIn(start), missing, item));
  return { text: edited, made };
}

/**
 * Removes our hooks and nothing else. `made`: the containers that we made, which go once they are empty; null
 * where nobody knows: then all that are empty because of this. Throws `UnusableSettings`.
 */
export function withoutHooks(
  text: string,
  agent: AgentName,
  made: readonly JsonPath[] | null,
): string {
  let edited = text;
  for (;;) {
    const found = handlersIn(edited, agent).find(({ isWrapped }) => !isWrapped);
    if (found === undefined) break;
    edited = withoutHandler(edited, found, made);
  }
  if (edited !== text) expectValue(edited, minusHooks(settingsIn(text), agent));
  return edited;
}

function withoutHandler(
  text: string,
  { handler, group, event }: Handler,
  made: readonly JsonPath[] | null,
): string {
  const isAlone = (group.parent?.children ?? []).length === 1;
  const isLast = (handler.parent?.children ?? []).length === 1;
  const edited = without(text, isLast ? group : handler);
  return isLast && isAlone ? withoutEmpty(edited, [HOOKS, event], made) : edited;
}

/** Removes an empty container, and the one around it if that is empty then. */
function withoutEmpty(text: string, path: JsonPath, made: readonly JsonPath[] | null): string {
  const root = readSettings(text);
  const container = root && valueAt(root, path);
  const isOurs = made === null || made.some((one) => one.join('\0') === path.join('\0'));
  const isEmpty = container !== null && (container.children ?? []).length === 0;
  // A comment in it is somebody's.
  const isBare = container !== null && container.length === '[]'.length;
  if (path.length === 0 || !isOurs || !isEmpty || !isBare || !container.parent) return text;
  return withoutEmpty(without(text, container.parent), path.slice(0, -1), made);
}

interface Handler extends OurHook {
  readonly handler: Node;
  /** The object with a matcher that holds it. */
  readonly group: Node;
}

function handlersIn(text: string, agent: AgentName): Handler[] {
  const root = readSettings(text);
  const events = root && valueAt(root, [HOOKS]);
  return (events?.children ?? []).flatMap(({ children: [name, groups] = [] }) =>
    (groups?.children ?? []).flatMap((group) =>
      (valueAt(group, [HOOKS])?.children ?? []).flatMap((handler): Handler[] => {
        const command: unknown = valueAt(handler, ['command'])?.value;
        if (typeof command !== 'string' || ourCommandIn(command, agent) === null) return [];
        const isWrapped = !isOurCommand(command, agent);
        return [{ event: String(name?.value), command, isWrapped, handler, group }];
      }),
    ),
  );
}

type Settings = Readonly<Record<string, unknown>>;

function settingsIn(text: string): Settings {
  const root = readSettings(text);
  return root === null ? {} : (getNodeValue(root) as Settings);
}

/** The settings are somebody's: a text that came to mean anything else than it should is not written. */
function expectValue(text: string, expected: Settings): void {
  let isSame = false;
  try {
    isSame = comparable(settingsIn(text)) === comparable(expected);
  } catch (error) {
    if (!(error instanceof UnusableSettings)) throw error;
  }
  if (!isSame) throw new UnusableSettings('is written in a way that cannot be edited safely');
}

/** Whether empty containers stay is a matter of the text: of comments in them, and of who made them. */
function comparable(settings: Settings): string {
  const isEmpty = (groups: unknown): boolean => Array.isArray(groups) && groups.length === 0;
  const { hooks } = withEvents(settings, (events) =>
    Object.fromEntries(Object.entries(events).filter(([, groups]) => !isEmpty(groups))),
  );
  const isBare = JSON.stringify(hooks) === '{}';
  return JSON.stringify({ ...settings, [HOOKS]: isBare ? undefined : hooks });
}

function plusHooks(settings: Settings, added: readonly string[], item: unknown): Settings {
  return withEvents({ ...settings, [HOOKS]: settings[HOOKS] ?? {} }, (events) => ({
    ...events,
    ...Object.fromEntries(added.map((event) => [event, [...listIn(events[event]), item]])),
  }));
}

function minusHooks(settings: Settings, agent: AgentName): Settings {
  return withEvents(settings, (events) => {
    const others = Object.entries(events).map(([event, groups]) => {
      const isList = Array.isArray(groups);
      return [event, isList ? groups.flatMap((group) => minusIn(group, agent)) : groups];
    });
    return Object.fromEntries(others);
  });
}

function withEvents(settings: Settings, edit: (events: Settings) => Settings): Settings {
  const events = settings[HOOKS];
  return isObject(events) ? { ...settings, [HOOKS]: edit(events) } : settings;
}

function minusIn(group: unknown, agent: AgentName): unknown[] {
  if (!isObject(group)) return [group];
  const handlers = listIn(group[HOOKS]);
  const others = handlers.filter((handler) => {
    const command = isObject(handler) ? handler.command : null;
    return typeof command !== 'string' || !isOurCommand(command, agent);
  });
  if (others.length === handlers.length) return [group];
  return others.length === 0 ? [] : [{ ...group, [HOOKS]: others }];
}

function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
