import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { imageMarks, imagesIn } from './images.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1');

it('finds images by the paths that people type and terminals drop', () =>
  withTemporaryFolder(async (scratch) => {
    const project = join(scratch, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'a.png'), PNG);
    writeFileSync(join(scratch, 'with blank.PNG'), PNG);
    writeFileSync(join(project, 'lie.jpg'), 'no image');
    writeFileSync(join(project, 'large.gif'), Buffer.alloc(4_000_000));
    symlinkSync(join(scratch, 'with blank.PNG'), join(project, 'link.png'));
    const named = (text: string): string[] =>
      imagesIn(text, project).images.map(({ name }) => name);
    const other = join(scratch, 'with blank.PNG');
    expect(named('see a.png, please')).toEqual(['a.png']);
    expect(named(`'${other}'`)).toEqual(['with blank.PNG']);
    expect(named(other.replaceAll(' ', '\\ '))).toEqual(['with blank.PNG']);
    expect(named(`file://${other.replaceAll(' ', '%20')} and ./a.png a.png`)).toEqual([
      'with blank.PNG',
      'a.png',
    ]);
    // What is no image, what leads out of the project, and what the SDK reads itself.
    expect(named('lie.jpg link.png ../with\\ blank.PNG none.png @a.png a.pngx')).toEqual([]);
    // A text that a project has put together names what lies elsewhere only where the person typed it.
    const typed = (text: string, own: string): string[] =>
      imagesIn(text, project, own).images.map(({ name }) => name);
    expect(typed(`a.png '${other}'`, '')).toEqual(['a.png']);
    expect(typed(`a.png '${other}'`, `'${other}'`)).toEqual(['a.png', 'with blank.PNG']);
    expect(imagesIn('a.png', project).images[0]).toMatchObject({
      mediaType: 'image/png',
      bytes: PNG,
    });
    expect(imageMarks('a.png large.gif', project)).toEqual([
      '[image a.png, 12 bytes]',
      expect.stringMatching(/^large\.gif is larger than .* and is not sent as an image\.$/),
    ]);
  }));
