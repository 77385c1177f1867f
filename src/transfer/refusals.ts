import { SavepointError, type SavepointErrorDetails } from '../model/errors.ts';

/** The file says something that no export says. `what` names the place. */
export function invalid(what: string, more: SavepointErrorDetails = {}): SavepointError {
  return new SavepointError('export-invalid', `not a sound export: ${what}`, {
    hint: 'nothing was imported; export it again where it comes from',
    ...more,
  });
}

export function tooLarge(what: string): SavepointError {
  return new SavepointError('export-too-large', `the export is past a limit: ${what}`, {
    hint: 'nothing was imported; export single sessions instead of all',
  });
}

export function tooNew(): SavepointError {
  return new SavepointError('export-too-new', 'the export was written by a newer Savepoint', {
    hint: 'nothing was imported; install a newer Savepoint',
  });
}
