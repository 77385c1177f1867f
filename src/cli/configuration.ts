import { type Configuration, loadConfiguration } from '../config/index.ts';
import { displayText } from '../index.ts';
import { userFile } from '../terminal/find-project.ts';
import { wrapWords } from '../terminal/text-width.ts';
import type { Call } from './command.ts';

/** What is configured for a project, by whoever may. Throws `config-invalid`. */
export function configurationOf({ io }: Call, project: string): Configuration {
  return loadConfiguration({ project, userFile: userFile(io), environment: io.env });
}

/** What is wrong with it and stops nobody, beside the output proper. */
export function warnOfConfiguration(call: Call, { problems, warnings }: Configuration): void {
  for (const text of [...problems.map(({ message }) => message), ...warnings]) {
    const lines = wrapWords(`savepoint: ${displayText(text)}`, call.columns, 2);
    call.io.err(`${lines.join('\n')}\n`);
  }
}
