import { afterEach, describe, expect, it } from 'vitest';
import { AgentBed } from './agent-bed.ts';
import { keptConversation } from './kept-conversation.ts';
import { AGENTS } from './real/agents.ts';
import {
  ELSEWHERE,
  FILES,
  FILES_AT_LAST,
  LAST,
  NEXT,
  ONE,
  personEdits,
  STORY,
  THREE,
  TWO,
} from './story.ts';

/** How the notice begins that agents get after a rewind. */
const NOTICE = 'Savepoint: since your last turn';

const beds: AgentBed[] = [];
afterEach(async () => {
  for (const bed of beds.splice(0)) await bed.close();
});

describe.each(AGENTS)('$name', (agent) => {
  it('tells the story, and each prompt of it is taken back byte for byte', async () => {
    const bed = new AgentBed(FILES);
    beds.push(bed);
    const model = await bed.add(agent, STORY);
    await bed.savepoint('init', '--agent', agent.name, '--yes');

    const untouched = bed.files();
    await bed.prompt(agent, ONE);
    const afterOne = bed.files();
    await bed.prompt(agent, TWO);
    personEdits(bed);
    const beforeThree = bed.files();
    await bed.prompt(agent, THREE);
    const atLast = bed.files();
    expect(Object.keys(atLast).sort()).toEqual(FILES_AT_LAST);

    const [one = '', two = '', three = ''] = await bed.checkpoints(ONE, TWO, THREE);
    const mine = { 'mine.txt': atLast['mine.txt'] };
    const edited = (tree: typeof untouched) => ({
      ...tree,
      ...mine,
      'app.txt': String(tree['app.txt']).replace('four', 'four, says the person'),
    });
    for (const [id, wanted] of [
      [three, beforeThree],
      [two, edited(afterOne)],
      [one, edited(untouched)],
    ] as const) {
      await bed.savepoint('rewind', id, '--yes');
      expect(bed.files()).toEqual(wanted);
      await bed.savepoint('undo', '--yes');
      expect(bed.files()).toEqual(atLast);
    }

    await bed.savepoint('rewind', two, '--yes');
    await bed.prompt(agent, NEXT);
    await bed.prompt(agent, LAST);
    // The notice stands once in the conversation: with the prompt after the rewind.
    expect(timesIn(model.bodiesFor(THREE).at(-1), NOTICE)).toBe(0);
    for (const asked of [...model.bodiesFor(NEXT), ...model.bodiesFor(LAST)]) {
      expect(timesIn(asked, NOTICE)).toBe(1);
      expect(asked.slice(asked.indexOf(NOTICE))).toContain('by-command.txt');
    }

    const before = keptConversation(agent, bed.home, bed.sessionOf(agent));
    const { out } = await bed.savepoint('rewind', two, '--conversation', '--json');
    const { conversation } = JSON.parse(out);
    expect(conversation.command[0]).toBe(agent.program);
    expect(keptConversation(agent, bed.home, bed.sessionOf(agent))).toEqual(before);
    bed.continueIn(agent, conversation.id);
    await bed.prompt(agent, ELSEWHERE);
    const [forked] = model.bodiesFor(ELSEWHERE);
    expect(forked).toContain(ONE);
    for (const later of [TWO, THREE, NEXT, LAST, NOTICE]) expect(forked).not.toContain(later);
  });
});

function timesIn(text: string | undefined, part: string): number {
  if (text === undefined) throw new Error('the model was not asked');
  return text.split(part).length - 1;
}
