/**
 * The SDK warns of permissions that are given without a question, as whoever chose them knows. The warning
 * would be written over what is drawn at the terminal, so exactly this one is dropped; all others pass.
 */
export function withoutShadowWarning<T>(work: () => T): T {
  const emit = process.emitWarning as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]): void => {
    if (!isShadowWarning(args[1])) emit.apply(process, args);
  };
  try {
    return work();
  } finally {
    process.emitWarning = emit as typeof process.emitWarning;
  }
}

function isShadowWarning(options: unknown): boolean {
  const code = typeof options === 'object' && options !== null && 'code' in options && options.code;
  return code === 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED';
}
