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
import('../dist/cli/main.js').then(
  (cli) => cli.runCli(),
  (error) => {
    process.stderr.write(`savepoint: the installation is damaged: ${error.message}\n`);
    process.exitCode = 1;
  },
);
