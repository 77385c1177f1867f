import { describe, expect, it } from 'vitest';
import { reachOf } from './tool-calls.ts';

describe('what a tool call may do to files', () => {
  it.each([
    ['Write', { file_path: '/p/a', content: '' }, '/p/a'],
    ['Edit', { file_path: '/p/b' }, '/p/b'],
    ['MultiEdit', { file_path: '/p/c' }, '/p/c'],
    ['NotebookEdit', { notebook_path: '/p/d.ipynb' }, '/p/d.ipynb'],
  ])('%s writes the file that it names', (tool, input, path) => {
    expect(reachOf(tool, input)).toEqual({ file: path });
  });

  it.each(['Bash', 'PowerShell', 'Monitor', 'mcp__files__put'])('%s may write anything', (tool) => {
    expect(reachOf(tool, { command: 'x' })).toBe('anything');
  });

  it.each(['Read', 'Glob', 'Grep', 'TodoWrite', 'WebFetch', 'Agent'])(
    '%s writes nothing',
    (tool) => {
      expect(reachOf(tool, { file_path: '/p/a' })).toBeNull();
    },
  );

  it.each([null, 7, 'x', [], { file_path: 7 }, {}])('takes %j for naming no file', (input) => {
    expect(reachOf('Write', input)).toBeNull();
  });
});
