import { SavepointError } from '../../model/errors.ts';
import type { Execution, StepAttempt, StoredDocument } from '../../model/execution.ts';
import type { PartId } from '../../model/ids.ts';
import { type Part, partId } from '../parts/part.ts';
import type { Batch, DocumentWrite } from '../store.ts';
import { kept } from './kept.ts';
import type { MemoryPlace } from './memory-place.ts';

/** Throws before anything is written. */
export function checkDocuments(place: MemoryPlace, batch: Batch): void {
  const { fence, parts = [], executions = [], steps = [] } = batch;
  if (fence !== undefined && place.executions.get(fence.executionId)?.token !== fence.token) {
    throw new SavepointError(
      'execution-lost',
      `execution ${fence.executionId} was taken over, or given back`,
    );
  }
  requireParts(place, parts, rootsOf(steps, []));
  const known = new Set([...place.executions.keys(), ...executions.map(({ id }) => id)]);
  const lost = steps.find(({ executionId }) => !known.has(executionId));
  if (lost === undefined) return;
  throw new SavepointError('argument-invalid', `there is no execution ${lost.executionId}`);
}

/** Every part that others hold, and every root, is there or among these. */
function requireParts(place: MemoryPlace, parts: readonly Part[], roots: readonly PartId[]): void {
  const there = new Set<PartId>();
  const require = (id: PartId): void => {
    if (there.has(id) || place.parts.has(id)) return;
    throw new SavepointError('part-missing', `part ${id} is not in the store`);
  };
  for (const { id, children } of parts) {
    for (const child of children) require(child);
    there.add(id);
  }
  for (const id of roots) require(id);
}

export function writeDocuments(place: MemoryPlace, batch: Batch): void {
  addParts(place, batch.parts ?? []);
  for (const execution of batch.executions ?? []) {
    place.executions.set(execution.id, kept(execution));
  }
  for (const step of batch.steps ?? []) {
    const attempts = place.steps.get(step.executionId) ?? new Map<string, StepAttempt>();
    place.steps.set(step.executionId, attempts.set(`${step.index}:${step.attempt}`, kept(step)));
  }
}

function addParts(place: MemoryPlace, parts: readonly Part[]): void {
  for (const part of parts) {
    if (!place.parts.has(part.id)) place.parts.set(part.id, copyOf(part));
  }
}

export function putDocument(place: MemoryPlace, write: DocumentWrite, onlyNew: boolean): boolean {
  const { category, key, savedAt, root, parts } = write;
  if (onlyNew && place.documents.has(nameOf(write))) return false;
  const all = [...parts, root];
  requireParts(place, all, []);
  addParts(place, all);
  place.documents.set(nameOf(write), kept({ category, key, root: root.id, savedAt }));
  return true;
}

export function removeDocument(place: MemoryPlace, category: string, key: string): boolean {
  return place.documents.delete(nameOf({ category, key }));
}

export function removeExecution(place: MemoryPlace, id: string): void {
  place.executions.delete(id);
  place.steps.delete(id);
}

export function listExecutions(place: MemoryPlace): Execution[] {
  // What was made later comes first where times are the same.
  return [...place.executions.values()].reverse().sort((a, b) => b.updatedAt - a.updatedAt);
}

export function listSteps(place: MemoryPlace, id: string, index?: number): StepAttempt[] {
  return [...(place.steps.get(id)?.values() ?? [])]
    .filter((step) => index === undefined || step.index === index)
    .sort((a, b) => a.index - b.index || a.attempt - b.attempt);
}

export function findDocument(
  place: MemoryPlace,
  category: string,
  key: string,
): StoredDocument | null {
  return place.documents.get(nameOf({ category, key })) ?? null;
}

export function listDocuments(place: MemoryPlace, category: string): StoredDocument[] {
  return [...place.documents.values()]
    .filter((document) => document.category === category)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function readParts(place: MemoryPlace, root: PartId): Part[] {
  const found = new Map<PartId, Part>();
  const wanted = [root];
  for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
    if (found.has(id)) continue;
    const part = place.parts.get(id);
    if (part === undefined) {
      throw new SavepointError('part-missing', `part ${id} is not in the store`);
    }
    if (partId(part.kind, part.children, part.data) !== id) {
      throw new SavepointError('part-corrupt', `part ${id} is not what was stored`);
    }
    found.set(id, copyOf(part));
    wanted.push(...part.children);
  }
  return [...found.values()];
}

/** Removes what no step and no document reaches. */
export function dropParts(place: MemoryPlace): void {
  const reached = new Set<PartId>();
  const steps = [...place.steps.values()].flatMap((attempts) => [...attempts.values()]);
  const wanted = rootsOf(steps, [...place.documents.values()]);
  for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    wanted.push(...(place.parts.get(id)?.children ?? []));
  }
  for (const id of place.parts.keys()) if (!reached.has(id)) place.parts.delete(id);
}

function rootsOf(steps: readonly StepAttempt[], documents: readonly StoredDocument[]): PartId[] {
  const named = steps.flatMap(({ root, result }) => [root, result]);
  return [...named, ...documents.map(({ root }) => root)].filter((id) => id !== null);
}

function copyOf(part: Part): Part {
  const data = typeof part.data === 'string' ? part.data : Uint8Array.from(part.data);
  return { ...part, children: [...part.children], data };
}

function nameOf({ category, key }: { readonly category: string; readonly key: string }): string {
  return JSON.stringify([category, key]);
}
