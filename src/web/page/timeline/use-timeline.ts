import { useEffect, useRef, useState } from 'preact/hooks';
import type { LinesAnswer, TimelineAnswer } from '../../api.ts';
import { get, post } from '../app/api-client.ts';
import { useLive } from '../app/live.ts';
import { type Loaded, useLoaded } from '../app/load.ts';
import { announce } from '../app/notices.tsx';
import { inProject } from '../app/projects.ts';
import { counted } from '../ui/shown.ts';
import { parseFilter } from './filter.ts';
import { type Timeline, timelineOf, withNewest } from './timeline-data.ts';

const NEWEST = 200;

/** The timeline of a project as the filter wants it, and as it is now. */
export function useTimeline(project: string, filter: string): Loaded<Timeline> {
  const load = (signal: AbortSignal, part: { limit?: number; before?: number } = {}) =>
    get<TimelineAnswer>(inProject(project, 'timeline'), {
      query: { ...parseFilter(filter), ...part },
      signal,
    });
  const loaded = useLoaded(
    async (signal) => {
      const first = await load(signal);
      return filter === ''
        ? timelineOf(first, false)
        : withOlder(first, (before) => load(signal, { before }));
    },
    [project, filter],
    [project],
  );
  const { again } = loaded;
  const base = loaded.state === 'ready' ? loaded.value : null;
  const [, redraw] = useState(0);
  /** What became of `base` since it was loaded. */
  const live = useRef<{ base: Timeline | null; now: Timeline | null }>({ base: null, now: null });
  if (live.current.base !== base) live.current = { base, now: base };
  const update = (now: Timeline) => {
    live.current = { ...live.current, now };
    redraw((last) => last + 1);
  };

  const lines = useLines(project, live.current.now);
  const heard = useRef(0);
  useEffect(() => {
    heard.current = 0;
  }, [project]);
  const isAsking = useRef(false);
  const catchUp = async () => {
    if (isAsking.current) return;
    isAsking.current = true;
    try {
      const mine = live.current.base;
      while (
        live.current.base === mine &&
        (live.current.now?.seq ?? heard.current) < heard.current
      ) {
        const newest = await load(new AbortController().signal, { limit: NEWEST });
        const { base: still, now } = live.current;
        if (now === null || still !== mine) return;
        const next = withNewest(now, newest, filter !== '');
        update(next);
        const more = next.entries.length - now.entries.length;
        if (more > 0) announce(`${counted(more, 'new entry', 'new entries')} on the timeline`);
      }
    } finally {
      isAsking.current = false;
    }
  };

  useLive((event) => {
    const { now } = live.current;
    if (now === null) return;
    if (event.type === 'running') update({ ...now, running: event.running });
    if (event.type !== 'changed' || event.seq <= now.seq) return;
    heard.current = event.seq;
    lines.forget(event.checkpoints ?? []);
    // An operation changes what is taken back anywhere.
    if (event.operations || event.checkpoints === null) again();
    else if (loaded.state === 'ready' && !loaded.isStale) catchUp().catch(again);
  });

  // What happened while this was being loaded may not be in it.
  useEffect(() => {
    if (base !== null && base.seq < heard.current) catchUp().catch(again);
  }, [base]);

  const { now } = live.current;
  if (loaded.state !== 'ready' || now === null) return loaded;
  return { ...loaded, value: lines.addedTo(now) };
}

const ENOUGH = 10_000;

/** The server looks at a part of the timeline for a filter: goes on with older parts until there is enough to show. */
async function withOlder(
  first: TimelineAnswer,
  load: (before: number) => Promise<TimelineAnswer>,
): Promise<Timeline> {
  const newer: TimelineAnswer[] = [];
  let oldest = first;
  for (let found = first.points.length; found < ENOUGH && oldest.next !== null; ) {
    newer.push(oldest);
    oldest = await load(oldest.next);
    found += oldest.points.length;
  }
  return newer.reduceRight(
    (timeline, answer) => withNewest(timeline, answer, true),
    timelineOf(oldest, true),
  );
}

const LINES_AT_ONCE = 500;

/** Counts the lines of checkpoints for which nobody did before, newest first, one request after the other. */
function useLines(project: string, timeline: Timeline | null) {
  const [counts, setCounts] = useState<LinesAnswer['lines']>({});
  const asked = useRef(new Set<string>());
  const isAsking = useRef(false);
  const count = async (ids: readonly string[]) => {
    isAsking.current = true;
    for (const id of ids) asked.current.add(id);
    try {
      const { lines } = await post<LinesAnswer>(inProject(project, 'lines'), { ids });
      // Those that would have taken too long are asked for again. The first one had all the time there is.
      for (const id of ids.slice(1)) if (lines[id] === undefined) asked.current.delete(id);
      setCounts((last) => ({ ...last, ...lines }));
    } catch {
      // They are asked for again when there is something else to show.
      for (const id of ids) asked.current.delete(id);
    } finally {
      isAsking.current = false;
    }
  };
  useEffect(() => {
    if (isAsking.current) return;
    const missing = (timeline?.entries ?? []).filter(
      (entry) =>
        entry.type === 'checkpoint' &&
        entry.insertions === undefined &&
        (entry.files ?? 0) > 0 &&
        !asked.current.has(entry.id),
    );
    if (missing.length > 0) count(missing.slice(0, LINES_AT_ONCE).map(({ id }) => id));
  });
  return {
    /** More has changed under these: they are counted anew. */
    forget: (ids: readonly string[]) => {
      for (const id of ids) asked.current.delete(id);
    },
    addedTo: (shown: Timeline): Timeline => ({
      ...shown,
      entries: shown.entries.map((entry) =>
        entry.type === 'checkpoint' && entry.insertions === undefined && counts[entry.id]
          ? { ...entry, ...counts[entry.id] }
          : entry,
      ),
    }),
  };
}
