import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { inCheckout } from './bundle-inputs.ts';
import { lateBuiltins } from './late-builtins.ts';
import { thirdPartyText } from './third-party.ts';

const [, , folder = 'dist'] = process.argv;
const target = resolve(inCheckout('.'), folder);

// Node takes about a millisecond to load a module, and the engine has hundreds. Each published entry becomes
// one file, and what several entries share becomes a chunk that all of them load: a class is the same class
// whichever entry it was imported from.
const bundle = await rolldown({
  input: {
    index: inCheckout('src/index.ts'),
    'execution/index': inCheckout('src/execution/index.ts'),
    'integrations/file-checkpoint/index': inCheckout('src/integrations/file-checkpoint/index.ts'),
    'integrations/ipc/index': inCheckout('src/integrations/ipc/index.ts'),
    'replica/library': inCheckout('src/replica/library.ts'),
    'store/postgres/index': inCheckout('src/store/postgres/index.ts'),
    'testing/index': inCheckout('src/testing/index.ts'),
    'chunks/scan-worker': inCheckout('src/capture/scan/scan-worker.ts'),
  },
  platform: 'node',
  external: [/^node:/, 'vitest', '@anthropic-ai/claude-agent-sdk', 'pg'],
  treeshake: { moduleSideEffects: false },
  plugins: [lateBuiltins()],
});
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  // Names stay, so that a stack trace says something.
  minify: { compress: true, mangle: false, codegen: true },
  entryFileNames: '[name].js',
  // Beside the worker, which the code that starts it looks for in its own folder.
  chunkFileNames: 'chunks/[name]-[hash].js',
  // The words are in every entry, and small.
  codeSplitting: { groups: [{ name: 'model', test: /src\/model\/[^/]+\.ts$/ }] },
});
await bundle.close();
const modules = output.flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
writeFileSync(join(target, 'THIRD-PARTY.md'), thirdPartyText(modules));
