// Plain JavaScript, and nothing but the package: what strips types would count as memory of ours.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint } from 'savepoint';

const [project, home, ...paths] = process.argv.slice(2);
const savepoint = await openSavepoint({ project, home, scan: true, environment: process.env });
for (let round = 0; round <= 30; round += 1) {
  // The first one looks at everything; each further one finds some changes.
  if (round > 0) for (const path of paths) appendFileSync(join(project, path), `// ${round}\n`);
  const messageId = `round ${round}`;
  const { coverage } = await savepoint.checkpoint({ sessionId: 'session', messageId });
  if (coverage !== 'scanned') throw new Error(`the checkpoint is "${coverage}"`);
}
await savepoint.close();
// The kernel counts in kilobytes of 1,024.
process.stdout.write(String(process.resourceUsage().maxRSS * 1024));
