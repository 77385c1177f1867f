import { aBoolean, aNumber, anId, checkShape, optional, type Shape } from '../model/shape.ts';
import {
  DEFAULT_LIMITS,
  type ExportReceipt,
  type ExportRequest,
  type ImportReceipt,
  type TransferCounts,
  type TransferLimits,
} from '../transfer/requests.ts';
import type { Workbench } from './workbench.ts';

const EXPORT_REQUEST: Shape<ExportRequest> = {
  sessionId: optional(anId),
  all: optional(aBoolean),
};

const LIMITS: Shape<Partial<TransferLimits>> = {
  maxRows: optional(aNumber),
  maxBlobs: optional(aNumber),
  maxBlobBytes: optional(aNumber),
  maxTotalBytes: optional(aNumber),
};

/** The bytes of an export. Loaded when it is asked for: most processes never move anything. */
export async function* exportSessions(
  bench: Workbench,
  request: ExportRequest,
): AsyncGenerator<Uint8Array, ExportReceipt> {
  checkShape('request', request, EXPORT_REQUEST);
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

/** Whether an export is sound, without a store: throws what an import would throw. */
export async function verifyExport(
  source: AsyncIterable<Uint8Array>,
  limits: Partial<TransferLimits> = {},
): Promise<TransferCounts> {
  const all = limitsFrom(limits);
  const transfer = await import('../transfer/import-sessions.ts');
  return transfer.verifyExport(source, all);
}

function limitsFrom(limits: Partial<TransferLimits>): TransferLimits {
  checkShape('limits', limits, LIMITS);
  return { ...DEFAULT_LIMITS, ...limits };
}
