import { describe, expect, it } from 'vitest';
import { describePrompt, extractCheckpointDescription } from './description.ts';

const NOW = new Date(2026, 0, 18, 9, 5, 7);
const describeContent = (content: unknown): string =>
  extractCheckpointDescription({ message: { content } }, NOW);

describe('Scenario: extract a checkpoint description: GIVEN a user message', () => {
  it('WHEN its content is a text, THEN takes the first 80 characters, newlines as spaces', () => {
    expect(describeContent(`one\ntwo\r\nthree\rfour`)).toBe('one two three four');
    expect(describeContent('x'.repeat(200))).toBe('x'.repeat(80));
  });

  it('WHEN its content is blocks, THEN takes the first 80 characters of the first that has a text', () => {
    const blocks = [
      { type: 'image', source: {} },
      { type: 'text', text: ' \n ' },
      { type: 'text', text: `Add dark mode${'!'.repeat(200)}` },
      { type: 'text', text: 'later' },
    ];
    expect(describeContent(blocks)).toBe(`Add dark mode${'!'.repeat(67)}`);
  });

  it.each([
    ['no content', undefined],
    ['an empty text', ''],
    ['no text block', [{ type: 'tool_result', content: 'x' }, null, 'text', { type: 'text' }]],
  ])('WHEN there is %s, THEN says the time', (_, content) => {
    expect(describeContent(content)).toBe('Checkpoint at 09:05:07');
  });

  it('says the time of a message without a message', () => {
    expect(extractCheckpointDescription({}, NOW)).toBe('Checkpoint at 09:05:07');
  });
});

describe('describePrompt', () => {
  it('counts as a person does: whole emoji, accents and Chinese characters', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(describePrompt(family.repeat(90))).toBe(family.repeat(80));
    expect(describePrompt('e\u0301'.repeat(90))).toBe('e\u0301'.repeat(80));
    expect(describePrompt('修'.repeat(90))).toBe('修'.repeat(80));
  });

  it('leaves no half of a character where a text is cut or broken', () => {
    expect(describePrompt('\ud83d broken').isWellFormed()).toBe(true);
    expect(describePrompt(`a${'\u0301'.repeat(100_000)}`).length).toBeLessThanOrEqual(80 * 64);
  });
});
