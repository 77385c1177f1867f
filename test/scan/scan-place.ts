import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { ScanDifferences } from '../../src/capture/scan/differences.ts';
import type { ScanIndex } from '../../src/capture/scan/scan-index.ts';
import { Scanner, type ScanRequest } from '../../src/capture/scan/scanner.ts';

export type Found = { readonly index: ScanIndex; readonly differences: ScanDifferences };

/** Long after everything was written, so that no stat is racy. */
const LATER = { now: () => performance.now(), wallMs: () => Date.now() + 3_600_000 };

const TICK_MS = 15;

/** A tree of its own to scan, and a scanner. */
export class ScanPlace {
  readonly root: string;
  readonly scanner: Scanner;

  constructor(scanner: Scanner = new Scanner({ workers: 0 })) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-scan-')));
    this.scanner = scanner;
  }

  async remove(): Promise<void> {
    await this.scanner.close();
    this.removeTree();
  }

  /** For a scanner that somebody else closes. */
  removeTree(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  at(path: string): string {
    return `${this.root}/${path}`;
  }

  write(path: string, text: string = path): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  chmod(path: string, mode: number): void {
    chmodSync(this.at(path), mode);
  }

  delete(path: string): void {
    rmSync(this.at(path), { recursive: true });
  }

  request(previous: ScanIndex | null, more: Partial<ScanRequest> = {}): ScanRequest {
    return {
      root: this.root,
      previous,
      global: { excludesFile: null, infoExclude: null },
      deadline: null,
      maxEntries: 1_000_000,
      clock: LATER,
      ...more,
    };
  }

  /**
   * A scan that is expected to come to its end. Waits for a tick of the kernel's clock afterwards, so that
   * what is written next gets another stamp: the racy rule, which would see to that, is put off here.
   */
  async scan(previous: ScanIndex | null, more: Partial<ScanRequest> = {}): Promise<Found> {
    const found = await this.scanNow(previous, more);
    await this.tick();
    return found;
  }

  async tick(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }

  async scanNow(previous: ScanIndex | null, more: Partial<ScanRequest> = {}): Promise<Found> {
    const outcome = await this.scanner.scan(this.request(previous, more));
    if (outcome.kind !== 'complete') throw new Error(`the scan gave up: ${outcome.reason}`);
    return outcome;
  }
}

export function pathsIn(index: ScanIndex): string[] {
  return Array.from({ length: index.count }, (_, entry) => index.path(entry));
}

const NOTHING: ScanDifferences = {
  touched: [],
  appeared: [],
  entered: [],
  gone: [],
  left: [],
  unreadable: [],
  lost: [],
};

/** Expects these differences, in any order, and no others. */
export function expectDifferences(
  { differences }: Found,
  expected: { readonly [List in keyof ScanDifferences]?: readonly string[] },
): void {
  expect(sorted(differences)).toEqual(sorted({ ...NOTHING, ...expected }));
}

function sorted(lists: object): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, paths]: [string, readonly string[]]) => [
      name,
      paths.toSorted(),
    ]),
  );
}
