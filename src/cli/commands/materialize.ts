import { resolve } from 'node:path';
import { displayText } from '../../index.ts';
import { type Command, expectArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { PathNames, printJson } from '../json.ts';
import { withTimeline } from '../open-timeline.ts';
import { plural } from '../plural.ts';

export const materialize: Command = {
  name: 'materialize',
  arguments: 'ID DIR',
  summary: 'write the whole tree of a checkpoint into an empty folder',
  details:
    'Writes every file, folder and link as it was at the checkpoint into DIR, which must be empty or not\n' +
    'there yet. The project itself is not touched. Ignored files are not on record and not written.',
  options: {},
  examples: [
    ['savepoint materialize latest /tmp/before', 'to compare or to copy from'],
    ['savepoint materialize ~3 ../old', 'three checkpoints before the latest'],
  ],
  run: async (call) => {
    expectArgs(call, 'materialize', 2, 2);
    const [id = '', folder = ''] = [...call.args, ...call.rest];
    return withTimeline(call, async (savepoint) => {
      const made = await savepoint.materialize(id, resolve(call.io.cwd, folder));
      const names = new PathNames();
      const skipped = made.skipped.map(({ path, reason }) => ({ path: names.name(path), reason }));
      printJson(call, { ...made, skipped, pathBytes: names.pathBytes });
      const { files, folders, links } = made;
      call.say(
        `Written to ${displayText(made.directory)}: ${plural(files, 'file', 'files')}, ` +
          `${plural(folders, 'folder', 'folders')}, ${plural(links, 'link', 'links')}.`,
      );
      for (const { path, reason } of made.skipped) {
        call.say(`  not written  ${displayText(path)}  ${reason}`);
      }
      return EXIT.done;
    });
  },
};
