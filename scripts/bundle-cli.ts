import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Loading two hundred small modules takes longer than most commands: the command line comes in a few
// files, cut where a command is loaded by itself. The library stays as it is, one file for each module.
const bundle = await rolldown({
  input: {
    main: at('src/cli/main.ts'),
    // Found beside the code that starts it.
    'scan-worker': at('src/capture/scan/scan-worker.ts'),
  },
  platform: 'node',
  external: [/^node:/],
  // No module does anything by being imported, so a command takes along only what it uses.
  treeshake: { moduleSideEffects: false },
});
await bundle.write({
  dir: at('dist/cli'),
  format: 'esm',
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
