import { displayText } from '../../index.ts';
import type { RewindableQuery } from '../sdk/query-port.ts';

/** What the SDK alone would do with files, for who has to decide on it: it spares nothing that a person wrote. */
export async function sdkPreview(query: RewindableQuery | null, id: string): Promise<string[]> {
  if (query === null) return [NO_RECORD, 'Nor is there a query that could put files back.'];
  try {
    const { canRewind, error, filesChanged = [] } = await query.rewindFiles(id, { dryRun: true });
    if (!canRewind) return [NO_RECORD, cannot(error ?? 'it does not say why')];
    const named = filesChanged.map((path) => `  overwrite ${displayText(path)}`);
    return [NO_RECORD, ...(named.length === 0 ? [NOTHING] : [OVERWRITES, ...named])];
  } catch (error) {
    return [NO_RECORD, cannot(error instanceof Error ? error.message : String(error))];
  }
}

const NO_RECORD = 'Savepoint has no record of the files at this prompt.';
const NOTHING = 'The SDK alone would change no file.';
const OVERWRITES = 'The SDK alone would put these back, and what was written into them since goes:';

function cannot(reason: string): string {
  return `The SDK cannot put files back: ${displayText(reason)}`;
}
