import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { BUNDLE_INPUTS, inCheckout } from './bundle-inputs.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

const [, , folder = 'dist/chat'] = process.argv;
const target = resolve(inCheckout('.'), folder);

// The command line once more, with the interactive agent in it. By itself, since the agent's parts wait for
// one another while they are loaded, which modules of the kind that starts fastest cannot do.
const bundle = await rolldown({
  input: { ...BUNDLE_INPUTS },
  platform: 'node',
  // The SDK comes with a binary of its own, and only if somebody wants it.
  external: [/^node:/, '@anthropic-ai/claude-agent-sdk', 'react-devtools-core'],
  treeshake: { moduleSideEffects: (id) => id.includes('node_modules') },
  transform: {
    define: { 'import.meta.main': 'false', 'process.env.NODE_ENV': '"production"' },
  },
});
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
const modules = output.flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
writeFileSync(join(target, 'third-party-licenses.txt'), thirdPartyLicenses(modules));
