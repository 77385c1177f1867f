import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { BUNDLE_INPUTS, inCheckout } from './bundle-inputs.ts';
import { lateBuiltins } from './late-builtins.ts';
import { thirdPartyText } from './third-party.ts';

const [, , folder = 'dist/cli'] = process.argv;
const target = resolve(inCheckout('.'), folder);

// Loading two hundred small modules takes longer than most commands: the command line comes in a few
// files, cut where a command is loaded by itself.
const bundle = await rolldown({
  input: { ...BUNDLE_INPUTS },
  platform: 'node',
  // The SDK comes with a binary of its own, and only if somebody wants it.
  external: [/^node:/, '@anthropic-ai/claude-agent-sdk'],
  // A package that has an ES module as well: what it has for `require` may hide its parts from a bundle.
  resolve: { mainFields: ['module', 'main'] },
  // No module does anything by being imported, so a command takes along only what it uses.
  treeshake: { moduleSideEffects: false },
  // It is `bin/savepoint.cjs` that is run.
  transform: { define: { 'import.meta.main': 'false' } },
  plugins: [lateBuiltins()],
});
const { output } = await bundle.write({
  dir: target,
  // Not ESM: an import of `node:fs` there asks for each of its members, which loads streams and more.
  format: 'cjs',
  // The SDK is required: code that `bin/load-compiled.cjs` has compiled cannot import.
  dynamicImportInCjs: false,
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Otherwise each combination of commands that share something would get a file of its own.
  codeSplitting: {
    groups: [
      // Each file takes a moment to load, and the tables of all agents are small.
      {
        name: 'agents',
        test: /src\/agents\/(hook|hook-log|adapters|[a-z-]+\/parse)\.ts$/,
        priority: 3,
      },
      // What a hook loads for an event that means nothing, which most do.
      {
        name: 'base',
        test: /src\/(model\/(check|errors|display)|fs\/(entries|read-file|write-file)|config\/find-project|engine\/(load|project))\.ts$/,
        priority: 4,
      },
      // What a worker thread loads as well, which needs no more.
      {
        name: 'walk',
        test: /src\/capture\/scan\/(check-known|entry-stat|file-system|first-walk|index-columns|scan-control)\.ts$/,
        priority: 3,
      },
      { name: 'engine', test: /src\/engine\/(savepoint|open-savepoint)\.ts$/, priority: 2 },
      { name: 'config', test: /src\/config\/(?!move-project)[^/]+\.ts$/, priority: 1 },
      { name: 'recording', test: /src\/agents\/(record-for|first-scan|switch)\.ts$/, priority: 1 },
      // But for the first module, which does its work before SQLite is loaded, and what most commands do not need.
      {
        name: 'line',
        test: /src\/(cli\/(?!main|carry-out|choose-hunks|fork-conversation|why-)|terminal\/(?!conflict-text|diff-text|given-file|plan-|settings-))[^/]+\.ts$/,
        priority: 0,
      },
    ],
  },
});
await bundle.close();
// In plain ASCII, which is loaded byte by byte: one other sign would make each take two.
const files = output.flatMap((file) => ('code' in file ? [[file.fileName, ascii(file.code)]] : []));
for (const [name = '', code = ''] of files) writeFileSync(join(target, name), code);
const modules = output.flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
writeFileSync(join(target, 'THIRD-PARTY.md'), thirdPartyText(modules));
// What is kept of this build at run time is kept under its name: see bin/load-compiled.cjs.
const build = hash('sha256', files.flat().join(''));
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ type: 'commonjs', build: build.slice(0, 16) })}\n`,
);

function ascii(code: string): string {
  return code.replaceAll(
    /[^\x00-\x7f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
