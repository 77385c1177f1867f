/** The play: a small project, and an agent that does well twice and then does not. */
export interface DemoMessage {
  readonly prompt: string;
  readonly calls: readonly DemoCall[];
  readonly reply: string;
}

export interface DemoCall {
  readonly tool: 'write_file' | 'delete_file';
  readonly file_path: string;
  readonly content?: string;
}

/** The program that the visitor sees work, break and work again. */
export const PROGRAM = 'till.mjs';

export const FIRST_FILES: Readonly<Record<string, string>> = {
  'till.mjs': `import { readFileSync } from 'node:fs';

const prices = JSON.parse(readFileSync('prices.json', 'utf8'));

let total = 0;
for (const price of Object.values(prices)) {
  total += price;
}
console.log(\`Total: \${total.toFixed(2)}\`);
`,
  'prices.json': `{
  "coffee": 2.8,
  "cake": 3.5
}
`,
  'README.md': `# Till

Adds up what is on the list in \`prices.json\`.

    node till.mjs

Took an afternoon to write. Please keep.
`,
};

export const MESSAGES: readonly DemoMessage[] = [
  {
    prompt: 'Add tea to the price list.',
    calls: [
      {
        tool: 'write_file',
        file_path: 'prices.json',
        content: `{
  "coffee": 2.8,
  "tea": 2.2,
  "cake": 3.5
}
`,
      },
    ],
    reply: 'Tea is on the list.',
  },
  {
    prompt: 'Print a line for each item, not only the total.',
    calls: [
      {
        tool: 'write_file',
        file_path: 'receipt.mjs',
        content: `/** One line of a receipt. */
export function line(name, price) {
  return \`\${name.padEnd(10)}\${price.toFixed(2)}\`;
}
`,
      },
      {
        tool: 'write_file',
        file_path: 'till.mjs',
        content: `import { readFileSync } from 'node:fs';
import { line } from './receipt.mjs';

const prices = JSON.parse(readFileSync('prices.json', 'utf8'));

let total = 0;
for (const [name, price] of Object.entries(prices)) {
  console.log(line(name, price));
  total += price;
}
console.log(line('total', total));
`,
      },
    ],
    reply: 'Every item has its own line now.',
  },
  {
    prompt: 'Clean up the code a little.',
    calls: [
      {
        tool: 'write_file',
        file_path: 'till.mjs',
        content: `import { line } from './receipt.mjs';

// ... the rest of the code stays the same ...

console.log(line('total', total));
`,
      },
      {
        tool: 'write_file',
        file_path: 'README.md',
        content: '# Till\n\nTODO: write documentation.\n',
      },
      { tool: 'delete_file', file_path: 'prices.json' },
    ],
    reply: 'All clean! I also removed prices.json, which seemed to be unused.',
  },
];
