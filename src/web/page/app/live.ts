import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveEvent } from '../../api.ts';
import { access, request } from './api-client.ts';
import { inProject } from './projects.ts';
import { route } from './router.ts';

/** Whether what happens in the project that is shown appears by itself. `idle`: no project is shown. */
export const connection = signal<'idle' | 'connecting' | 'live' | 'away'>('idle');

type Listener = (event: LiveEvent, project: string) => void;
const listeners = new Set<Listener>();

/** Calls back at each event of the project that is shown. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hear: Listener = (event, project) => latest.current(event, project);
    listeners.add(hear);
    return () => {
      listeners.delete(hear);
    };
  }, []);
}

/** Keeps a stream of events open while a project is shown. A hidden page ends it: browsers open few connections. */
export function listen(): void {
  const visible = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => {
    visible.value = !document.hidden;
  });
  let shown: string | null = null;
  let stream = new AbortController();
  effect(() => {
    const { value: here } = route;
    const project =
      'project' in here && here.view !== 'store' && visible.value && access.value === 'given'
        ? (here.project ?? null)
        : null;
    if (project === shown) return;
    shown = project;
    stream.abort();
    stream = new AbortController();
    connection.value = project === null ? 'idle' : 'connecting';
    if (project !== null) follow(project, stream.signal);
  });
}

const RETRY_MS = [300, 1000, 3000] as const;
/** The newest number heard of each project: a stream that begins again tells what came since. */
const heard = new Map<string, number>();

async function follow(project: string, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const query = { since: heard.get(project) };
      const { body } = await request(inProject(project, 'events'), { query, signal });
      connection.value = 'live';
      failures = 0;
      for await (const event of eventsIn(body?.getReader())) {
        if (event.type === 'changed') heard.set(project, event.seq);
        for (const listener of listeners) listener(event, project);
      }
    } catch {}
    if (signal.aborted) return;
    connection.value = 'away';
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, 2)]));
  }
}

// By a reader: Safari has no `for await` over a stream.
async function* eventsIn(body: ByteReader | undefined): AsyncGenerator<LiveEvent> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for (let read = await body?.read(); read?.value !== undefined; read = await body?.read()) {
      text += decoder.decode(read.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
        if (data.length > 0) yield JSON.parse(data.join('\n')) as LiveEvent;
      }
    }
  } finally {
    // A listener that throws must not leave a connection behind: browsers open few.
    await body?.cancel().catch(() => {});
  }
}

type ByteReader = ReadableStreamDefaultReader<Uint8Array>;
