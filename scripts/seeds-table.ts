/** A row of `docs/seeds.md`: what is asked for, and where it is. */
export interface SeedRow {
  readonly requirement: string;
  readonly code: readonly string[];
  readonly tests: readonly NamedTest[];
}

/** A test by its file and its title, or the title of a group of tests, or how that begins. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

export interface SeedSection {
  readonly title: string;
  readonly rows: readonly SeedRow[];
}

/** The tables of the document, by their headings. */
export function seedSections(markdown: string): SeedSection[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      // Of each table the first two lines are its head.
      const rows = lines.filter((line) => line.startsWith('| ')).slice(2);
      return { title, rows: rows.map(rowIn) };
    });
}

function rowIn(line: string): SeedRow {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, requirement = '', code = '', tests = ''] = cells;
  if (cells.length !== 5) throw new Error(`not three cells: ${line}`);
  return { requirement, code: filesIn(code), tests: tests.split('; ').flatMap(testsIn) };
}

function filesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
}

/** One file, and the titles in it. */
function testsIn(part: string): NamedTest[] {
  const [file = ''] = filesIn(part);
  return [...part.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title }));
}
