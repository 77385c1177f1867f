import { exact, oneOf, TEXT } from '../../model/check.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Command, expectArgs } from '../command.ts';
import { SCRIPTS, SHELLS } from '../completion/scripts.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../json.ts';

const SHAPE = exact({ shell: oneOf(...SHELLS), script: TEXT });

export const completion: Command = {
  name: 'completion',
  arguments: 'bash|zsh|fish',
  summary: 'a script with which your shell completes commands, ids, labels and paths',
  details:
    'Prints the script for a shell; have it loaded where your shell reads its settings. It asks Savepoint\n' +
    'for what fits at the cursor: commands, options, checkpoints, labels, sessions, operations.',
  options: {},
  examples: [
    ['source <(savepoint completion bash)', 'in ~/.bashrc'],
    ['source <(savepoint completion zsh)', 'in ~/.zshrc, after compinit'],
    ['savepoint completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  completes: [SHELLS],
  json: { completion: SHAPE },
  run: async (call) => {
    expectArgs(call, 'completion', 1, 1);
    const [word = ''] = [...call.args, ...call.rest];
    const shell = SHELLS.find((one) => one === word);
    if (shell === undefined) {
      const known = SHELLS.join(', ');
      throw new UsageError(`there is a script for ${known}, not for "${word}"`);
    }
    const script = SCRIPTS[shell];
    printJson(call, SHAPE, { shell, script });
    call.say(script.trimEnd());
    // Where it goes into a shell, nobody reads along.
    if (call.io.terminal) call.hint(`see where it goes with: savepoint completion --help`);
    return EXIT.done;
  },
};
