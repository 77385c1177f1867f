import { exact, oneOf, TEXT } from '../../model/check.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Command, expectArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../json.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

const SHAPE = exact({ shell: oneOf(...SHELLS), script: TEXT });

export const completion: Command = {
  name: 'completion',
  arguments: 'bash|zsh|fish',
  summary: 'a script with which your shell completes commands, ids, labels and paths',
  details:
    'Prints the script for a shell; have it loaded where your shell reads its settings. It asks Savepoint\n' +
    'for what fits at the cursor: commands, options, checkpoints, labels, sessions, operations.',
  examples: [
    ['source <(savepoint completion bash)', 'in ~/.bashrc'],
    ['source <(savepoint completion zsh)', 'in ~/.zshrc, after compinit'],
    ['savepoint completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  completes: [SHELLS],
  json: { completion: SHAPE },
  run: async (call) => {
    const [word = ''] = expectArgs(call, 'completion', 1, 1);
    const shell = SHELLS.find((one) => one === word);
    if (shell === undefined) {
      const known = SHELLS.join(', ');
      throw new UsageError(`there is a script for ${known}, not for "${word}"`);
    }
    const script = SCRIPTS[shell];
    printJson(call, SHAPE, { shell, script });
    call.say(script.trimEnd());
    // In a pipe it goes into a shell, and nobody reads the hint.
    if (call.io.terminal) call.hint(`see where it goes with: savepoint completion --help`);
    return EXIT.done;
  },
};

/**
 * The scripts hold no list of their own: they ask the program, so they stay true when it is updated. Every
 * value that comes back is quoted before it gets near a command line.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# savepoint completion for bash; load it with: source <(savepoint completion bash)
_savepoint() {
  local line kind='' word="\${COMP_WORDS[COMP_CWORD]}" words=()
  COMPREPLY=()
  # Bash takes --name=value apart at the sign; it is one word.
  for line in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $line == = && \${#words[@]} -gt 0 && \${words[-1]} == --* ]]; then
      words[-1]+==
    elif [[ \${#words[@]} -gt 0 && \${words[-1]} == --*= ]]; then
      words[-1]+=$line
    else
      words+=("$line")
    fi
  done
  # What was typed may be quoted already. Nothing of it is run: backslashes and quotes are only removed.
  local last="\${words[-1]}"
  last=\${last#[\\"\\']}
  words[-1]=\${last//\\\\/}
  [[ $word == = ]] && word=''
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
      continue
    fi
    line=\${line%%$'\\t'*}
    [[ \${words[-1]} == --*=* ]] && line=\${line#*=}
    COMPREPLY+=("$(printf '%q' "$line")")
  done < <(command savepoint __complete -- "\${words[@]}" 2>/dev/null)
  case $kind in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *) compopt -o nosort 2>/dev/null ;;
  esac
}
complete -F _savepoint savepoint
`,
  zsh: `#compdef savepoint
# savepoint completion for zsh; load it with: source <(savepoint completion zsh)
_savepoint() {
  local line kind='' value
  local -a values shown typed
  typed=("\${(@Q)words[2,CURRENT]}")
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
      continue
    fi
    value=\${line%%$'\\t'*}
    values+=("$value")
    shown+=("$value  -- \${line#*$'\\t'}")
  done < <(command savepoint __complete -- "\${typed[@]}" 2>/dev/null)
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
    *) (( \${#values} )) && compadd -V savepoint -l -d shown -- "\${values[@]}" ;;
  esac
}
if (( $+functions[compdef] )); then
  compdef _savepoint savepoint
fi
# Found by its name in a folder of functions, the file itself is the function.
if [[ $funcstack[1] == _savepoint ]]; then
  _savepoint "$@"
fi
`,
  fish: `# savepoint completion for fish; load it with: savepoint completion fish | source
function __savepoint_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command savepoint __complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current" ''
        case '*'
            test (count $lines) -gt 1; and printf '%s\\n' $lines[2..-1]
    end
end
complete -c savepoint -f
complete -c savepoint -k -a '(__savepoint_complete)'
`,
};
