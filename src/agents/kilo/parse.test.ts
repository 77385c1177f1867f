import { describe, expect, it } from 'vitest';
import { eventsIn, recorded } from '../../../test/setup/recorded-events.ts';
import { loadAdapter } from '../adapters.ts';

const kilo = await loadAdapter('kilo');

describe('kilo', () => {
  it('reads a session that two copies of the plug-in tell', () => {
    const { lines, dropped } = eventsIn(kilo, recorded(import.meta.dirname, 'kilo'));
    expect(lines).toEqual([
      'message msg_1e13473a8: "STEP-1 go"',
      'before-tool write toolu_ddqelyi11l: /home/dev/project/a.txt',
      'before-tool write toolu_ddqelyi11l: /home/dev/project/a.txt',
      'before-tool bash toolu_cim8aiybqs: $ sed -i s/keep/gone/ c.txt',
      'before-tool bash toolu_cim8aiybqs: $ sed -i s/keep/gone/ c.txt',
      'after-tool bash toolu_cim8aiybqs: $ sed -i s/keep/gone/ c.txt',
      'after-tool bash toolu_cim8aiybqs: $ sed -i s/keep/gone/ c.txt',
      'turn-ended',
      'turn-ended',
    ]);
    expect(dropped).toEqual([
      'not-needed INIT',
      'not-needed dispose',
      'not-needed event file.edited',
      'not-needed event session.drained',
      'not-needed event session.status',
      'not-needed shell.env',
    ]);
  });
});
