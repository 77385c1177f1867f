export { AT_LEAST_ONE, parseBytes, SWITCH } from './kinds.ts';
export {
  type Effective,
  loadSettings,
  type SettingKind,
  type SettingsTable,
} from './load-settings.ts';
export { type Configuration, loadConfiguration, SETTING_KEYS } from './settings.ts';
