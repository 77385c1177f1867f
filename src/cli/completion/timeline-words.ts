import { findProject, storeHome } from '../../config/find-project.ts';
import { openStoreIn } from '../../config/project-store.ts';
import { configurationOf } from '../../config/settings.ts';
import { exists, realPath } from '../../fs/entries.ts';
import { type Checkpoint, type Store, storeDirectory } from '../../index.ts';
import { relativeTime } from '../../terminal/phrases.ts';
import type { Io } from '../io.ts';
import { type Candidate, isHarmless } from './complete.ts';

const NEWEST = 200;
// Somebody has pressed a key.
const IMPATIENT = { connectTimeoutMs: 1_000, queryTimeoutMs: 1_000 };

/** What a timeline has names for. */
type Things = 'checkpoint' | 'session' | 'operation' | 'execution' | 'agent';

/**
 * Names of the things on a timeline. Only reads, and straight from the store: pressing a key must not
 * finish a restore, wait for a lock or begin anything.
 */
export async function timelineWords(
  io: Io,
  values: ReadonlyMap<string, string>,
  what: Things,
): Promise<Candidate[]> {
  const project = realPath(findProject({ io, values }));
  const directory = storeDirectory(storeHome(io), project);
  if (!exists(directory)) return [];
  const { values: database } = configurationOf(io, project);
  const options = { surroundings: io, database, patience: IMPATIENT, create: false };
  const store = await openStoreIn(directory, options);
  try {
    return (await WORDS[what](store, io.now())).filter(isHarmless);
  } finally {
    await store.close();
  }
}

type Words = (store: Store, now: number) => Promise<Candidate[]>;

const WORDS: Record<Things, Words> = {
  checkpoint: async (store, now) => {
    const found = await store.timeline.checkpoints({ limit: NEWEST });
    const labels = found.flatMap((one) =>
      one.label === null ? [] : [{ value: one.label, about: aboutOf(one, now) }],
    );
    const ids = found.map((one) => ({ value: one.id, about: aboutOf(one, now) }));
    return [{ value: 'latest', about: 'the newest checkpoint' }, ...labels, ...ids];
  },
  session: async (store, now) =>
    (await store.timeline.sessions()).slice(0, NEWEST).map(({ id, agent, lastActiveAt }) => ({
      value: id,
      about: `${agent}, ${relativeTime(lastActiveAt, now)}`,
    })),
  operation: async (store, now) =>
    (await store.timeline.operations({ limit: NEWEST })).map(({ id, description, createdAt }) => ({
      value: id,
      about: `${description}, ${relativeTime(createdAt, now)}`,
    })),
  execution: async (store, now) => {
    const steps = (await store.timeline.executions()).map(({ id, status, updatedAt }) => ({
      value: id,
      about: `${status}, ${relativeTime(updatedAt, now)}`,
    }));
    const { ExecutionCheckpoints, PersistenceManager, ProjectStorage } = await import(
      '../../execution/index.ts'
    );
    const documents = new PersistenceManager(new ProjectStorage({ store }));
    const known = new Set(steps.map(({ value }) => value));
    const ids = [...(await new ExecutionCheckpoints(documents).listExecutions()).keys()];
    const kept = ids.filter((id) => !known.has(id));
    return [...steps, ...kept.map((value) => ({ value, about: 'checkpoints' }))].slice(0, NEWEST);
  },
  agent: async (store) => {
    const agents = (await store.timeline.sessions()).map(({ agent }) => agent);
    return [...new Set(agents)].map((value) => ({ value, about: '' }));
  },
};

function aboutOf({ description, createdAt }: Checkpoint, now: number): string {
  return `${description}, ${relativeTime(createdAt, now)}`;
}
