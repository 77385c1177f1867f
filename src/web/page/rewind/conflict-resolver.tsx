import { useState } from 'preact/hooks';
import { displayLines, displayText } from '../../../model/display.ts';
import type { ConflictJson, ConflictPiece, PlanLineJson } from '../../api.ts';
import { SidesView } from '../diff/side-by-kind.tsx';
import { linesOf } from '../diff/text-diff.ts';
import { Check } from '../ui/parts.tsx';
import { counted } from '../ui/shown.ts';
import type { PlanState } from './use-plan.ts';

interface ResolverProps {
  readonly state: PlanState;
  readonly line: PlanLineJson;
  readonly conflict: ConflictJson;
}

type Way = 'mine' | 'theirs' | 'both' | 'edit';
type Open = Extract<ConflictPiece, { kind: 'conflict' }>;

/** What a person decided about a place in conflict; `text` where it was edited. */
interface Decision {
  readonly way: Way;
  readonly text: string;
}

/** By the number of the place. */
type Decisions = ReadonlyMap<number, Decision>;

/** A file that two changed: keep it, take the rewind's, or decide place by place. */
export function ConflictResolver({ state, line, conflict }: ResolverProps) {
  const { path, stamp } = line;
  const taken = state.choices.resolutions.get(path)?.take;
  const { now, rewound } = conflict;
  // Bytes that are no text would not come back as they were.
  const pieces = conflict.pieces?.some(isDamagedText) ? null : conflict.pieces;
  const places = pieces?.filter(isOpen) ?? [];
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const decide = (take: 'keep' | 'restore' | { content: string } | null) => {
    const resolutions = new Map(state.choices.resolutions);
    if (take === null) resolutions.delete(path);
    else resolutions.set(path, { take, stamp });
    state.choose({ resolutions });
  };
  const decideWhole = (take: 'keep' | 'restore') => {
    setDecisions(new Map());
    decide(take);
  };
  const decidePlace = (place: number, way: Way, text: string) => {
    const next = new Map(decisions).set(place, { way, text });
    setDecisions(next);
    decide(
      next.size === places.length && pieces !== null ? { content: merged(pieces, next) } : null,
    );
  };
  const ways = [
    ['keep', 'Mine: keep it as it is'],
    [
      'restore',
      rewound.state === null
        ? "The rewind's: delete it, with what I wrote"
        : "The rewind's: as it was, without what I wrote",
    ],
  ] as const;
  return (
    <div class="resolver">
      <fieldset class="whole">
        <legend>The whole file</legend>
        {ways.map(([way, label]) => (
          <Check
            key={way}
            group={`whole-${path}`}
            checked={taken === way}
            choose={() => decideWhole(way)}
          >
            {label}
          </Check>
        ))}
      </fieldset>
      {pieces === null || places.length === 0 ? (
        <SidesView
          path={path}
          before={now}
          after={rewound}
          caption={`${displayText(path)}: mine, and the rewind's`}
        />
      ) : (
        <>
          <p class="quiet">
            Or decide{' '}
            {places.length === 1 ? 'the place' : `each of ${counted(places.length, 'place')}`}; all
            other lines are merged.
          </p>
          {places.map((place, i) => (
            <PlaceChoice
              key={i}
              {...{ path, place }}
              number={i + 1}
              total={places.length}
              decision={decisions.get(i)}
              decide={(way, text) => decidePlace(i, way, text)}
            />
          ))}
        </>
      )}
    </div>
  );
}

interface PlaceProps {
  readonly path: string;
  readonly place: Open;
  readonly number: number;
  readonly total: number;
  readonly decision: Decision | undefined;
  readonly decide: (way: Way, text: string) => void;
}

const WAYS = [
  ['mine', 'Mine'],
  ['theirs', "The rewind's"],
  ['both', 'Both'],
  ['edit', 'Edit'],
] as const;

function PlaceChoice({ path, place, number, total, decision, decide }: PlaceProps) {
  const text = decision?.text ?? bothOf(place);
  return (
    <fieldset class="place">
      <legend>{total === 1 ? 'The place in conflict' : `Place ${number} of ${total}`}</legend>
      <div class="place-sides">
        <Excerpt of="mine" text={place.mine} />
        <Excerpt of="theirs" text={place.theirs} />
      </div>
      <div class="ways">
        {WAYS.map(([way, label]) => (
          <Check
            key={way}
            group={`place-${path}-${number}`}
            checked={decision?.way === way}
            choose={() => decide(way, text)}
          >
            {label}
          </Check>
        ))}
      </div>
      {decision?.way === 'edit' && (
        <textarea
          aria-label={`Text of place ${number} of ${displayText(path)}`}
          rows={Math.min(20, linesOf(text).length + 2)}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => decide('edit', currentTarget.value)}
        />
      )}
    </fieldset>
  );
}

function Excerpt({ of, text }: { readonly of: 'mine' | 'theirs'; readonly text: string }) {
  return (
    <figure class={of}>
      <figcaption>{of === 'mine' ? 'Mine, in the file now' : 'What the rewind brings'}</figcaption>
      {text === '' ? (
        <p class="quiet">Nothing: these lines are not there.</p>
      ) : (
        <pre>{displayLines(text)}</pre>
      )}
    </figure>
  );
}

function isDamagedText(piece: ConflictPiece): boolean {
  const texts = isOpen(piece) ? [piece.mine, piece.theirs] : [piece.text];
  return texts.some((text) => text.includes('\ufffd'));
}

function isOpen(piece: ConflictPiece): piece is Open {
  return piece.kind === 'conflict';
}

function bothOf({ mine, theirs }: Open): string {
  const isOpenEnded = mine !== '' && theirs !== '' && !mine.endsWith('\n');
  return isOpenEnded ? `${mine}\n${theirs}` : mine + theirs;
}

/** The whole text with each decision in its place. */
function merged(pieces: readonly ConflictPiece[], decisions: Decisions): string {
  let place = 0;
  return pieces
    .map((piece) => {
      if (!isOpen(piece)) return piece.text;
      const decision = decisions.get(place);
      place += 1;
      switch (decision?.way) {
        case 'theirs':
          return piece.theirs;
        case 'both':
          return bothOf(piece);
        case 'edit':
          return endedLike(decision.text, piece);
        default:
          return piece.mine;
      }
    })
    .join('');
}

/** Text areas know only "\n"; the line after an edited place begins on a line of its own. */
function endedLike(text: string, { mine, theirs }: Open): string {
  const isCrlf = /\r\n/.test(mine + theirs);
  const unix = text.replaceAll('\r\n', '\n');
  const ended =
    unix === '' || unix.endsWith('\n') || !/\n$/.test(mine + theirs) ? unix : `${unix}\n`;
  return isCrlf ? ended.replaceAll('\n', '\r\n') : ended;
}
