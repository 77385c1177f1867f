import { accountFile, findProject, storeHome, userFile } from '../../config/find-project.ts';
import {
  configurationOf,
  type EffectiveSetting,
  SETTING_KEYS,
  type SettingKey,
  setUserSetting,
  shownValue,
} from '../../config/settings.ts';
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
import { type ShownSetting, settingLines, settingsText } from '../../terminal/settings-text.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, type Command, expectArgs, flag, meantHint } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../json.ts';
import { warnOfConfiguration } from '../open-timeline.ts';

const PART = {
  value: described(
    'Sizes in bytes; null for no limit, and for what is not set. Of databaseUrl only host and database.',
    anyOf(AMOUNT, BOOLEAN, TEXT, listOf(TEXT), oneOf(null)),
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
  arguments: '[KEY [VALUE]]',
  summary: 'each setting, with its value and where that comes from; or set one',
  details:
    'Shows what counts for a project, and whether it comes from the environment, from the project\n' +
    '(savepoint.config.json, or the key "savepoint" of package.json), from your own file\n' +
    '(~/.config/savepoint/config.json) or is the default. A file in the project may have more kept, never\n' +
    'less, and can name no program. With KEY, the value of that setting alone; with a VALUE too, it is set\n' +
    'in your own file. Sizes have a unit (10 MiB), and patterns of a list are separated by ":".',
  options: { unset: flag('take the setting out of your own file') },
  examples: [
    ['savepoint config', 'all settings'],
    ['savepoint config maxFileSize', 'one value, for a script'],
    ["savepoint config maxFileSize '20 MiB'", 'set it for all your projects'],
    ['savepoint config maxFileSize --unset', 'back to the default'],
    ['SAVEPOINT_SCAN=true savepoint config', 'what a variable would change'],
  ],
  completes: [SETTING_KEYS],
  json: { config: anyOf(SHAPE, SETTING) },
  run: async (call) => {
    const isUnset = call.flags.has('unset');
    const [key, value] = expectArgs(call, 'config', isUnset ? 1 : 0, isUnset ? 1 : 2);
    if (key === undefined) return showAll(call);
    const named = keyCalled(key);
    if (isUnset) return set(call, named, null);
    return value === undefined ? showOne(call, named) : set(call, named, value);
  },
};

function keyCalled(name: string): SettingKey {
  const key = SETTING_KEYS.find((one) => one === name);
  if (key !== undefined) return key;
  const hint = meantHint(name, SETTING_KEYS, 'see them with: savepoint config');
  throw new UsageError(`no setting is called "${name}"`, hint);
}

function showAll(call: Call): ExitCode {
  const project = findProject(call);
  const configuration = configurationOf(call.io, project);
  const { effective, problems, warnings } = configuration;
  printJson(call, SHAPE, {
    project,
    userFile: userFile(call.io),
    storeHome: storeHome(call.io),
    settings: effective,
    problems: problems.map(({ code, message }) => ({ code, message })),
    warnings,
  });
  for (const line of settingsText(effective.map(shown), call.paint)) call.say(line);
  if (!call.json) warnOfConfiguration(call, configuration);
  call.hint(
    'set your own with: savepoint config KEY VALUE, or by variables such as SAVEPOINT_MAX_FILE_SIZE',
  );
  return problems.length === 0 ? EXIT.done : EXIT.failure;
}

/** Sizes are printed as people write them. */
function shown({ key, value, parts, ...from }: EffectiveSetting): ShownSetting {
  return {
    ...from,
    key,
    value: shownValue(key, value),
    parts: parts.map((part) => ({ ...part, value: shownValue(key, part.value) })),
  };
}

function showOne(call: Call, key: SettingKey): ExitCode {
  const found = effectiveOf(call, key);
  printJson(call, SETTING, found);
  for (const line of settingLines(shown(found).value)) call.say(line);
  call.hint(
    `${found.summary}; set it with: savepoint config ${key} VALUE, or by ${found.variable}`,
  );
  return EXIT.done;
}

function set(call: Call, key: SettingKey, text: string | null): ExitCode {
  const file = userFile(call.io);
  const isChanged = setUserSetting(file, key, text);
  if (isChanged) call.io.done = `${key} was changed in ${file} all the same`;
  const found = effectiveOf(call, key);
  printJson(call, SETTING, found);
  const where = displayText(file);
  const wanted = text === null ? `is not set in ${where}` : `is set in ${where}`;
  call.tell(isChanged ? `Done: ${key} ${wanted}.` : `Nothing to do: ${key} ${wanted} already.`);
  const counts = settingLines(shown(found).value).join(', ');
  const source = found.source === null ? 'the default' : displayText(found.source);
  call.tell(`What counts here is ${counts}, from ${source}.`);
  const own = accountFile() ?? 'the home directory of a user whom the system knows';
  if (key === 'mcpRewind' && own !== file)
    call.tell(`savepoint mcp reads it only in ${displayText(own)}.`);
  return isChanged ? EXIT.done : EXIT.nothingToDo;
}

function effectiveOf(call: Call, key: SettingKey): EffectiveSetting {
  const { effective } = configurationOf(call.io, findProject(call));
  const found = effective.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no value for ${key}`);
  return found;
}
