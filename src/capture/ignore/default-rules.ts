import { type IgnoreFile, parseIgnore } from './ignore-file.ts';

/**
 * Ignored where no rule says otherwise: files that a program can make again, under names that nobody
 * gives to work of their own. An ignored file cannot be rewound, so a doubtful name is not on this list.
 */
const DEFAULT_RULES: readonly string[] = [
  // installed packages
  'node_modules/',
  'bower_components/',
  'jspm_packages/',
  '.venv/',
  '.direnv/',
  // caches of interpreters, compilers and test runners
  '__pycache__/',
  '*.pyc',
  '.tox/',
  '.nox/',
  '.eggs/',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
  '.hypothesis/',
  '.nyc_output/',
  '.eslintcache',
  '*.tsbuildinfo',
  '.gradle/',
  '.stack-work/',
  'dist-newstyle/',
  'elm-stuff/',
  '.dart_tool/',
  '.zig-cache/',
  '.terraform/',
  // web frameworks and bundlers
  '.next/',
  '.nuxt/',
  '.svelte-kit/',
  '.docusaurus/',
  '.turbo/',
  '.parcel-cache/',
  '.sass-cache/',
  '**/.angular/cache/',
  '**/.nx/cache/',
  // other version control systems break when only a part of their own files is put back
  '.hg/',
  '.svn/',
  '.jj/',
  '.sl/',
  // desktops, editors at work, network file systems
  '.DS_Store',
  'Thumbs.db',
  '.*.sw[a-p]',
  '.#*',
  '.nfs*',
  '.fuse_hidden*',
];

let parsed: IgnoreFile | undefined;

/** Parsed when it is first needed: most commands never scan. */
export function defaultFile(): IgnoreFile {
  parsed ??= parseIgnore(DEFAULT_RULES.join('\n'));
  return parsed;
}

/** Folders that are build output only beside a marker file: people use these names for other things. */
const MARKED_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['package.json', ['dist', 'build', 'out', 'coverage', '.output']],
  ['Cargo.toml', ['target']],
  ['pom.xml', ['target']],
  ['build.gradle', ['build']],
  ['build.gradle.kts', ['build']],
  ['build.sbt', ['target']],
  ['project.clj', ['target']],
  ['pubspec.yaml', ['build']],
  ['Package.swift', ['.build']],
  ['build.zig', ['zig-out', 'zig-cache']],
  ['mix.exs', ['_build', 'deps']],
  ['pyproject.toml', ['dist']],
  ['setup.py', ['dist']],
]);

/**
 * Folders that hold build output or a cache where git ignores them, beside those of the default rules. The
 * names of marked folders count here without their markers, because the ignore rule says enough.
 */
const IGNORED_OUTPUT: ReadonlySet<string> = new Set([
  ...[...MARKED_FOLDERS.values()].flat(),
  'venv',
  '.cache',
  '.npm',
  '.pnpm-store',
  'htmlcov',
  'obj',
  'Pods',
  'DerivedData',
  'cmake-build-debug',
  'cmake-build-release',
]);

/** Whether a folder that git ignores is left out by its name alone. */
export function isIgnoredOutput(name: string): boolean {
  return IGNORED_OUTPUT.has(name);
}

/** The scan reports these names when it finds them in a folder. */
export const MARKER_NAMES: ReadonlySet<string> = new Set(MARKED_FOLDERS.keys());

const NONE: ReadonlySet<string> = new Set();

/** The folders beside these markers that are build output. */
export function foldersBeside(markers: ReadonlySet<string>): ReadonlySet<string> {
  if (markers.size === 0) return NONE;
  return new Set([...markers].flatMap((marker) => MARKED_FOLDERS.get(marker) ?? []));
}
