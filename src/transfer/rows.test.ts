import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CANCELLATIONS, CHANGES, CHECKPOINTS, OPERATIONS, SESSIONS } from '../store/tables.ts';

const FORMAT = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');

describe('the rows of an export', () => {
  test.each([
    ['session', SESSIONS],
    ['checkpoint', CHECKPOINTS],
    ['operation', OPERATIONS],
    ['change', CHANGES],
    ['cancellation', CANCELLATIONS],
  ])('have the fields that docs/format.md lists for a %s', (name, table) => {
    const listed = new RegExp(`^\\| \`${name}\` \\| \`([^\`]+)\``, 'm').exec(FORMAT)?.[1];
    expect(listed?.split(', ').sort()).toEqual(Object.keys(table.fields).sort());
  });
});
