import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Query } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RunnerBed } from '../../../test/replica/runner-bed.ts';
import { type ScriptedModel, say, startScriptedModel, useTool } from '../../testing/index.ts';
import { loadSdk, type Sdk } from '../sdk/load-sdk.ts';

const FIRST = 'Create a file utils.ts with add and subtract functions';
const SECOND = 'Add multiply and divide functions to utils.ts';
const BEFORE = 'export const add = 1;\nexport const subtract = 2;\n';
const AFTER = `${BEFORE}export const multiply = 3;\nexport const divide = 4;\n`;

/** What happened in one conversation with the real SDK, for the tests to look at. */
let bed: RunnerBed;
let model: ScriptedModel;
let file: string;
const queries: Query[] = [];
const rewinds: { readonly query: Query; readonly id: string; readonly dryRun: boolean }[] = [];
const counted: unknown[] = [];
let afterOne: unknown[];
let afterBoth: unknown[];

beforeAll(async () => {
  bed = new RunnerBed();
  file = join(bed.project, 'utils.ts');
  writeFileSync(join(bed.project, 'CLAUDE.md'), 'Every function has a test.\n');
  const write = (content: string) => useTool('Write', { file_path: file, content });
  model = await startScriptedModel({
    [FIRST]: [[write(BEFORE)], [say('Created.')]],
    [SECOND]: [[write(AFTER)], [say('Added.')]],
    'Go on': [[say('As you like.')]],
  });
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
  };
  const runner = await bed.runner({ sdk: watched(await loadSdk()), env, engine: true });
  bed.run(runner);
  await vi.waitFor(() => expect(bed.ui.handlers).not.toBeNull());
  await ask(FIRST);
  afterOne = bed.metadataOf(bed.session).checkpoints;
  await ask(SECOND);
  afterBoth = bed.metadataOf(bed.session).checkpoints;
  expect(readFileSync(file, 'utf8')).toBe(AFTER);
  // A person writes into the same file, where the agent did not.
  writeFileSync(file, `// mine\n${AFTER}`);
  bed.ui.pick = ([newest]) => newest;
  bed.ui.rewindChoice = 'files';
  await runner.handleRewind(bed.session);
  counted.push(...bed.ui.counted.map(({ sum }) => sum));
  await ask('Go on');
});
afterAll(async () => {
  await bed.remove();
  await model.close();
});

/** The SDK as it is, with a note of each query and of what is asked of it. */
function watched({ query: begin }: Sdk): Sdk {
  const query: Sdk['query'] = (request) => {
    const live = begin(request);
    const rewindFiles = live.rewindFiles.bind(live);
    live.rewindFiles = (id, options) => {
      rewinds.push({ query: live, id, dryRun: options?.dryRun === true });
      return rewindFiles(id, options);
    };
    queries.push(live);
    return live;
  };
  return { query };
}

async function ask(prompt: string): Promise<void> {
  bed.ui.handlers?.onSubmit(prompt);
  await vi.waitFor(() => expect(bed.ui.activity).not.toBeNull(), PATIENCE);
  await vi.waitFor(() => expect(bed.ui.activity).toBeNull(), PATIENCE);
  expect(bed.ui.errors).toEqual([]);
}

const PATIENCE = { timeout: 30_000, interval: 20 };

describe('Scenario: InteractiveRunner depends on CheckpointManager', () => {
  describe('GIVEN a checkpointManager among its parts, WHEN the runner talks to the real SDK', () => {
    it('THEN StreamingQueryManager captures each prompt in it: one after the first, two after both', () => {
      expect(afterOne).toMatchObject([{ description: FIRST, sessionId: bed.session.id }]);
      expect(afterBoth).toMatchObject([{ description: SECOND }, { description: FIRST }]);
    });

    it('AND handleRewind() offers what is in it', () => {
      expect(bed.ui.menus[0]?.map(({ id }) => id)).toEqual(
        (afterBoth as { id: string }[]).map(({ id }) => id),
      );
    });
  });
});

describe('Scenario: the person chooses a checkpoint and restores it', () => {
  describe('GIVEN a checkpoint chosen from the menu, WHEN restoreCheckpoint() is called', () => {
    it('THEN rewindFiles() of the query that StreamingQueryManager holds is called with its id', () => {
      expect(queries).toHaveLength(1);
      const id = bed.ui.menus[0]?.[0]?.id;
      // The SDK is asked what it would touch before it may touch it.
      expect(rewinds).toEqual([
        { query: queries[0], id, dryRun: true },
        { query: queries[0], id, dryRun: false },
      ]);
    });

    it('AND the file is back, with what the person wrote into it since', () => {
      expect(readFileSync(file, 'utf8')).toBe(`// mine\n${BEFORE}`);
    });

    it('AND success is shown in green by displaySuccess(), and logged', () => {
      expect(bed.ui.successes).toEqual([`Restored to checkpoint: ${SECOND}`]);
      expect(bed.ui.errors).toEqual([]);
      expect(bed.logged()).toContainEqual(
        expect.objectContaining({
          message: 'Checkpoint restored successfully',
          details: { checkpointId: bed.ui.menus[0]?.[0]?.id },
        }),
      );
    });
  });

  it('shows before what would be taken back, in the menu and as a diff', () => {
    expect(counted).toEqual([
      { files: 1, folders: 0, conflicts: 0, insertions: 2, deletions: 0 },
      // The file that the agent made has a line of the person in it by now, so it stays.
      { files: 0, folders: 0, conflicts: 1, insertions: 0, deletions: 0 },
    ]);
    expect(bed.ui.previews[0]?.title).toBe(`Rewind to: ${SECOND}`);
    expect(bed.ui.previews[0]?.body(80)).toEqual(
      expect.arrayContaining(['What will be taken back:', '+export const multiply = 3;']),
    );
  });

  it('tells the agent with the next prompt which files were rewound', () => {
    const texts = model.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [];
    expect(JSON.stringify(texts)).toContain('has rewound these files since your last turn');
  });
});

it('tells the agent what the CLAUDE.md of the project says', () => {
  expect(JSON.stringify(model.requests.at(-1)?.system)).toContain('Every function has a test.');
});
