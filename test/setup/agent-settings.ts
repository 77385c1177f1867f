/** Settings of agents as people write them. */
export interface SettingsSample {
  readonly name: string;
  readonly text: string;
  /** White space in an empty container, which only the copy of the file can bring back. */
  readonly hasBlankContainer?: true;
}

const OTHERS = `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "~/bin/check.sh", "timeout": 5 }
        ]
      }
    ],
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done"
          }
        ]
      }
    ]
  }
}
`;

const PLAIN = `{
  "model": "opus",
  "permissions": {
    "allow": ["Bash(npm test)", "Read"]
  }
}
`;

export const SETTINGS_SAMPLES: readonly SettingsSample[] = [
  { name: 'an empty object', text: '{}' },
  { name: 'an empty object and a newline', text: '{}\n' },
  { name: 'an empty object over two lines', text: '{\n}\n', hasBlankContainer: true },
  { name: 'an empty object with a space', text: '{ }\n', hasBlankContainer: true },
  { name: 'an empty object with a comment', text: '{\n  // nothing yet\n}\n' },
  {
    name: 'an empty object with a comment in its line',
    text: '{ /* nothing yet */ }\n',
    hasBlankContainer: true,
  },
  { name: 'nothing', text: '' },
  { name: 'a newline alone', text: '\n' },
  { name: 'a byte order mark alone', text: '\ufeff' },
  { name: 'one key', text: '{\n  "model": "opus"\n}\n' },
  { name: 'several keys', text: PLAIN },
  { name: 'no newline at the end', text: PLAIN.trimEnd() },
  { name: 'several newlines at the end', text: `${PLAIN}\n\n` },
  { name: 'tabs', text: PLAIN.replaceAll('  ', '\t') },
  { name: 'four spaces', text: PLAIN.replaceAll('  ', '    ') },
  { name: 'three spaces', text: PLAIN.replaceAll('  ', '   ') },
  { name: 'lines that end with CR and LF', text: PLAIN.replaceAll('\n', '\r\n') },
  { name: 'CR and LF, and the hooks of others', text: OTHERS.replaceAll('\n', '\r\n') },
  { name: 'a byte order mark', text: `\ufeff${PLAIN}` },
  { name: 'a byte order mark, and CR and LF', text: `\ufeff${PLAIN.replaceAll('\n', '\r\n')}` },
  { name: 'one line', text: '{"model":"opus","env":{"A":"1"}}' },
  { name: 'one line with spaces', text: '{ "model": "opus", "env": { "A": "1" } }\n' },
  { name: 'one line with empty hooks', text: '{"hooks":{},"model":"opus"}\n' },
  {
    name: 'one line with the hooks of others',
    text: '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  },
  { name: 'trailing commas', text: '{\n  "model": "opus",\n  "env": {\n    "A": "1",\n  },\n}\n' },
  {
    name: 'trailing commas, and the hooks of others',
    text: '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [{ "type": "command", "command": "x" },],\n      },\n    ],\n  },\n}\n',
  },
  { name: 'a comment behind the last key', text: '{\n  "model": "opus" // the best\n}\n' },
  { name: 'a comment behind a trailing comma', text: '{\n  "model": "opus", // the best\n}\n' },
  { name: 'a comment below the last key', text: '{\n  "model": "opus"\n  // "env": {}\n}\n' },
  { name: 'comments around everything', text: `// mine\n/* and\n   more */\n${PLAIN}// the end\n` },
  { name: 'a comment between key and value', text: '{\n  "model": /* which? */ "opus"\n}\n' },
  {
    name: 'text that looks like a comment',
    text: '{\n  "url": "http://x//y", "b": "/* no */"\n}\n',
  },
  { name: 'the hooks of others', text: OTHERS },
  { name: 'the hooks of others, with tabs', text: OTHERS.replaceAll('  ', '\t') },
  {
    name: 'a comment among the hooks of others',
    text: OTHERS.replace('    "Stop": [', '    // tell me\n    "Stop": [ // loudly'),
  },
  { name: 'empty hooks', text: '{\n  "hooks": {},\n  "model": "opus"\n}\n' },
  { name: 'an empty list of an event', text: '{\n  "hooks": {\n    "Stop": []\n  }\n}\n' },
  {
    name: 'an empty list of an event over two lines',
    text: '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n',
    hasBlankContainer: true,
  },
  {
    name: 'an event that nobody knows',
    text: '{\n  "hooks": {\n    "Later": [{ "hooks": [] }]\n  }\n}\n',
  },
  {
    name: 'hooks before other keys',
    text: `${OTHERS.trimEnd().slice(0, -2)},\n  "z": 1,\n  "a": [1,2,\n3]\n}\n`,
  },
  { name: 'uneven indentation', text: '{\n "a": 1,\n      "b": {\n  "c": 2 }\n}' },
  { name: 'characters of all kinds', text: '{\n  "ключ": "значение ✓ \\u0041 \\\\ \\"x\\""\n}\n' },
];
