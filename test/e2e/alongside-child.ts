import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint } from '../../src/index.ts';

/* Rewinds, and is killed while another program rewinds the same files in its own way. */
const [project = '', home = '', to = ''] = process.argv.slice(2);
const savepoint = await openSavepoint({ project, home });
await savepoint.apply(await savepoint.planRewind({ to }), {
  paths: ['a', 'b'],
  run: async () => {
    writeFileSync(join(project, 'a'), 'first\n');
    writeFileSync(join(project, 'b'), 'torn');
    process.kill(process.pid, 'SIGKILL');
  },
});
