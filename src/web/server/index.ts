export { RedirectFile } from './redirect-file.ts';
export type { ShownSettings } from './store-answer.ts';
export { startWebServer, type WebServer, type WebServerOptions } from './web-server.ts';
