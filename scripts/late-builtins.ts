import type { Plugin } from 'rolldown';

// In every process from its start, so that asking for them late gains nothing.
const AT_ONCE: ReadonlySet<string> = new Set(['node:fs', 'node:path']);

const REQUIRED = /^let (\w+) = require\("(node:[\w/]+)"\);$/gm;

// Called with the name of one of Node's modules. What it gives looks like the module, which is loaded when
// something of it is used for the first time.
const LATE = `
const late = (name) => {
  let found;
  return new Proxy({}, { get: (_, key) => (found ??= process.getBuiltinModule(name))[key] });
};
`;

/**
 * Loads modules of Node's own when they are used: most commands hash no bytes, start no program and no
 * thread, and `node:crypto` alone takes a fifth of what Node needs to start.
 */
export function lateBuiltins(): Plugin {
  return { name: 'late-builtins', renderChunk: (code) => withLateBuiltins(code) };
}

/** A file of the bundle, not yet minified, in CommonJS. */
export function withLateBuiltins(code: string): string {
  const changed = code.replaceAll(REQUIRED, (line, variable: string, name: string) =>
    AT_ONCE.has(name) ? line : `let ${variable} = late("${name}");`,
  );
  return changed === code ? code : LATE + changed;
}
