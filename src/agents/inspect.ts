import { join } from 'node:path';
import { isThere, statOf } from '../fs/entries.ts';
import { recordOf, unchecked } from '../model/check.ts';
import type { AgentSettings, RegisteredHook } from './agent-settings.ts';
import { isRunnable, isUsed, registeredFor, type Site } from './installation.ts';
import { readJson } from './read-json.ts';

/** Something that keeps an agent from being recorded, and the command or act that mends it. */
export interface Finding {
  readonly code: FindingCode;
  readonly message: string;
  readonly fix: string;
}

export const AGENT_FINDINGS = [
  'hooks-missing',
  'hooks-incomplete',
  'hooks-doubled',
  'hooks-unreadable',
  'hooks-switched-off',
  'hooks-untrusted',
  'hook-program-missing',
] as const;

type FindingCode = (typeof AGENT_FINDINGS)[number];

/** When the hook of an agent ran last, for which event, and of which version of the agent, if that is known. */
export interface Seen {
  readonly at: number;
  readonly event: string | null;
  readonly version: string | null;
}

export interface AgentHealth {
  readonly isUsed: boolean;
  readonly hooks: readonly RegisteredHook[];
  readonly seen: Seen | null;
  readonly findings: readonly Finding[];
}

/** Looks at everything about an agent that can be seen without running it. Writes nothing. */
export function inspectAgent(agent: AgentSettings, site: Site, storeHome: string): AgentHealth {
  const { hooks, unusable, switchedOffIn } = registeredFor(agent, site);
  const { name, title } = agent;
  const isFound = isUsed(agent, site);
  const findings: Finding[] = unusable.map(({ message, hint }) => {
    return { code: 'hooks-unreadable', message, fix: hint };
  });
  const setUp = `savepoint init --agent ${name}`;
  if (hooks.length === 0 && isFound && unusable.length === 0) {
    const message = `${title} is here, and has no hooks of Savepoint: nothing of it is recorded`;
    findings.push({ code: 'hooks-missing', message, fix: setUp });
  }
  const doubled = doubledEvents(hooks);
  if (doubled.length > 0) {
    const files = [...new Set(doubled.map(({ file }) => file))].join(', ');
    const message = `${title} has hooks for the same event twice (${files})`;
    const fix = `savepoint uninstall --agent ${name} && ${setUp}`;
    findings.push({ code: 'hooks-doubled', message, fix });
  }
  const lacking = lackingEvents(agent, hooks);
  if (lacking.length > 0) {
    const message = `${title} has no hook for ${lacking.join(', ')}`;
    findings.push({ code: 'hooks-incomplete', message, fix: setUp });
  }
  // Nobody but a shell knows where somebody's own command finds its programs.
  const lost = hooks.find(({ command, isWrapped }) => !isWrapped && !isRunnable(command, site));
  if (lost !== undefined) {
    const message = `the program of a hook is gone (${lost.command}, in ${lost.file})`;
    findings.push({ code: 'hook-program-missing', message, fix: setUp });
  }
  if (hooks.length > 0 && switchedOffIn.length > 0) {
    const message = `${title} runs no hooks at all: they are switched off in ${switchedOffIn.join(', ')}`;
    findings.push({ code: 'hooks-switched-off', message, fix: 'switch hooks on there' });
  }
  const untrusted = agent.untrusted?.(hooks, site) ?? [];
  const [first] = untrusted;
  if (first !== undefined) {
    const message = `${title} does not run ${untrusted.length} of the hooks: nobody has trusted them yet`;
    const fix = agent.toTrust?.[first.scope] ?? `trust them in ${title}`;
    findings.push({ code: 'hooks-untrusted', message, fix });
  }
  return { isUsed: isFound, hooks, seen: seenAt(storeHome, name), findings };
}

/** Events that have our hook more than once, over all scopes. */
function doubledEvents(hooks: readonly RegisteredHook[]): RegisteredHook[] {
  return hooks.filter(({ event }) => {
    const same = hooks.filter((other) => other.event === event);
    // Of files that are wholly ours, each script is for an event of its own.
    const isWhole = event === '*' && same.every((other) => other.scope === same[0]?.scope);
    return same.length > 1 && !isWhole;
  });
}

function lackingEvents(
  { hooks: table }: AgentSettings,
  hooks: readonly RegisteredHook[],
): string[] {
  if (table === undefined || hooks.length === 0) return [];
  return table.events.filter((event) => !hooks.some((hook) => hook.event === event));
}

const MOST_BYTES = 64 * 1024;
const SEEN = recordOf(unchecked<unknown>());

/** The hook leaves a file behind whose time is that of its last run. */
function seenAt(storeHome: string, agent: string): Seen | null {
  const file = join(storeHome, 'seen', agent);
  if (!isThere(file)) return null;
  const at = Number(statOf(file).mtimeMs);
  const { event, version } = readJson(SEEN, file, { maxBytes: MOST_BYTES }) ?? {};
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { at, event: text(event), version: text(version) };
}
