#!/usr/bin/env node
// Plain, old syntax on purpose: this file must still parse on a Node that is too old to run the rest.
'use strict';
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
// Before these, zstd ignores dictionaries without a word, and stored bytes could not be read back.
var tooOld =
  major < 22 || (major === 22 && minor < 19) || major === 23 || (major === 24 && minor < 6);
// An agent waits for its hook, and some take every other exit code for a no: a hook never fails.
var words = process.argv.slice(2);
var isHook = words[0] === 'hook' && words.indexOf('--help') === -1 && words.indexOf('-h') === -1;
if (tooOld) {
  process.stderr.write(
    `savepoint: needs Node 22.19 or newer (of Node 24: 24.6), this is ${process.version}\n`,
  );
  process.exit(isHook ? 0 : 2);
}
// A checkout that was not built yet has its sources, which this Node runs as they are; a package has none.
var path = require('node:path');
var fs = require('node:fs');
var built = path.join(__dirname, '..', 'dist', 'cli');
// A hook is a program of its own, which loads nothing of the other commands.
var entry = isHook ? 'hook.js' : 'main.js';
var source = path.join(__dirname, '..', 'src', isHook ? 'agents/hook-main.ts' : 'cli/main.ts');
var checkout = fs.existsSync(source);
var isBuilt = fs.existsSync(path.join(built, entry)) || !checkout;
(isBuilt ? loadBuilt() : loadSource()).then(
  async ({ cli, keep }) => {
    // Only of what went as it should: a word that is no command would be kept as one.
    var did = isHook ? await cli.runHookProcess() : (await cli.runCli()) === 0 ? '' : null;
    if (did !== null) keep(did);
    // Nothing is left to do, so the process ends. `process.exit` could hang here: it joins V8's threads,
    // and one of them may be waiting for this one to collect garbage.
  },
  (error) => {
    var remedy = checkout ? 'npm install && npm run build' : 'install savepoint again';
    process.stderr.write(
      `savepoint: the installation is damaged: ${error.message.split('\n')[0]}\nhint: ${remedy}\n`,
    );
    process.exitCode = isHook ? 0 : 1;
  },
);

async function loadBuilt() {
  var { loadCompiled, placeFor } = require('./load-compiled.cjs');
  var { build } = JSON.parse(fs.readFileSync(path.join(built, 'package.json'), 'utf8'));
  var place = placeFor({ build, words, env: process.env });
  var { exports: cli, keep } = loadCompiled(built, entry, place);
  return { cli, keep };
}

async function loadSource() {
  // What was compiled once is not compiled again; a folder that cannot be written costs only the time.
  require('node:module').enableCompileCache();
  var cli = await import(require('node:url').pathToFileURL(source).href);
  return { cli, keep: () => {} };
}
