export { AT_LEAST_ONE, parseBytes, SWITCH } from './kinds.ts';
export {
  type Effective,
  loadSettings,
  type Origin,
  type Part,
  type SettingKind,
  type SettingsTable,
} from './load-settings.ts';
export {
  type Configuration,
  type EffectiveSetting,
  loadConfiguration,
  type Places,
  SETTING_KEYS,
  type SettingKey,
  setUserSetting,
  shownValue,
  type Values,
} from './settings.ts';
