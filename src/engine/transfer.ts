import { AMOUNT, BOOLEAN, check, ID, type Kind, object, optional } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import type { Session } from '../model/session.ts';
import type { Store, WorktreeEntry } from '../store/store.ts';
import { importedSessions } from '../timeline/checkpoints.ts';
import {
  DEFAULT_LIMITS,
  type ExportReceipt,
  type ExportRequest,
  type ImportReceipt,
  type TakeoverReceipt,
  type TakeoverRequest,
  type TransferCounts,
  type TransferLimits,
} from '../transfer/requests.ts';
import { NAMED_PATHS } from './requests.ts';
import type { Workbench } from './workbench.ts';

const EXPORT_REQUEST: Kind<ExportRequest> = object({
  sessionId: optional(ID),
  all: optional(BOOLEAN),
  privatePaths: optional(NAMED_PATHS),
});

const LIMITS: Kind<Partial<TransferLimits>> = object({
  maxRows: optional(AMOUNT),
  maxBlobs: optional(AMOUNT),
  maxBlobBytes: optional(AMOUNT),
  maxTotalBytes: optional(AMOUNT),
});

/** The bytes of an export. The code is loaded on demand, because most processes need no export. */
export async function* exportSessions(
  bench: Workbench,
  request: ExportRequest,
): AsyncGenerator<Uint8Array, ExportReceipt> {
  check(EXPORT_REQUEST, 'request', request);
  const transfer = await import('../transfer/export-sessions.ts');
  return yield* transfer.exportSessions(bench.site, request);
}

export async function importSessions(
  bench: Workbench,
  source: AsyncIterable<Uint8Array>,
  limits: Partial<TransferLimits> = {},
): Promise<ImportReceipt> {
  const all = limitsFrom(limits);
  const transfer = await import('../transfer/import-sessions.ts');
  return bench.locked(() => transfer.importSessions(bench.site, source, all, bench.settings.now()));
}

/** Checks an export without a store. Throws the error that an import would throw. */
export async function verifyExport(
  source: AsyncIterable<Uint8Array>,
  limits: Partial<TransferLimits> = {},
): Promise<TransferCounts> {
  const all = limitsFrom(limits);
  const transfer = await import('../transfer/import-sessions.ts');
  return transfer.verifyExport(source, all);
}

const TAKEOVER_REQUEST: Kind<TakeoverRequest> = object({
  sessionId: ID,
  from: optional(ID),
  privatePaths: optional(NAMED_PATHS),
});

export async function takeover(
  bench: Workbench,
  request: TakeoverRequest,
): Promise<TakeoverReceipt> {
  check(TAKEOVER_REQUEST, 'request', request);
  const { takeOver } = await import('../transfer/take-over.ts');
  return bench.locked(() => takeOver(bench.site, request, bench.settings.now()));
}

/** A session, and the worktree that has it on record. */
export interface SessionElsewhere {
  readonly worktree: WorktreeEntry;
  readonly session: Session;
  /** Whether it was brought there from another worktree, and nobody went on with it. */
  readonly isImported: boolean;
}

/** The sessions of all other worktrees, most recently active first. */
export async function sessionsElsewhere(store: Store): Promise<SessionElsewhere[]> {
  const found: SessionElsewhere[] = [];
  for (const worktree of (await store.worktrees?.list()) ?? []) {
    const reader = worktree.isThis ? undefined : await store.worktrees?.reader(worktree.id);
    if (reader === undefined) continue;
    const sessions = await reader.timeline.sessions();
    const imported = await importedSessions(
      reader,
      sessions.map(({ id }) => id),
    );
    found.push(
      ...sessions.map((session) => ({ worktree, session, isImported: imported.has(session.id) })),
    );
  }
  return found.sort((a, b) => b.session.lastActiveAt - a.session.lastActiveAt);
}

/** The worktree with this machine, or whose id begins like this. */
export async function findWorktree(store: Store, text: string): Promise<WorktreeEntry> {
  const all = (await store.worktrees?.list()) ?? [];
  const byMachine = all.filter(({ machine }) => machine === text);
  const byId = text === '' ? [] : all.filter(({ id }) => id.startsWith(text));
  const found = byId.length > 0 ? byId : byMachine;
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const [code, message] =
    first === undefined
      ? (['worktree-not-found', 'the project has no such worktree'] as const)
      : (['worktree-ambiguous', 'this fits several worktrees of the project'] as const);
  throw new SavepointError(code, message, {
    hint: 'name one by the beginning of its id; savepoint store shows them',
    ...(first === undefined ? {} : { details: found.slice(0, SHOWN).map(candidateOf) }),
  });
}

const SHOWN = 10;

/** As the candidates of other ids. */
function candidateOf({ id, machine, root, activeAt }: WorktreeEntry): object {
  return { id, description: `${machine}, ${root}`, label: null, createdAt: activeAt };
}

function limitsFrom(limits: Partial<TransferLimits>): TransferLimits {
  check(LIMITS, 'limits', limits);
  return { ...DEFAULT_LIMITS, ...limits };
}
