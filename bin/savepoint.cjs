#!/usr/bin/env node
// Plain, old syntax on purpose: this file must still parse on a Node that is too old to run the rest.
'use strict';
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
// Before these, zstd ignores dictionaries without a word, and stored bytes could not be read back.
var tooOld =
  major < 22 || (major === 22 && minor < 19) || major === 23 || (major === 24 && minor < 6);
if (tooOld) {
  process.stderr.write(
    `savepoint: needs Node 22.19 or newer (of Node 24: 24.6), this is ${process.version}\n`,
  );
  process.exit(2);
}
// A checkout that was not built yet has its sources, which this Node runs as they are; a package has none.
var path = require('node:path');
var fs = require('node:fs');
var built = path.join(__dirname, '..', 'dist', 'cli', 'main.js');
var source = path.join(__dirname, '..', 'src', 'cli', 'main.ts');
var checkout = fs.existsSync(source);
var main = !fs.existsSync(built) && checkout ? source : built;
// What was compiled once is not compiled again; a folder that cannot be written costs only the time.
require('node:module').enableCompileCache();
load().then(
  (cli) => cli.runCli(),
  (error) => {
    var remedy = checkout ? 'npm install && npm run build' : 'install savepoint again';
    process.stderr.write(
      `savepoint: the installation is damaged: ${error.message.split('\n')[0]}\nhint: ${remedy}\n`,
    );
    process.exitCode = 1;
  },
);

/** The build is CommonJS, the sources are ES modules. */
function load() {
  return main === built
    ? Promise.resolve().then(() => require(main))
    : import(require('node:url').pathToFileURL(main).href);
}
