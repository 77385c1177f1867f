import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with the page as it is shown, in short. */
export async function violationsIn(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(axe.source);
  const results = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  };
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  );
}
