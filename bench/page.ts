import { fileURLToPath } from 'node:url';
import { FIRST_VIEW_BYTES, firstViewBytes } from '../scripts/page-size.ts';
import { atMost, type Benchmark } from './benchmark.ts';

const PAGE = fileURLToPath(new URL('../dist/web', import.meta.url));

/** What a browser loads from `savepoint web` before it shows something. */
export const PAGE_SIZE: readonly Benchmark[] = [
  {
    name: 'the script of the first view of the page, compressed, without grammars',
    against: '200 KB',
    bar: atMost(1),
    unit: 'bytes',
    run: async () => ({ ours: [firstViewBytes(PAGE)], theirs: [FIRST_VIEW_BYTES] }),
  },
];
