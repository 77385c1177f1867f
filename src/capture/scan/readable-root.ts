import { SavepointError } from '../../model/errors.ts';
import type { Listing } from './list-folder.ts';

/** A project whose own folder cannot be read is an error, not a project without files. */
export function readableRoot(listing: Listing | 'missing' | 'unreadable'): Listing {
  if (listing === 'missing') {
    throw new SavepointError('project-missing', 'the project folder is not there');
  }
  if (listing === 'unreadable') {
    throw new SavepointError('capture-failed', 'the project folder cannot be read');
  }
  return listing;
}
