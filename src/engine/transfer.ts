import { AMOUNT, BOOLEAN, check, ID, type Kind, object, optional } from '../model/check.ts';
import {
  DEFAULT_LIMITS,
  type ExportReceipt,
  type ExportRequest,
  type ImportReceipt,
  type TransferCounts,
  type TransferLimits,
} from '../transfer/requests.ts';
import { NAMED_PATHS } from './requests.ts';
import type { Workbench } from './workbench.ts';

const EXPORT_REQUEST: Kind<ExportRequest> = object({
  sessionId: optional(ID),
  all: optional(BOOLEAN),
  privatePaths: optional(NAMED_PATHS),
});

const LIMITS: Kind<Partial<TransferLimits>> = object({
  maxRows: optional(AMOUNT),
  maxBlobs: optional(AMOUNT),
  maxBlobBytes: optional(AMOUNT),
  maxTotalBytes: optional(AMOUNT),
});

/** The bytes of an export. The code is loaded on demand, because most processes need no export. */
export async function* exportSessions(
  bench: Workbench,
  request: ExportRequest,
): AsyncGenerator<Uint8Array, ExportReceipt> {
  check(EXPORT_REQUEST, 'request', request);
  const transfer = await import('../transfer/export-sessions.ts');
  return yield* transfer.exportSessions(bench.site, request);
}

export async function importSessions(
  bench: Workbench,
  source: AsyncIterable<Uint8Array>,
  limits: Partial<TransferLimits> = {},
): Promise<ImportReceipt> {
  const all = limitsFrom(limits);
  const transfer = await import('../transfer/import-sessions.ts');
  return bench.locked(() => transfer.importSessions(bench.site, source, all, bench.settings.now()));
}

/** Checks an export without a store. Throws the error that an import would throw. */
export async function verifyExport(
  source: AsyncIterable<Uint8Array>,
  limits: Partial<TransferLimits> = {},
): Promise<TransferCounts> {
  const all = limitsFrom(limits);
  const transfer = await import('../transfer/import-sessions.ts');
  return transfer.verifyExport(source, all);
}

function limitsFrom(limits: Partial<TransferLimits>): TransferLimits {
  check(LIMITS, 'limits', limits);
  return { ...DEFAULT_LIMITS, ...limits };
}
