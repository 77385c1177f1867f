import {
  type Configuration,
  type Effective,
  isSettingKey,
  type Part,
  SETTING_KEYS,
  variableOf,
} from '../../config/index.ts';
import { displayText } from '../../index.ts';
import { findProject, storeHome, userFile } from '../../terminal/find-project.ts';
import { padWidth, textWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { configurationOf, warnOfConfiguration } from '../configuration.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';

export const config: Command = {
  name: 'config',
  arguments: '[KEY]',
  summary: 'each setting, with its value and where that comes from',
  details:
    'Shows what counts for a project, and whether it comes from the environment, from the project\n' +
    '(savepoint.config.json, or the key "savepoint" of package.json), from your own file\n' +
    '(~/.config/savepoint/config.json) or is the default. A file in the project may have more kept, never\n' +
    'less, and can name no program. With KEY, the value of that setting alone.',
  options: {},
  examples: [
    ['savepoint config', 'all settings'],
    ['savepoint config maxFileSize', 'one value, for a script'],
    ['SAVEPOINT_SCAN=true savepoint config', 'what a variable would change'],
  ],
  completes: [SETTING_KEYS],
  run: async (call) => {
    expectArgs(call, 'config', 0, 1);
    const [key] = [...call.args, ...call.rest];
    const project = findProject(call);
    const configuration = configurationOf(call, project);
    return key === undefined
      ? showAll(call, project, configuration)
      : showOne(call, key, configuration);
  },
};

function showAll(call: Call, project: string, configuration: Configuration): ExitCode {
  const { effective, problems, warnings } = configuration;
  printJson(call, {
    project,
    userFile: userFile(call.io),
    storeHome: storeHome(call.io),
    settings: effective.map(settingJson),
    problems: problems.map(({ code, message }) => ({ code, message })),
    warnings,
  });
  for (const line of tableText(call, effective)) call.say(line);
  if (!call.json) warnOfConfiguration(call, configuration);
  call.hint(
    `set your own in ${displayText(userFile(call.io))}, or by variables such as SAVEPOINT_MAX_FILE_SIZE`,
  );
  return problems.length === 0 ? EXIT.done : EXIT.failure;
}

function showOne(call: Call, key: string, { effective }: Configuration): ExitCode {
  const found = effective.find((one) => one.key === key);
  if (found === undefined || !isSettingKey(key)) {
    throw new UsageError(`no setting is called "${key}"`, 'see them with: savepoint config');
  }
  printJson(call, settingJson(found));
  for (const line of linesOf(found.value)) call.say(line);
  call.hint(`${found.summary}; it can be set by ${variableOf(key)}`);
  return EXIT.done;
}

function settingJson({ key, value, origin, source, parts, summary }: Effective): object {
  return { key, value, origin, source, variable: variableOf(key), summary, parts };
}

interface Row extends Pick<Part, 'origin' | 'source'> {
  readonly key: string;
  readonly value: string;
}

function tableText(call: Call, effective: readonly Effective[]): string[] {
  const rows = effective.flatMap(rowsOf);
  const keys = Math.max(...rows.map(({ key }) => key.length));
  const values = Math.max(...rows.map(({ value }) => textWidth(value)));
  return rows.map(({ key, value, origin, source }) => {
    const from = source === null ? origin : `${origin}  ${displayText(source)}`;
    return `${key.padEnd(keys)}  ${padWidth(value, values)}  ${call.paint('dim', from)}`;
  });
}

/** A list has a row for each of its entries, since each place may have added some. */
function rowsOf({ key, value, parts, origin, source }: Effective): Row[] {
  if (!Array.isArray(value)) return [{ key, value: String(value ?? 'none'), origin, source }];
  if (value.length === 0) return [{ key, value: '(none)', origin, source }];
  const entries = parts.flatMap((part) => linesOf(part.value).map((line) => ({ ...part, line })));
  return entries.map((entry, at) => ({ ...entry, key: at === 0 ? key : '', value: entry.line }));
}

function linesOf(value: Effective['value']): string[] {
  if (value === null) return ['none'];
  return typeof value === 'object' ? value.map((line) => displayText(line)) : [String(value)];
}
