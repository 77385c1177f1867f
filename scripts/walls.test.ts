import { describe, expect, it } from 'vitest';
import { breachesIn } from './walls.ts';

describe('import walls', () => {
  it.each([
    ['model/path.ts', "import { hash } from 'node:crypto';"],
    ['model/path.ts', "import type { Store } from '../store/store.ts';"],
    ['plan/merge.ts', "import { observe } from '../capture/observe.ts';"],
    ['plan/merge.ts', "export { x } from 'lodash';"],
    ['store/sqlite/sqlite-store.ts', "import { x } from '../memory/memory-store.ts';"],
    ['store/sqlite/sqlite-store.ts', "import { x } from '../../timeline/diff.ts';"],
    ['cli/main.ts', "import { x } from '../store/store.ts';"],
    ['cli/commands/list.ts', "await import('../../timeline/diff.ts');"],
    ['integrations/ipc/host.ts', "import { x } from '../../savepoint.ts';"],
    ['cli/main.ts', "import { x } from '../integrations/ipc/message-port.ts';"],
    ['index.ts', "export { x } from './cli/main.ts';"],
    ['index.ts', "export { x } from '../test/x.ts';"],
    ['restore/step.ts', "import { renameSync } from 'node:fs';"],
    ['cli/run.ts', "import { readFile } from 'node:fs/promises';"],
    ['replica/stage.ts/other.ts', "import { readFile } from 'node:fs';"],
    ['fs/observe.ts', "import type { Store } from '../store/store.ts';"],
    ['web/page/app/shell.tsx', "import { SavepointError } from '../../../index.ts';"],
    ['web/page/app/shell.tsx', "import { x } from '../../server/server.ts';"],
  ])('stops %s from %s', (file, source) => {
    expect(breachesIn(file, source)).toHaveLength(1);
  });

  it.each([
    ['model/path.ts', "import { SavepointError } from './errors.ts';"],
    ['plan/merge.ts', "import type { State } from '../model/state.ts';"],
    ['plan/merge.test.ts', "import { it } from 'vitest';"],
    ['store/sqlite/schema/one.ts', "import { x } from '../../store.ts';"],
    ['cli/commands/list.ts', "import { x } from '../../index.ts';"],
    ['cli/commands/demo.ts', "import { x } from '../../integrations/file-checkpoint/index.ts';"],
    ['integrations/ipc/host.ts', "import type { x } from '../file-checkpoint/index.ts';"],
    ['fs/observe.ts', "import { openSync } from 'node:fs';"],
    ['web/page/app/live.ts', "import type { LiveEvent } from '../../api.ts';"],
    ['web/page/ui/shown.ts', "import { displayText } from '../../../model/display.ts';"],
    ['fs/observe.ts', "import { blobOf } from '../store/blob.ts';"],
    ['store/sqlite/arrivals.ts', "import { openSync } from 'node:fs';"],
    ['open-savepoint.ts', "import { sqliteStore } from './store/sqlite/sqlite-store.ts';"],
  ])('lets %s have %s', (file, source) => {
    expect(breachesIn(file, source)).toEqual([]);
  });
});
