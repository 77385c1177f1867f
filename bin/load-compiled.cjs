'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

/* What V8 made of the command line is kept, for each verb by itself. Node's own compile cache keeps a file
   as it was when it had just been read, before any function of it was called; compiling those again is a
   fifth of what `savepoint list` takes. */

const OLD_AFTER_MS = 30 * 24 * 60 * 60 * 1000;
const MAGIC = 'savepoint compiled 2\n';
const MOST_USES = 30;
const NOTHING = { parts: new Map(), uses: [] };
const OPENED = '(function (exports, require, module, __filename) {';
const CLOSED = '\n})';

/**
 * Loads the file `entry` of a folder in CommonJS, with all that it requires from there. `keep` is called with a word
 * for what was done: other work calls other functions, so that the first time of each adds to what is kept.
 */
function loadCompiled(folder, entry, place) {
  const { parts: kept, uses } = place === null ? NOTHING : readKept(place);
  const modules = new Map();
  const scripts = new Map();
  let isNew = false;

  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = path.join(folder, name);
    const source = OPENED + fs.readFileSync(filename, 'latin1') + CLOSED;
    const cachedData = kept.get(name);
    const script = new vm.Script(source, { filename, cachedData });
    isNew ||= cachedData === undefined || script.cachedDataRejected;
    scripts.set(name, script);
    const module = { exports: {} };
    modules.set(name, module);
    script.runInThisContext()(module.exports, requireFrom, module, filename);
    return module.exports;
  };
  const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));

  const keep = (use = '') => {
    if (place === null || (!isNew && uses.includes(use))) return;
    const parts = new Map([...kept, ...[...scripts].map(compiledOf)]);
    writeKept(place, parts, [...new Set([...uses, use])].slice(-MOST_USES));
  };
  return { exports: load(entry), keep };
}

function compiledOf([name, script]) {
  return [name, script.createCachedData()];
}

/** Where it is kept; null where it is not to be, or cannot be told. */
function placeFor({ build, words, env }) {
  const home = env.XDG_CACHE_HOME || (env.HOME && path.join(env.HOME, '.cache'));
  if (!home || !path.isAbsolute(home) || env.NODE_DISABLE_COMPILE_CACHE) return null;
  // Help calls next to nothing of what a command is made of.
  if (!build || words.includes('--help')) return null;
  const base = path.join(home, 'savepoint', 'compiled');
  const folder = path.join(base, `${build}-${process.version}-${process.arch}`);
  return { base, folder, file: path.join(folder, nameFor(words)) };
}

/** Options may come first; for all of those together there is one file. Programs get something else. */
function nameFor(words) {
  const [verb = '', agent = ''] = words;
  if (verb === 'hook') return /^[a-z-]{1,20}$/.test(agent) ? `hook-${agent}` : '_other';
  if (!/^[a-z]{1,20}$/.test(verb)) return '_other';
  return words.includes('--json') ? `${verb}-json` : verb;
}

/** What cannot be read, or what somebody else could have written, counts as nothing. */
function readKept({ folder, file }) {
  try {
    return isOurs(folder) && isOurs(file) ? partsOf(fs.readFileSync(file)) : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** It is run as it is, so nobody else may have a say in it. */
function isOurs(name) {
  const { uid, mode } = fs.statSync(name);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

function partsOf(bytes) {
  const start = bytes.indexOf('\n', MAGIC.length) + 1;
  if (start === 0 || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return NOTHING;
  const { sizes, uses } = JSON.parse(bytes.toString('utf8', MAGIC.length, start));
  const total = sizes.reduce((sum, [, size]) => sum + size, start);
  if (total !== bytes.length) return NOTHING;
  let end = start;
  const parts = new Map(
    sizes.map(([name, size]) => {
      end += size;
      return [name, bytes.subarray(end - size, end)];
    }),
  );
  return { parts, uses };
}

/** Whole or not at all. Where it cannot be written, the next run takes longer, and that is all. */
function writeKept({ base, folder, file }, parts, uses) {
  const fresh = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(base, { recursive: true, mode: 0o700 });
    if (!fs.existsSync(folder)) removeOld(base);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const sizes = [...parts].map(([name, { length }]) => [name, length]);
    const head = Buffer.from(`${MAGIC}${JSON.stringify({ sizes, uses })}\n`);
    const bytes = Buffer.concat([head, ...parts.values()]);
    // A power cut must not leave something that has the right length.
    fs.writeFileSync(fresh, bytes, { flag: 'wx', mode: 0o600, flush: true });
    fs.renameSync(fresh, file);
  } catch {
    removeIfThere(fresh);
  }
}

function removeIfThere(file) {
  try {
    fs.unlinkSync(file);
  } catch {
    // It could not be made.
  }
}

/** Of builds and Nodes that are no longer there. */
function removeOld(base) {
  for (const name of fs.readdirSync(base)) {
    const folder = path.join(base, name);
    if (Date.now() - fs.statSync(folder).mtimeMs < OLD_AFTER_MS) continue;
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { loadCompiled, placeFor };
