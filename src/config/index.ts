export { AT_LEAST_ONE, type Kind, parseBytes, SWITCH } from './kinds.ts';
export {
  type Configuration,
  type Effective,
  loadConfiguration,
  type Part,
} from './load-configuration.ts';
export { invalid, readJsonFile } from './read-file.ts';
export {
  isSettingKey,
  SETTING_KEYS,
  type SettingKey,
  type Values,
  variableOf,
} from './settings.ts';
export type { Origin, Places } from './sources.ts';
