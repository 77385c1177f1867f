import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const README: string = fileURLToPath(new URL('../README.md', import.meta.url));

// The first block of its kind is the recorded one.
const BLOCK = /```console\n([\s\S]*?)\n```/;

export function sessionInReadme(): string {
  return BLOCK.exec(readFileSync(README, 'utf8'))?.[1] ?? '';
}

export function readmeWith(session: string): string {
  return readFileSync(README, 'utf8').replace(BLOCK, () => `\`\`\`console\n${session}\n\`\`\``);
}
