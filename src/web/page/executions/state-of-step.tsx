import { displayText } from '../../../model/display.ts';
import type { StateAnswer, StateNode, StepJson } from '../../api.ts';
import { useAnswer } from '../app/load.ts';
import { counted } from '../ui/shown.ts';
import { Either } from '../ui/states.tsx';
import type { ExecutionName } from './execution-detail.tsx';

interface StateProps {
  readonly name: ExecutionName;
  readonly step: StepJson;
}

/** What a step changed in the state, and the state after it as a tree. */
export function StateOfStep(props: StateProps) {
  if (props.step.status === 'success') return <KnownState {...props} />;
  return <p class="quiet">Only a step that succeeded leaves a state behind.</p>;
}

function KnownState({ name, step }: StateProps) {
  const loaded = useAnswer<StateAnswer>(['executions', name.kind, name.id, 'state'], {
    query: { step: step.index },
  });
  return (
    <div class="state">
      <Either of={loaded} what="the state">
        {({ tree, differences }) => {
          const changed = new Map(differences.map(({ path, kind: how }) => [path, how]));
          return (
            <>
              <section>
                <h3>What step {step.index} changed</h3>
                {differences.length === 0 && <p class="quiet">The state stayed the same.</p>}
                <ul class="differences">
                  {differences.map((difference) => (
                    <DifferenceRow key={difference.path} {...difference} />
                  ))}
                </ul>
              </section>
              <section>
                <h3>State after step {step.index}</h3>
                <div class="tree">
                  <Node node={tree} path="" depth={0} changed={changed} />
                </div>
              </section>
            </>
          );
        }}
      </Either>
    </div>
  );
}

function DifferenceRow({ path, kind, before, after }: StateAnswer['differences'][number]) {
  return (
    <li>
      <b class={`chip ${kind}`}>{kind}</b>
      <code>{displayText(path)}</code>
      {before !== null && <del>{displayText(before)}</del>}
      {after !== null && <ins>{displayText(after)}</ins>}
    </li>
  );
}

interface NodeProps {
  readonly node: StateNode;
  readonly path: string;
  readonly depth: number;
  readonly changed: ReadonlyMap<string, string>;
}

const OPEN_DEPTH = 2;
const OPEN_SIZE = 30;

function Node({ node, path, depth, changed }: NodeProps) {
  const mark = changed.get(path);
  const name = node.key === '' ? null : <span class="key">{displayText(node.key)}: </span>;
  if (node.children === undefined || (node.children.length === 0 && !node.cut)) {
    return (
      <div class={`leaf ${mark ?? ''}`}>
        {name}
        <span class={node.kind}>{leafText(node)}</span>
      </div>
    );
  }
  const size = node.size ?? node.children.length;
  const isOpen = (depth < OPEN_DEPTH && size <= OPEN_SIZE) || holdsChange(path, changed);
  return (
    <details open={isOpen} class={mark ?? ''}>
      <summary>
        {name}
        <span class="quiet">
          {node.kind === 'array' ? counted(size, 'item') : counted(size, 'field')}
          {node.cut ? ', cut' : ''}
        </span>
      </summary>
      {node.children.map((child) => (
        <Node
          key={child.key}
          node={child}
          path={childPath(path, node.kind, child.key)}
          depth={depth + 1}
          changed={changed}
        />
      ))}
    </details>
  );
}

function leafText({ kind, value = '', cut }: StateNode): string {
  if (kind === 'object') return '{}';
  if (kind === 'array') return '[]';
  const shown = kind === 'text' ? `"${displayText(value)}"` : displayText(value || kind);
  return cut ? `${shown} …` : shown;
}

/** As in the differences: `state.messages[3].content`. */
function childPath(path: string, kind: StateNode['kind'], key: string): string {
  if (kind === 'array') return `${path}[${key}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function holdsChange(path: string, changed: ReadonlyMap<string, string>): boolean {
  if (changed.size > 200) return false;
  return [...changed.keys()].some((one) => one.startsWith(path) && one !== path);
}
