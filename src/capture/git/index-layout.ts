/** Where things stand in one entry of git's index, whatever its version. All numbers are big-endian. */
export const ENTRY = {
  ctimeSec: 0,
  ctimeNsec: 4,
  mtimeSec: 8,
  mtimeNsec: 12,
  inode: 20,
  mode: 24,
  size: 36,
  oid: 40,
  flags: 60,
  /** The path, or first the further flags where the entry is an extended one. */
  end: 62,
} as const;

export const OID_SIZE = 20;
export const HEADER_SIZE = 12;

export const FLAG = {
  assumeValid: 0x8000,
  /** Skip-worktree or intent-to-add: what they are is told by further flags. */
  extended: 0x4000,
  stage: 0x3000,
  nameLength: 0x0fff,
} as const;

export const MODE = { file: 0o100644, executable: 0o100755, tree: 0o040000 } as const;

/** Extensions that change nothing about the entries. */
export const HARMLESS_EXTENSIONS: readonly string[] = [
  'TREE',
  'REUC',
  'UNTR',
  'FSMN',
  'EOIE',
  'IEOT',
];
