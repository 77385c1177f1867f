import { useEffect, useRef, useState } from 'preact/hooks';
import { agentColour, agentName } from '../ui/shown.ts';
import { useKeys } from '../ui/window.ts';
import { toggled } from './filter.ts';

const QUIET_MS = 150;

interface FilterFieldProps {
  readonly value: string;
  readonly agents: readonly string[];
  readonly onChange: (typed: string) => void;
}

/** Filters by words and by `path:`, `agent:`, `since:`, `until:`, `kind:`. The key `/` leads to it. */
export function FilterField({ value, agents, onChange }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), QUIET_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useKeys({ '/': () => field.current?.select() });
  return (
    <search class="filter">
      <input
        ref={field}
        type="search"
        aria-label="Filter the timeline"
        aria-describedby="filter-help"
        placeholder="Filter   /"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            onChange(typed);
            field.current?.blur();
          } else if (event.key === 'Escape') {
            setTyped('');
            onChange('');
            field.current?.blur();
          }
        }}
      />
      <p id="filter-help" class="quiet">
        words, <code>path:src/</code> <code>since:today</code> <code>until:2026-01-31</code>{' '}
        <code>kind:save</code>
      </p>
      {agents.length < 2 ? null : (
        <ul class="agents" aria-label="Agents">
          {agents.map((agent) => {
            const word = `agent:${agent}`;
            return (
              <li key={agent}>
                <button
                  type="button"
                  class="plain"
                  aria-pressed={typed.split(/\s+/).includes(word)}
                  onClick={() => onChange(toggled(typed, word))}
                >
                  <i class="agent-dot" style={{ color: agentColour(agent) }} />
                  {agentName(agent)}
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </search>
  );
}
