import { expect, it } from 'vitest';
import { verbFirst } from './command.ts';

it.each([
  [
    ['list', '--json'],
    ['list', '--json'],
  ],
  [
    ['--json', 'list', '--limit', '1'],
    ['list', '--json', '--limit', '1'],
  ],
  [
    ['--project', 'list', 'show', 'x'],
    ['show', '--project=list', 'x'],
  ],
  [
    ['--project=a b', '--quiet', 'undo'],
    ['undo', '--project=a b', '--quiet'],
  ],
  [
    ['--json', 'run', '--', 'npm', '--json'],
    ['run', '--json', '--', 'npm', '--json'],
  ],
  [
    ['--no-color', '--help'],
    ['--help', '--no-color'],
  ],
  [
    ['--help', 'list'],
    ['--help', 'list'],
  ],
  [
    ['--frob', 'list'],
    ['--frob', 'list'],
  ],
  [
    ['--json', '--constructor', 'list'],
    ['--constructor', '--json', 'list'],
  ],
  [[], []],
])('reads %j as %j', (argv, read) => {
  expect(verbFirst(argv)).toEqual(read);
});

it.each([
  [['--json'], 'a command is missing'],
  [['--project'], '--project needs a value'],
  [['--project', '--json', 'list'], '--project needs a value'],
])('refuses %j: %s', (argv, message) => {
  expect(() => verbFirst(argv)).toThrow(message);
});
