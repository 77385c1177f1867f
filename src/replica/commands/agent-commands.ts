import { displayText } from '../../index.ts';
import { table } from '../../terminal/rows.ts';
import { CommandRefused, idleOnly, type SlashCommand, serverLines } from './command.ts';

export const modelCommand: SlashCommand = {
  name: 'model',
  usage: '[NAME]',
  description: 'which model answers; another one from the next prompt on',
  async execute(args, context) {
    const { agent, ui } = context;
    idleOnly(context);
    const name = args.trim() === '' ? await chosenModel(context) : args.trim();
    if (name === null) return `The model stays ${displayText(agent.status)}.`;
    await agent.setModel(name);
    ui.displaySuccess(`${displayText(name)} answers from your next prompt on.`);
    return null;
  },
};

async function chosenModel({ agent, ui }: Parameters<SlashCommand['execute']>[1]) {
  const models = await agent.models();
  if (models.length === 0) {
    throw new CommandRefused(
      `${displayText(agent.status)} answers. The list of models is there after your first prompt; /model NAME works at once.`,
    );
  }
  const items = models.map(({ value, displayName, description }) => ({
    id: value,
    text: `${displayText(displayName)}\n${displayText(description)}`,
  }));
  return ui.select(`The model (now ${displayText(agent.status)})`, items);
}

export const compactCommand: SlashCommand = {
  name: 'compact',
  usage: '[WHAT TO KEEP]',
  description: 'have the conversation summed up, so that it takes less room',
  async execute(args, context) {
    idleOnly(context);
    const { agent } = context;
    if (agent.session.turns.length === 0) return 'Nothing was said yet.';
    // The SDK does it itself when it reads this as a prompt.
    agent.submit(`/compact ${args}`.trim());
    return null;
  },
};

export const costCommand: SlashCommand = {
  name: 'cost',
  description: 'what the conversation has cost since it was opened, and its tokens',
  async execute(_args, { agent, ui }) {
    const usage = agent.usage();
    if (usage === null) return 'Nothing was asked yet.';
    const number = (value: number): string => value.toLocaleString('en-US');
    ui.displayBlock(
      table([
        ['Cost', `$${usage.costUSD.toFixed(4)} (an estimate, not a bill)`],
        ...usage.models.map(({ name, input, output, cached }) => [
          displayText(name),
          `${number(input)} tokens in, ${number(output)} out, ${number(cached)} from its cache`,
        ]),
      ]),
    );
    return null;
  },
};

export const permissionsCommand: SlashCommand = {
  name: 'permissions',
  description: 'what you have allowed always in this conversation; take it back',
  async execute(_args, context) {
    const { agent, ui } = context;
    idleOnly(context);
    const granted = agent.permissions.granted();
    if (granted.length === 0) {
      return 'You have allowed nothing for the whole conversation; each tool that changes something asks.';
    }
    const items = granted.map(({ id, text }) => ({ id, text: displayText(text) }));
    const title = 'Allowed always in this conversation; choose what to take back';
    const chosen = await ui.select(title, items);
    const grant = items.find(({ id }) => id === chosen);
    if (grant === undefined) return 'All of it stays allowed.';
    await agent.permissions.takeBack(grant.id);
    return `Taken back: ${grant.text}. It asks again.`;
  },
};

export const mcpCommand: SlashCommand = {
  name: 'mcp',
  description: 'the MCP servers of the configuration, and how they are',
  async execute(_args, context) {
    const lines = await serverLines(context);
    if (lines.length === 0) return 'No MCP server is set; see docs/configuration.md.';
    context.ui.displayBlock(lines.map((line) => `  ${line}`));
    return null;
  },
};
