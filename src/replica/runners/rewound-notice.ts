/** Which files were rewound behind the agent's back, and with which prompt it heard of them. */
export class RewoundNotice {
  readonly #told = new Map<string, readonly string[]>();
  readonly #due: string[] = [];

  /** What the agent is to hear with this prompt; `rewound` are those of which it has not heard yet. */
  tellWith(promptId: string, rewound: readonly string[]): string[] {
    const paths = [...new Set([...this.#due.splice(0), ...rewound])];
    if (paths.length === 0) return [];
    this.#told.set(promptId, paths);
    return [`${NOTICE}:\n${paths.join('\n')}`];
  }

  /** The conversation went back before these prompts: what was said with them is to be said again. */
  takenBack(promptIds: readonly string[]): void {
    for (const id of promptIds) {
      this.#due.push(...(this.#told.get(id) ?? []));
      this.#told.delete(id);
    }
  }
}

const NOTICE =
  'The user has rewound these files since your last turn; what you know of their contents is out of date, so read them again before you edit them';
