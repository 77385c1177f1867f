import { describe, it } from 'node:test';

/** The two functions of a test runner that a suite needs; those of node:test and vitest fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Where a suite gets the implementation that it tests. */
export interface Suite<Subject> {
  readonly name: string;
  /** A new one with nothing in it, made for one test. */
  create(): Promise<Subject>;
  /** Closes it, if it can be closed and the test has not done so, and removes its place. */
  destroy(subject: Subject): Promise<void>;
  /** Another one on the place of this one, as another process would have it. A store is closed by the test. */
  reopen?(subject: Subject): Promise<Subject>;
  /** Those of node:test when left out. */
  readonly runner?: TestRunner;
}

/** What a rule gets to state one behaviour. */
export interface Tests<Subject> {
  test(behaviour: string, body: (subject: Subject) => Promise<void>): void;
  /** The same with a second one on the same place; left out where there is no `reopen`. */
  testTwo(behaviour: string, body: (subject: Subject, other: Subject) => Promise<void>): void;
}

export type Rules<Subject> = (tests: Tests<Subject>) => void;

/** States the rules of each part as tests of one implementation. `close` is for what `reopen` made. */
export function runSuite<Subject>(
  { name, create, destroy, reopen, runner = { describe, it } }: Suite<Subject>,
  parts: Readonly<Record<string, Rules<Subject>>>,
  close: (subject: Subject) => Promise<void>,
): void {
  const test: Tests<Subject>['test'] = (behaviour, body) => {
    runner.it(behaviour, async () => {
      const subject = await create();
      try {
        await body(subject);
      } finally {
        await destroy(subject);
      }
    });
  };
  const testTwo: Tests<Subject>['testTwo'] = (behaviour, body) => {
    if (reopen === undefined) return;
    test(behaviour, async (subject) => {
      const other = await reopen(subject);
      try {
        await body(subject, other);
      } finally {
        await close(other);
      }
    });
  };
  runner.describe(name, () => {
    for (const [part, rules] of Object.entries(parts)) {
      runner.describe(part, () => rules({ test, testTwo }));
    }
  });
}
