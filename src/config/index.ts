export { AT_LEAST_ONE, parseBytes, SWITCH } from './kinds.ts';
export {
  type Effective,
  loadSettings,
  type SettingKind,
  type SettingsTable,
} from './load-settings.ts';
export {
  type Configuration,
  type DatabaseSettings,
  type EffectiveSetting,
  loadConfiguration,
  SETTING_KEYS,
  type SettingKey,
  serverName,
  setUserSetting,
  shownValue,
} from './settings.ts';
