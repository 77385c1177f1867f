import { AGENT_NAMES } from '../../agents/agent-adapter.ts';
import { SCOPES } from '../../agents/agent-settings.ts';
import { applyRemoval, installedElsewhere, planRemoval } from '../../agents/installation.ts';
import { displayText } from '../../index.ts';
import { plural, someOf } from '../../terminal/phrases.ts';
import {
  AGENT_OPTIONS,
  carryOutEdits,
  EDITS,
  editsJson,
  exitOf,
  namedAgents,
  namedScope,
  siteOf,
} from '../agents/agent-files.ts';
import type { Command } from '../command.ts';
import { printJson } from '../json.ts';

const SHOWN_FILES = 5;

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'take the hooks out of the settings of agents',
  details:
    'Removes exactly what `savepoint init` added, also where the files were edited since: your own settings,\n' +
    'and those of the project around the current folder. Without --scope it looks in all of them. What is\n' +
    'on record stays, and so does every other command; the stores are in the folder that\n' +
    '`savepoint config --json` names (storeHome).',
  options: AGENT_OPTIONS,
  examples: [
    ['savepoint uninstall', 'from all agents'],
    ['savepoint uninstall --agent gemini --dry-run', 'only show what it would write'],
  ],
  json: { uninstall: EDITS },
  run: async (call) => {
    const scope = namedScope(call);
    const site = siteOf(call, 'user');
    const scopes = scope === undefined ? SCOPES : [scope];
    const plan = planRemoval(namedAgents(call) ?? AGENT_NAMES, scopes, site);
    const copies: string[] = [];
    const carried = await carryOutEdits(call, {
      plan,
      question: `Write or remove ${plural(plan.edits.length, 'file')}?`,
      apply: (edit) => {
        const copy = applyRemoval(edit, site.record);
        if (copy !== null) copies.push(copy);
      },
    });
    const { outcome, edits, left } = carried;
    printJson(call, EDITS, editsJson(carried));
    if (outcome === 'not-asked') call.tell('Nothing was written: add --yes to say yes beforehand.');
    if (outcome === 'declined') call.tell('Nothing was written.');
    if (outcome === 'done') {
      if (edits.length > 0) call.tell('Done: the hooks are out.');
      else if (left.length === 0) call.tell('Nothing to do: no hook was found.');
      for (const copy of copies) {
        call.remark(`What was there before savepoint init is kept in ${displayText(copy)}`);
      }
      const elsewhere = installedElsewhere(site).map(displayText);
      if (scope === undefined && elsewhere.length > 0) {
        const files = someOf(elsewhere, SHOWN_FILES);
        call.tell(`Hooks stay in other projects: ${files}. Run savepoint uninstall there, too.`);
      }
    }
    return exitOf(carried);
  },
};
