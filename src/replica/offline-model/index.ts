export { OFFLINE_MODEL, type OfflineModelOptions, startOfflineModel } from './offline-model.ts';
