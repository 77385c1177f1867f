import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openSavepoint,
  type ProjectIdentity,
  type Savepoint,
  sqliteStore,
  storeDirectory,
} from '../../src/index.ts';
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

  const home = (): string => join(base, 'home');
  const open = (): Promise<Savepoint> => openSavepoint({ project: root, home: home() });
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

  /** Another image, whose folder of the project happens to have the same inode. */
  function imageOf(files: Record<string, string>): void {
    overlay.unmount();
    const app = join(overlay.lower, 'app');
    for (const name of readdirSync(app)) rmSync(join(app, name));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(app, name), content);
    overlay.mount();
  }

  /** Nothing in the folder changes, so it stays in the lower layer. */
  async function scan(): Promise<void> {
    const savepoint = await open();
    await savepoint.checkpoint({ scan: true });
    await savepoint.close();
  }

  /** The folder that the store is bound to. */
  async function bound(): Promise<ProjectIdentity> {
    const store = await sqliteStore({ directory: storeDirectory(home(), root) });
    const { project } = await store.state();
    await store.close();
    return project as ProjectIdentity;
  }

  it('is the same project after its first change, and can be rewound', async () => {
    await change('changed');
    const savepoint = await open();
    await savepoint.rewind({ to: 'latest' });
    expect(readFileSync(at('file'), 'utf8')).toBe('of the image');
    await savepoint.close();
  });

  it('is the same project once a change is on record, whatever a person edits later', async () => {
    await change('changed');
    writeFileSync(at('file'), "a person's own");
    await (await open()).close();
  });

  it('is the same project after the first change that nobody recorded', async () => {
    await (await open()).close();
    writeFileSync(at('new'), 'made by hand');
    await (await open()).close();
  });

  it('is the same project where a person has edited some of the files of the baseline', async () => {
    imageOf({ file: 'of the image', a: 'a', b: 'b', c: 'c' });
    await scan();
    writeFileSync(at('a'), "a person's own");
    rmSync(at('b'));
    writeFileSync(at('new'), 'made by hand');
    await scan();
    const savepoint = await open();
    expect(await savepoint.list()).toHaveLength(2);
    await savepoint.close();
  });

  it('is bound to the copied folder by a command that writes, not by one that reads', async () => {
    await scan();
    const { birthtimeNs } = await bound();
    writeFileSync(at('new'), 'made by hand');
    const reading = await open();
    await reading.list();
    await reading.close();
    expect(await bound()).toMatchObject({ birthtimeNs });
    await scan();
    expect(await bound()).not.toMatchObject({ birthtimeNs });
  });

  it('is refused where another project with the same inode has come to its place', async () => {
    await scan();
    imageOf({ other: 'of another image' });
    writeFileSync(at('new'), 'made by hand');
    await expect(open()).rejects.toMatchObject({ code: 'project-mismatch' });
    expect(readdirSync(root).sort()).toEqual(['new', 'other']);
  });

  it('is refused where only empty files are as they were recorded', async () => {
    imageOf({ file: 'of the image', a: '', b: '' });
    await scan();
    writeFileSync(at('file'), 'of another image');
    await expect(open()).rejects.toMatchObject({ code: 'project-mismatch' });
  });

  it('is refused where a file that changed is not as it was recorded', async () => {
    imageOf({ file: 'of the image', a: 'a', b: 'b', c: 'c' });
    await scan();
    const before = await bound();
    await change('changed');
    // As if the process had been killed before it could bind the store.
    const store = await sqliteStore({ directory: storeDirectory(home(), root) });
    await store.setProject(before);
    await store.close();
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
    writeFileSync(at('new'), 'made by hand');
    await expect(open()).rejects.toMatchObject({ code: 'project-mismatch' });
  });
}
