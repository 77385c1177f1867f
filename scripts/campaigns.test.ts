import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inCheckout } from './bundle-inputs.ts';
import { CAMPAIGNS } from './campaigns.ts';

it('finds every campaign: vitest passes over a file that was moved without a word', () => {
  expect(CAMPAIGNS.filter((file) => !existsSync(inCheckout(file)))).toEqual([]);
});
