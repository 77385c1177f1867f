import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSavepoint, type Savepoint } from '../src/index.ts';

/** What the pictures of the page show: two days of three agents and a person in one project. */
export async function tellPageStory(project: string, home: string): Promise<void> {
  const clock = new Clock(Date.UTC(2026, 10, 16, 8, 52));
  mkdirSync(project, { recursive: true });
  const savepoint = await openSavepoint({ project, home, now: clock.now });
  const shop = new Shop(savepoint, clock);
  try {
    await monday(shop);
    await tuesday(shop);
  } finally {
    await savepoint.close();
  }
}

class Clock {
  #time: number;

  constructor(time: number) {
    this.#time = time;
  }

  readonly now = (): number => {
    this.#time += 900;
    return this.#time;
  };

  pass(minutes: number): void {
    this.#time += minutes * 60_000;
  }
}

type Files = Readonly<Record<string, string | null>>;

/** The project, as agents and a person work in it. */
class Shop {
  readonly savepoint: Savepoint;
  readonly clock: Clock;
  #messages = 0;

  constructor(savepoint: Savepoint, clock: Clock) {
    this.savepoint = savepoint;
    this.clock = clock;
  }

  /** A prompt, and what its agent writes. Gives the prompt's checkpoint. */
  async prompt(
    agent: string,
    session: string,
    description: string,
    files: Files = {},
  ): Promise<string> {
    this.clock.pass(3 + ((this.#messages * 7) % 11));
    this.#messages += 1;
    const messageId = `message-${this.#messages}`;
    const { id } = await this.savepoint.checkpoint({
      ...{ sessionId: session, agent, messageId, description },
      ...(agent === 'run' ? { isRun: true } : {}),
    });
    for (const [path, content] of Object.entries(files)) {
      const call = { sessionId: session, messageId, toolCallId: `edit-${path}-${messageId}` };
      const capture = await this.savepoint.captureBefore({ ...call, paths: [path] });
      this.put(path, content);
      await this.savepoint.captureAfter(capture);
      this.clock.pass(0.4);
    }
    return id;
  }

  put(path: string, content: string | null): void {
    const file = join(this.savepoint.root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (content === null) rmSync(file);
    else writeFileSync(file, content);
  }
}

async function monday(shop: Shop): Promise<void> {
  const claude = (text: string, files?: Files) =>
    shop.prompt('claude-code', 'claude-1', text, files);
  const codex = (text: string, files?: Files) => shop.prompt('codex', 'codex-1', text, files);
  shop.put('README.md', '# Shop\n\nA small shop.\n');
  await claude('Start a shop: a cart with lines, and a total', { 'src/cart.ts': CART });
  await claude('Add tests for the cart', { 'test/cart.test.ts': tests('cart', 14) });
  await codex('Write a parser for invoices', { 'src/invoice.ts': lines('invoice', 70) });
  await claude('Prices are in cents, never in floats', { 'src/cart.ts': CENTS });
  await codex('Handle invoices without a date', { 'src/invoice.ts': lines('invoice', 82) });
  await shop.prompt('run', 'run-1', 'npm test');
  await codex('Cover the parser with tests', { 'test/invoice.test.ts': tests('invoice', 40) });
  await shop.savepoint.checkpoint({ description: 'before the new checkout', label: 'v1' });
  const bad = await claude('Rewrite the checkout as a state machine', {
    'src/checkout.ts': lines('checkout', 210),
    'src/cart.ts': `${CENTS}\nexport const machine = 'checkout';\n`,
  });
  await claude('Now use it everywhere', {
    'src/invoice.ts': lines('machine', 120),
    'README.md': '# Shop\n\nA state machine.\n',
  });
  shop.clock.pass(4);
  await shop.savepoint.rewind({ to: bad });
  await claude('Keep the checkout simple: one function', {
    'src/checkout.ts': lines('simple', 34),
  });
}

async function tuesday(shop: Shop): Promise<void> {
  shop.clock.pass(23 * 60);
  const claude = (text: string, files?: Files) =>
    shop.prompt('claude-code', 'claude-2', text, files);
  const gemini = (text: string, files?: Files) => shop.prompt('gemini', 'gemini-1', text, files);
  await claude('Show the total with its currency', { 'src/format.ts': lines('format', 22) });
  await gemini('Explain how checkout and cart fit together');
  await gemini('Write that down', { 'docs/checkout.md': lines('note', 28) });
  await shop.prompt('run', 'run-2', 'npm run lint -- --fix', { 'src/format.ts': lines('fmt', 21) });
  await runSteps(shop);
  await claude('Add a discount: ten percent from three items on', { 'src/cart.ts': DISCOUNT });
  shop.clock.pass(6);
  // A person writes in the same file, which no rewind takes back.
  shop.put('src/cart.ts', DISCOUNT.replace('/** What', '/** In cents, always. What'));
  await claude('Also for orders above 100 euros, and log it', {
    'src/cart.ts': LOGGED.replace('/** What', '/** In cents, always. What'),
    'src/log.ts': lines('log', 12),
  });
}

async function runSteps({ savepoint, clock }: Shop): Promise<void> {
  const state = { invoices: [] as string[], sent: 0 };
  const run = await savepoint.execution('monthly-invoices', { state });
  await run.step('collect orders', async (context) => {
    context.state.invoices.push('2026-0117', '2026-0118', '2026-0119');
  });
  clock.pass(0.2);
  await run.step('write invoices', async (context) => {
    for (const id of context.state.invoices) {
      await context.files.write(`invoices/${id}.txt`, `Invoice ${id}\nTotal: 42.00 EUR\n`);
    }
  });
  clock.pass(0.7);
  await run.step('send them', async (context) => {
    await context.effect('sent 3 mails to customers');
    context.state.sent = 3;
  });
  await run.leave();
}

const CART = `export interface Line {
  readonly name: string;
  readonly price: number;
  readonly count: number;
}

/** What all lines cost together. */
export function total(lines: readonly Line[]): number {
  let sum = 0;
  for (const line of lines) {
    sum += line.price * line.count;
  }
  return sum;
}
`;

const CENTS = CART.replace(
  'readonly price: number;',
  '/** In cents. */\n  readonly price: number;',
);

const DISCOUNT = CENTS.replace('  return sum;', '  return sum - discount(lines, sum);').concat(`
/** Ten percent from three items on. */
function discount(lines: readonly Line[], sum: number): number {
  const count = lines.reduce((all, line) => all + line.count, 0);
  return count >= 3 ? Math.round(sum / 10) : 0;
}
`);

const LOGGED = DISCOUNT.replace(
  'return count >= 3 ? Math.round(sum / 10) : 0;',
  `const isLarge = sum > 10_000;
  if (isLarge) log('discount', { count, sum });
  return count >= 3 || isLarge ? Math.round(sum / 10) : 0;`,
).replace('export interface', "import { log } from './log.ts';\n\nexport interface");

function lines(name: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `export const ${name}${at} = ${at};\n`).join('');
}

function tests(name: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `it('${name} ${at}', () => {});\n`).join('');
}
