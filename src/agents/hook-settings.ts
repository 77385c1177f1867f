import type { Node } from 'jsonc-parser';
import type { AgentName } from './agent-adapter.ts';
import { appendTo, type JsonPath, readSettings, valueAt, without } from './settings-text.ts';

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

export interface EditedSettings {
  readonly text: string;
  /** The containers that had to be made, outermost first. */
  readonly made: readonly JsonPath[];
}

/** A registered hook of ours. */
export interface OurHook {
  readonly event: string;
  readonly command: string;
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

/** Our hooks in a text, in its order. Throws `UnusableSettings`. */
export function ourHooks(text: string, agent: AgentName): OurHook[] {
  return handlersIn(text, agent).map(({ event, command }) => ({ event, command }));
}

/**
 * Adds what is missing: an event that has our hook already stays as it is. Hooks whose command is among the
 * `outdated`, and doubled ones, are removed first. Throws `UnusableSettings`.
 */
export function withHooks(
  text: string,
  agent: AgentName,
  table: HookEvents,
  command: string,
  isOutdated: (command: string) => boolean,
): EditedSettings {
  const present = ourHooks(text, agent);
  const events = new Set(present.map(({ event }) => event));
  const isSound =
    events.size === present.length && !present.some((hook) => isOutdated(hook.command));
  const start = isSound ? text : withoutHooks(text, agent, []);
  const missing = table.events.filter((event) => !(isSound && events.has(event)));
  const item = { hooks: [{ type: 'command', command, ...table.fields }] };
  const made: JsonPath[] = [];
  let edited = start;
  for (const event of missing) {
    const appended = appendTo(edited, [HOOKS, event], item);
    edited = appended.text;
    made.push(...appended.made);
  }
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
  const [found] = handlersIn(text, agent);
  if (found === undefined) return text;
  const { handler, group, event } = found;
  const isAlone = (group.parent?.children ?? []).length === 1;
  const isLast = (handler.parent?.children ?? []).length === 1;
  let edited = without(text, isLast ? group : handler);
  if (isLast && isAlone) edited = withoutEmpty(edited, [HOOKS, event], made);
  return withoutHooks(edited, agent, made);
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
        const isOurs = typeof command === 'string' && ourCommandIn(command, agent) !== null;
        return isOurs ? [{ event: String(name?.value), command, handler, group }] : [];
      }),
    ),
  );
}
