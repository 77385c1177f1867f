import { describe, expect, it } from 'vitest';
import { RecordingUI } from '../../../test/replica/recording-ui.ts';
import { SavepointError } from '../../index.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { CommandRegistry } from './command-registry.ts';

function command(name: string, more: Partial<SlashCommand> = {}): SlashCommand {
  const execute = async (args: string): Promise<string> => `${name}(${args})`;
  return { name, aliases: [], usage: '', description: `does ${name}`, execute, ...more };
}

function registryOf(...commands: SlashCommand[]): CommandRegistry {
  const registry = new CommandRegistry();
  for (const one of commands) registry.register(one);
  return registry;
}

/** Nothing of the agent is asked for here. */
function wired(): { readonly ui: RecordingUI; readonly context: CommandContext } {
  const ui = new RecordingUI();
  return { ui, context: { ui } as unknown as CommandContext };
}

describe('CommandRegistry', () => {
  it('finds a command by name and alias, with or without the slash', () => {
    const checkpoint = command('checkpoint', { aliases: ['rewind', 'restore'] });
    const registry = registryOf(checkpoint, command('help'));
    for (const name of ['checkpoint', '/checkpoint', 'rewind', '/restore', '/Rewind']) {
      expect(registry.get(name)).toBe(checkpoint);
    }
    expect(registry.get('nothing')).toBeNull();
    expect(registry.list().map(({ name }) => name)).toEqual(['checkpoint', 'help']);
  });

  it('refuses a name or alias that is taken, and takes nothing of that command', () => {
    const registry = registryOf(command('exit', { aliases: ['quit'] }));
    const late = command('leave', { aliases: ['bye', 'quit'] });
    expect(() => registry.register(late)).toThrow('there is a command /quit already');
    expect(() => registry.register(command('exit'))).toThrow('there is a command /exit already');
    expect(registry.get('leave')).toBeNull();
    expect(registry.get('bye')).toBeNull();
    const twice = command('go', { aliases: ['go'] });
    expect(() => registry.register(twice)).toThrow('there is a command /go already');
    expect(() => registry.register(command('a/b'))).toThrow('cannot name a command');
  });

  it('takes a path, and a text behind a blank, for a prompt', () => {
    const registry = registryOf(command('help'));
    expect(registry.isCommand('/help me')).toBe(true);
    expect(registry.isCommand('/hlep')).toBe(true);
    expect(registry.isCommand('/usr/bin/x is broken')).toBe(false);
    expect(registry.isCommand('// a comment')).toBe(false);
    expect(registry.isCommand(' /help')).toBe(false);
    expect(registry.isCommand('help')).toBe(false);
    expect(registry.isCommand('/help what is /usr/bin/x')).toBe(true);
  });

  it('hands the rest of the text to the command, line breaks and all', async () => {
    const registry = registryOf(command('save'));
    const { context } = wired();
    expect(await registry.execute('/save  two words ', context)).toBe('save(two words)');
    expect(await registry.execute('/save\na\nb', context)).toBe('save(a\nb)');
    expect(await registry.execute('/save', context)).toBe('save()');
  });

  it('names the nearest command for one that is unknown', async () => {
    const registry = registryOf(command('checkpoint', { aliases: ['rewind'] }), command('help'));
    const { context } = wired();
    expect(await registry.execute('/chekpoint', context)).toBe(
      'unknown command /chekpoint; did you mean /checkpoint?',
    );
    expect(await registry.execute('/rewnid', context)).toBe(
      'unknown command /rewnid; did you mean /rewind?',
    );
    expect(await registry.execute('/ch', context)).toBe(
      'unknown command /ch; did you mean /checkpoint?',
    );
    expect(await registry.execute('/bananas', context)).toBe('unknown command /bananas; see /help');
    expect(await registry.execute('/\u001b[2J', context)).toContain('/\\x1b[2J;');
  });

  it('gives back a text that was perhaps meant as a prompt', async () => {
    const { ui, context } = wired();
    await registryOf().execute('/tmp is full,\nwhat now?', context);
    expect(ui.input).toBe('/tmp is full,\nwhat now?');
    await registryOf().execute('/chekpoint', context);
    expect(ui.input).toBe('/tmp is full,\nwhat now?');
  });

  it('says in one line what a command threw, and goes on', async () => {
    const { ui, context } = wired();
    const thrown: unknown[] = [
      new Error('first\n  second \u001b[31m'),
      'a text',
      new SavepointError('file-exists', 'the file is there already', { path: 'a.txt' }),
    ];
    for (const error of thrown) {
      const broken = command('broken', { execute: () => Promise.reject(error) });
      expect(await registryOf(broken).execute('/broken', context)).toBeNull();
    }
    expect(ui.errors).toEqual([
      '❌ Command execution failed: first second \\x1b[31m',
      '❌ Command execution failed: a text',
      '❌ Command execution failed: the file is there already: a.txt',
    ]);
  });

  it('says how to use a command that was given something else', async () => {
    const { ui, context } = wired();
    const label = command('label', {
      usage: 'REF TEXT',
      execute: () => Promise.reject(new UsageError('Which checkpoint?')),
    });
    expect(await registryOf(label).execute('/label', context)).toBe(
      'Which checkpoint? Usage: /label REF TEXT',
    );
    expect(ui.errors).toEqual([]);
  });

  it('completes names by their beginning, and an alias where the name does not fit', () => {
    const registry = registryOf(
      command('checkpoint', { aliases: ['rewind', 'restore'] }),
      command('redo'),
    );
    const texts = (text: string): string[] =>
      registry.complete(text, wired().context).map((one) => one.text);
    expect(texts('/')).toEqual(['/checkpoint', '/redo']);
    expect(texts('/re')).toEqual(['/rewind', '/restore', '/redo']);
    expect(texts('/x')).toEqual([]);
    expect(texts('/usr/bin')).toEqual([]);
    expect(registry.complete('/rew', wired().context)).toEqual([
      { text: '/rewind', summary: '/checkpoint: does checkpoint' },
    ]);
  });

  it("completes a command's own words after its name", () => {
    const words = command('checkpoint', { complete: () => ['save', 'list'] });
    const registry = registryOf(words, command('redo'));
    const texts = (text: string): string[] =>
      registry.complete(text, wired().context).map((one) => one.text);
    expect(texts('/checkpoint ')).toEqual(['/checkpoint save', '/checkpoint list']);
    expect(texts('/checkpoint sa')).toEqual(['/checkpoint save']);
    expect(texts('/checkpoint save')).toEqual([]);
    expect(texts('/redo ')).toEqual([]);
    expect(texts('/nothing ')).toEqual([]);
  });
});
