import { type Configuration, SETTING_KEYS } from '../../config/index.ts';
import { displayText } from '../../index.ts';
import {
  AMOUNT,
  anyOf,
  BOOLEAN,
  described,
  exact,
  listOf,
  nullable,
  oneOf,
  TEXT,
} from '../../model/check.ts';
import { findProject, storeHome, userFile } from '../../terminal/find-project.ts';
import { settingLines, settingsText } from '../../terminal/settings-text.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { configurationOf, warnOfConfiguration } from '../open-timeline.ts';

const PART = {
  value: described(
    'Sizes in bytes; null for no limit.',
    anyOf(AMOUNT, BOOLEAN, listOf(TEXT), oneOf(null)),
  ),
  origin: oneOf('default', 'user', 'project', 'environment'),
  source: described('The file or the variable; null for a default.', nullable(TEXT)),
};

const SETTING = exact({
  key: TEXT,
  ...PART,
  variable: nullable(TEXT),
  summary: TEXT,
  parts: described(
    'Of a list, what each place added to it; else the one value.',
    listOf(exact(PART)),
  ),
});

const SHAPE = exact({
  project: TEXT,
  userFile: described("Where the user's own settings are looked for.", TEXT),
  storeHome: described('Where all stores of the user are.', TEXT),
  settings: listOf(SETTING),
  problems: described(
    "What is wrong in the project's own files, and does not count.",
    listOf(exact({ code: TEXT, message: TEXT })),
  ),
  warnings: listOf(TEXT),
});

export const config: Command = {
  name: 'config',
  arguments: '[KEY]',
  summary: 'each setting, with its value and where that comes from',
  details:
    'Shows what counts for a project, and whether it comes from the environment, from the project\n' +
    '(savepoint.config.json, or the key "savepoint" of package.json), from your own file\n' +
    '(~/.config/savepoint/config.json) or is the default. A file in the project may have more kept, never\n' +
    'less, and can name no program. With KEY, the value of that setting alone.',
  examples: [
    ['savepoint config', 'all settings'],
    ['savepoint config maxFileSize', 'one value, for a script'],
    ['SAVEPOINT_SCAN=true savepoint config', 'what a variable would change'],
  ],
  completes: [SETTING_KEYS],
  json: { config: anyOf(SHAPE, SETTING) },
  run: async (call) => {
    const [key] = expectArgs(call, 'config', 0, 1);
    const project = findProject(call);
    const configuration = configurationOf(call, project);
    return key === undefined
      ? showAll(call, project, configuration)
      : showOne(call, key, configuration);
  },
};

function showAll(call: Call, project: string, configuration: Configuration): ExitCode {
  const { effective, problems, warnings } = configuration;
  printJson(call, SHAPE, {
    project,
    userFile: userFile(call.io),
    storeHome: storeHome(call.io),
    settings: effective,
    problems: problems.map(({ code, message }) => ({ code, message })),
    warnings,
  });
  for (const line of settingsText(effective, call.paint)) call.say(line);
  if (!call.json) warnOfConfiguration(call, configuration);
  call.hint(
    `set your own in ${displayText(userFile(call.io))}, or by variables such as SAVEPOINT_MAX_FILE_SIZE`,
  );
  return problems.length === 0 ? EXIT.done : EXIT.failure;
}

function showOne(call: Call, key: string, { effective }: Configuration): ExitCode {
  const found = effective.find((one) => one.key === key);
  if (found === undefined) {
    throw new UsageError(`no setting is called "${key}"`, 'see them with: savepoint config');
  }
  printJson(call, SETTING, found);
  for (const line of settingLines(found.value)) call.say(line);
  call.hint(`${found.summary}; it can be set by ${found.variable}`);
  return EXIT.done;
}
