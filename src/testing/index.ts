export { type StoreSuite, type TestRunner, testStore } from './store/test-store.ts';
