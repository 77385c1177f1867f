import type { Command } from './command.ts';

/** Every verb, in the order of the help. Loaded one by one: a command pays for itself alone. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./commands/init.ts')).init,
  list: async () => (await import('./commands/list.ts')).list,
  show: async () => (await import('./commands/show.ts')).show,
  diff: async () => (await import('./commands/diff.ts')).diff,
  why: async () => (await import('./commands/why.ts')).why,
  rewind: async () => (await import('./commands/rewind.ts')).rewind,
  undo: async () => (await import('./commands/undo.ts')).undo,
  redo: async () => (await import('./commands/undo.ts')).redo,
  save: async () => (await import('./commands/save.ts')).save,
  label: async () => (await import('./commands/save.ts')).label,
  sessions: async () => (await import('./commands/sessions.ts')).sessions,
  ops: async () => (await import('./commands/ops.ts')).ops,
  executions: async () => (await import('./commands/executions.ts')).executions,
  web: async () => (await import('./commands/web.ts')).web,
  run: async () => (await import('./commands/run.ts')).run,
  status: async () => (await import('./commands/status.ts')).status,
  materialize: async () => (await import('./commands/materialize.ts')).materialize,
  export: async () => (await import('./commands/transfer.ts')).exportCommand,
  import: async () => (await import('./commands/transfer.ts')).importCommand,
  takeover: async () => (await import('./commands/transfer.ts')).takeover,
  adopt: async () => (await import('./commands/adopt.ts')).adopt,
  completion: async () => (await import('./commands/completion.ts')).completion,
  prune: async () => (await import('./commands/prune.ts')).prune,
  purge: async () => (await import('./commands/purge.ts')).purge,
  fsck: async () => (await import('./commands/fsck.ts')).fsck,
  store: async () => (await import('./commands/store.ts')).store,
  config: async () => (await import('./commands/config.ts')).config,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  off: async () => (await import('./commands/switch.ts')).off,
  on: async () => (await import('./commands/switch.ts')).on,
  uninstall: async () => (await import('./commands/init.ts')).uninstall,
  hook: async () => (await import('./commands/hook.ts')).hook,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  chat: async () => (await import('./commands/chat.ts')).chat,
  demo: async () => (await import('./commands/demo.ts')).demo,
};

/** Null for a word that is not a verb. */
export async function loadCommand(word: string): Promise<Command | null> {
  const load = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  return load === undefined ? null : load();
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
