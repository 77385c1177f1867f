import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSavepoint, type Savepoint } from '../../src/index.ts';
import { skipVisibly } from '../crash/strace/needs-strace.ts';
import { Overlay, overlayProblem } from '../setup/mounts.ts';
import { makeScratch, removeScratch } from './scratch.ts';

const TITLE = 'a project in a lower layer of overlayfs';
const problem = overlayProblem();
if (problem === null) describe(TITLE, onOverlay);
else skipVisibly(TITLE, problem, onOverlay);

function onOverlay(): void {
  let base: string;
  let overlay: Overlay;
  let root: string;

  beforeEach(() => {
    base = makeScratch();
    overlay = new Overlay(base);
    mkdirSync(join(overlay.lower, 'app'));
    writeFileSync(join(overlay.lower, 'app', 'file'), 'of the image');
    overlay.mount();
    root = join(overlay.merged, 'app');
  });
  afterEach(() => {
    overlay.unmount();
    removeScratch(base);
  });

  const open = (): Promise<Savepoint> => openSavepoint({ project: root, home: join(base, 'home') });
  const at = (name: string): string => join(root, name);

  /** A tool writes a file of the image, and with it the whole folder comes into the upper layer. */
  async function change(content: string): Promise<void> {
    const savepoint = await open();
    const request = { sessionId: 'agent', messageId: content, paths: ['file'] };
    const capture = await savepoint.captureBefore(request);
    writeFileSync(at('file'), content);
    await savepoint.captureAfter(capture);
    await savepoint.close();
  }

  it('is the same project after its first change, and can be rewound', async () => {
    await change('changed');
    const savepoint = await open();
    await savepoint.rewind({ to: 'latest' });
    expect(readFileSync(at('file'), 'utf8')).toBe('of the image');
    await savepoint.close();
  });

  it('is the same project once and for all, whatever a person edits later', async () => {
    await change('changed');
    await (await open()).close();
    writeFileSync(at('file'), "a person's own");
    await (await open()).close();
  });

  it('is the same project after the first change that nobody recorded', async () => {
    await (await open()).close();
    writeFileSync(at('new'), 'made by hand');
    await (await open()).close();
  });

  it('is refused where a file is not as it was recorded', async () => {
    await change('changed');
    writeFileSync(at('file'), 'something else');
    await expect(open()).rejects.toMatchObject({ code: 'project-mismatch' });
    expect(readFileSync(at('file'), 'utf8')).toBe('something else');
  });

  it('is refused where a new folder stands in its place, even with the same files', async () => {
    await change('changed');
    renameSync(at('file'), join(overlay.merged, 'file'));
    rmSync(root, { recursive: true });
    mkdirSync(root);
    renameSync(join(overlay.merged, 'file'), at('file'));
    await expect(open()).rejects.toMatchObject({ code: 'project-mismatch' });
  });

  it('is refused where its changes are gone, as in a new container of the same image', async () => {
    await change('changed');
    await (await open()).close();
    overlay.unmount();
    for (const layer of ['upper', 'work']) {
      rmSync(join(base, layer), { recursive: true });
      mkdirSync(join(base, layer));
    }
    overlay.mount();
    await expect(open()).rejects.toMatchObject({ code: 'project-mismatch' });
  });
}
