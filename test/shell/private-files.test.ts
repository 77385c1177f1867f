import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { changedPaths, command, message, withProject } from './agent-work.ts';

const place = withProject();
const FILE = 'local.env';

describe('a file that git ignores, among more ignored names than are kept', () => {
  beforeEach(async () => {
    const { project, savepoint } = place;
    project.sh("printf '*.tmp\\n' >> .gitignore");
    await savepoint.scan();
    project.sh('for i in $(seq 250); do printf x > $i.tmp; done');
    await savepoint.scan();
  });

  it('is recorded again after it was deleted and brought back', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh(`rm ${FILE}`));
    await savepoint.rewind({ to: id });
    expect(project.read(FILE)).toBe('logged\n');

    const next = await message(savepoint, 'm2');
    const edit = await command(savepoint, () => project.sh(`printf x > ${FILE}`), {
      message: 'm2',
    });
    expect(changedPaths(edit)).toEqual([FILE]);
    await command(savepoint, () => project.sh(`rm ${FILE}`), { message: 'm2' });
    expect((await savepoint.rewind({ to: next.id })).success).toBe(true);
    expect(project.read(FILE)).toBe('logged\n');
  });

  it('is not deleted by a rewind where a person has made it anew', async () => {
    const { project, savepoint } = place;
    await command(savepoint, () => project.sh(`rm ${FILE}`));
    project.write(FILE, 'mine\n');
    const { id } = await message(savepoint, 'm2');
    await command(savepoint, () => project.sh('printf x >> src/main.txt'), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(project.read(FILE)).toBe('mine\n');
  });

  it('stays in scope when the index of the last scan is lost', async () => {
    const { project, savepoint } = place;
    await savepoint.close();
    project.sh(`find '${project.stores}' -name scan.index -delete`);
    const again = await project.open();
    const { id } = await message(again);
    await command(again, () => project.sh(`rm ${FILE}`));
    await again.rewind({ to: id });
    expect(existsSync(project.at(FILE))).toBe(true);
  });
});
