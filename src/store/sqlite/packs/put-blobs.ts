import { rmSync } from 'node:fs';
import { makePrivateFolder } from '../../../fs/write-file.ts';
import { newPackName } from '../../pack-name.ts';
import type { Blob, PackReceipt } from '../../store.ts';
import { writeDurably } from '../durable-files.ts';
import type { Layout } from '../layout.ts';
import { indexFile, packFile } from './pack-files.ts';
import { encodeIndex } from './pack-index.ts';
import { PackWriter } from './pack-writer.ts';

/** See the port. The index comes when the pack is durable: a pack without one is what a crash left. */
export async function putBlobs(
  layout: Layout,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<PackReceipt> {
  const name = newPackName();
  makePrivateFolder(layout.packs);
  const writer = await PackWriter.create(packFile(layout, name));
  try {
    await writeGroups(writer, groups);
    const blobs = writer.places.size;
    if (blobs > 0) {
      writeDurably(indexFile(layout, name), encodeIndex(writer.frames, writer.places));
      return { packs: [name], blobs, bytes: writer.bytes };
    }
  } catch (error) {
    rmSync(indexFile(layout, name), { force: true });
    rmSync(packFile(layout, name), { force: true });
    throw error;
  }
  rmSync(packFile(layout, name), { force: true });
  return { packs: [], blobs: 0, bytes: 0 };
}

async function writeGroups(
  writer: PackWriter,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<void> {
  try {
    for await (const group of groups) for (const blob of group) await writer.add(blob);
    await writer.finish();
  } finally {
    await writer.close();
  }
}
