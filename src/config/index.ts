export { parseBytes } from './kinds.ts';
export {
  type Configuration,
  type Effective,
  loadConfiguration,
  type Part,
} from './load-configuration.ts';
export {
  isSettingKey,
  SETTING_KEYS,
  type SettingKey,
  type Values,
  variableOf,
} from './settings.ts';
export type { Origin, Places } from './sources.ts';
