#!/usr/bin/env node
// Plain, old syntax on purpose: this file must still parse on a Node that is too old to run the rest.
'use strict';
// The same as `savepoint chat`, under the name by which people know the agent; both have one version.
var isVersion = process.argv[2] === '--version' || process.argv[2] === '-v';
if (!isVersion) process.argv.splice(2, 0, 'chat');
require('./savepoint.cjs');
