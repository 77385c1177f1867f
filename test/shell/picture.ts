import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A tree as a value to compare: each entry's type, mode, link target and bytes, by its path. */
export type Picture = Readonly<Record<string, string>>;

/** What is left out of a picture: paths as the picture names them, and all that is below them. */
export type LeftOut = (path: string) => boolean;

/** Names are kept byte for byte (latin1), so that two spellings of one text stay two entries. */
export function pictureOf(folder: string, leftOut: LeftOut = () => false): Picture {
  const picture: Record<string, string> = {};
  walk(Buffer.from(folder), '', (path, at) => {
    if (leftOut(path)) return false;
    picture[path] = describe(at);
    return true;
  });
  return picture;
}

/** As `pictureOf`, with inode and times: even a write that changed nothing shows. */
export function canaryOf(folder: string, isWatched: LeftOut): Picture {
  const picture: Record<string, string> = {};
  walk(Buffer.from(folder), '', (path, at) => {
    const { ino, mtimeNs, ctimeNs } = lstatSync(at, { bigint: true });
    if (isWatched(path)) picture[path] = `${describe(at)} #${ino} ${mtimeNs} ${ctimeNs}`;
    return true;
  });
  return picture;
}

function walk(folder: Buffer, prefix: string, visit: (path: string, at: Buffer) => boolean): void {
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    const at = Buffer.concat([folder, Buffer.from('/'), name]);
    const path = prefix + name.toString('latin1');
    if (visit(path, at) && lstatSync(at).isDirectory()) walk(at, `${path}/`, visit);
  }
}

function describe(at: Buffer): string {
  const stats = lstatSync(at);
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(at, { encoding: 'latin1' })}`;
  if (stats.isDirectory()) return `folder ${mode}`;
  if (!stats.isFile()) return `special ${mode}`;
  return `file ${mode} ${contentOf(readFileSync(at))}`;
}

/** Long contents would drown a failure's message. */
function contentOf(bytes: Buffer): string {
  if (bytes.length <= 200) return bytes.toString('latin1');
  return `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex')}`;
}
