import type { AgentAdapter } from '../agent-adapter.ts';
import { contextForPlugin, parsePluginEvent } from '../plugin-events.ts';

export const opencode: AgentAdapter = {
  name: 'opencode',
  parse: parsePluginEvent,
  answer: contextForPlugin,
  silence: '',
  parentIsAgent: true,
  projectVariable: null,
};
