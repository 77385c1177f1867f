import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withLateBuiltins } from './late-builtins.ts';

it('leaves what is there at once, and what is no module of Node', () => {
  const code = 'let node_fs = require("node:fs");\nlet other = require("./other.js");\n';
  expect(withLateBuiltins(code)).toBe(code);
});

it('loads a module when something of it is used, and once', () => {
  const asked: string[] = [];
  const code = withLateBuiltins(
    'let node_os = require("node:os");\nlet node_net = require("node:net");\n' +
      '() => [node_os.EOL, (0, node_os.arch)()];',
  );
  const getBuiltinModule = (name: string) => {
    asked.push(name);
    return { EOL: 'end', arch: () => 'arch' };
  };
  const use = runInNewContext(code, { process: { getBuiltinModule } }) as () => string[];
  expect(asked).toEqual([]);
  expect(Array.from(use())).toEqual(['end', 'arch']);
  expect(asked).toEqual(['node:os']);
});
