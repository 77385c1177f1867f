import { displayText } from '../../../model/display.ts';

const TONES: Readonly<Record<string, string>> = {
  success: 'good',
  finished: 'good',
  running: 'warn',
  failed: 'bad',
  killed: 'bad',
};

/** The status of an execution, a step or an attempt. */
export function StatusChip({ status }: { readonly status: string }) {
  return <b class={`chip ${TONES[status] ?? ''}`}>{displayText(status.replace('-', ' '))}</b>;
}
