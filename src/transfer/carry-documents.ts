import { setTimeout } from 'node:timers/promises';
import { SavepointError } from '../model/errors.ts';
import type { StoredDocument } from '../model/execution.ts';
import type { PartId } from '../model/ids.ts';
import type { Part } from '../store/parts/part.ts';
import { DOCUMENT_LOOK_MS, type Store } from '../store/store.ts';

/** The documents of a store when a move began, as seen from the store that they go to. */
export interface DocumentPlan {
  /** The other store has none of these names. The move writes them. */
  readonly fresh: readonly StoredDocument[];
  /** The other store has the same value under each of these names. */
  readonly same: readonly StoredDocument[];
}

const TIMEOUT_MS = 30_000;

/**
 * Compares names and values, and changes nothing. Throws `document-exists` where both stores have a name and the
 * values differ: nobody but their owners can say which one is wanted.
 */
export async function planDocuments(from: Store, to: Store): Promise<DocumentPlan> {
  const plan = { fresh: [] as StoredDocument[], same: [] as StoredDocument[] };
  const clashes: StoredDocument[] = [];
  const there = await documentsByName(to);
  for (const [name, document] of await documentsByName(from)) {
    const other = there.get(name);
    if (other === undefined) plan.fresh.push(document);
    else (other.root === document.root ? plan.same : clashes).push(document);
  }
  if (clashes.length > 0) throw clash(clashes);
  return plan;
}

function clash(documents: readonly StoredDocument[]): SavepointError {
  const [{ category, key }] = documents as [StoredDocument, ...StoredDocument[]];
  const others = documents.length === 1 ? '' : `, and ${documents.length - 1} more clash as well`;
  const name = `${JSON.stringify(key)} of category ${JSON.stringify(category)}`;
  const message = `both stores have a document ${name}, with different values${others}`;
  return new SavepointError('document-exists', message, {
    hint: 'nothing was moved; delete one of the two or save it under another key, or move to another project',
    details: documents.map((document) => ({ category: document.category, key: document.key })),
  });
}

/**
 * Writes the fresh documents of a plan. One that was saved anew or deleted since is left for `carryLateDocuments`, so
 * that a move which does not get to its end has written nothing but what its plan says.
 */
export async function carryDocuments(from: Store, to: Store, plan: DocumentPlan): Promise<void> {
  for (const document of plan.fresh) {
    const { category, key } = document;
    const whole = await from.documents.read(category, key);
    if (whole === null || !isSame(whole.document, document)) continue;
    if (await put(to, document, whole.parts, true)) continue;
    // Somebody has saved one of this name there since the plan.
    const [other] = await to.documents.list(category, key);
    if (other !== undefined && other.root !== document.root) throw clash([document]);
  }
}

/** Reads from the copy what `carryDocuments` has written. Programs may have saved or deleted any of it since. */
export async function compareDocuments(from: Store, to: Store, plan: DocumentPlan): Promise<void> {
  for (const document of plan.fresh) {
    const { category, key } = document;
    const copy = await to.documents.read(category, key);
    if (copy !== null) continue;
    const [is] = await from.documents.list(category, key);
    if (is === undefined || !isSame(is, document)) continue;
    throw new SavepointError('store-failed', 'the copy is not the same: documents differ', {
      hint: 'nothing was moved, and the store is as it was; try again',
    });
  }
}

/**
 * Carries what programs did to the documents after the plan was made. The caller has put another store in the place of
 * `from`, and a program that has the old one open notices that within DOCUMENT_LOOK_MS, so everything that was
 * acknowledged is there after twice that time. Both stores are in use by now: where both have a new value, the one
 * that was saved last stays. Idempotent.
 */
export async function carryLateDocuments(
  from: Store,
  to: Store,
  plan: DocumentPlan,
): Promise<void> {
  await setTimeout(2 * DOCUMENT_LOOK_MS);
  const planned = new Map([...plan.fresh, ...plan.same].map((one) => [nameOf(one), one]));
  const now = await documentsByName(from);
  const there = await documentsByName(to);
  for (const [name, document] of now) {
    const [was, other] = [planned.get(name), there.get(name)];
    if (was !== undefined && isSame(was, document)) continue;
    if (other !== undefined && isSame(other, document)) continue;
    const isUntouched = other !== undefined && was?.root === other.root;
    if (other !== undefined && !isUntouched && other.savedAt > document.savedAt) continue;
    const whole = await from.documents.read(document.category, document.key);
    if (whole !== null) await put(to, whole.document, whole.parts, false);
  }
  for (const document of plan.fresh) {
    const other = there.get(nameOf(document));
    if (now.has(nameOf(document)) || other === undefined || !isSame(other, document)) continue;
    await to.documents.remove(document.category, document.key, { timeoutMs: TIMEOUT_MS });
  }
}

/** False where it was to be new, and is not. */
function put(
  to: Store,
  { category, key, root, savedAt }: StoredDocument,
  parts: readonly Part[],
  onlyNew: boolean,
): Promise<boolean> {
  const ordered = heldFirst(parts, root);
  const first = ordered.at(-1) as Part;
  const write = { category, key, savedAt, root: first, parts: ordered.slice(0, -1) };
  return to.documents.put(write, { timeoutMs: TIMEOUT_MS, onlyNew });
}

async function documentsByName(store: Store): Promise<Map<string, StoredDocument>> {
  const documents = await store.documents.list();
  return new Map(documents.map((document) => [nameOf(document), document]));
}

function nameOf({ category, key }: StoredDocument): string {
  return JSON.stringify([category, key]);
}

function isSame(a: StoredDocument, b: StoredDocument): boolean {
  return a.root === b.root && a.savedAt === b.savedAt;
}

/** Parts in an order in which each comes after those that it holds; `root` is the last. */
export function heldFirst(parts: readonly Part[], root: PartId): Part[] {
  const byId = new Map(parts.map((part) => [part.id, part]));
  const ordered: Part[] = [];
  const left: { readonly part: Part; isOpened: boolean }[] = [];
  const open = (id: PartId): void => {
    const part = byId.get(id);
    if (part === undefined) return;
    byId.delete(id);
    left.push({ part, isOpened: false });
  };
  open(root);
  for (let top = left.at(-1); top !== undefined; top = left.at(-1)) {
    if (top.isOpened) {
      ordered.push(top.part);
      left.pop();
    } else {
      top.isOpened = true;
      for (const child of top.part.children) open(child);
    }
  }
  return ordered;
}
