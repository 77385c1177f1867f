#!/usr/bin/env node
// Plain, old syntax on purpose: this file must still parse on a Node that is too old to run the rest.
'use strict';
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'savepoint: needs Node 22.19 or newer, this is ' + process.version + ' (see https://nodejs.org)\n',
  );
  process.exit(2);
}
import('../dist/cli/main.js').then(function (cli) {
  return cli.runCli();
});
