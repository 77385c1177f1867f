import type { AgentAdapter } from '../agent-adapter.ts';
import { contextForPlugin, parsePluginEvent } from '../plugin-events.ts';

export const kilo: AgentAdapter = {
  name: 'kilo',
  parse: parsePluginEvent,
  answer: contextForPlugin,
  silence: '',
  parentIsAgent: true,
  projectVariable: null,
};
