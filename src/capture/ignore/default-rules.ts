import { type IgnoreFile, parseIgnore } from './ignore-file.ts';

/**
 * What is ignored where no rule says otherwise: things that a program makes again by itself, under
 * names that nobody gives to work of their own. What is ignored cannot be rewound, so in doubt a
 * name is not on this list.
 */
const DEFAULT_RULES: readonly string[] = [
  // installed packages
  'node_modules/',
  'bower_components/',
  'jspm_packages/',
  '.venv/',
  '.direnv/',
  // what interpreters, compilers and test runners leave behind
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
  // other version control keeps its own history, and breaks when half of it is put back
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

/** Folders under names that somebody may well use, which are build output beside a marker file. */
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

/** Names that the scan must report when it finds them in a folder. */
export const MARKER_NAMES: ReadonlySet<string> = new Set(MARKED_FOLDERS.keys());

const NONE: ReadonlySet<string> = new Set();

/** The folders beside these markers that are build output. */
export function foldersBeside(markers: ReadonlySet<string>): ReadonlySet<string> {
  if (markers.size === 0) return NONE;
  return new Set([...markers].flatMap((marker) => MARKED_FOLDERS.get(marker) ?? []));
}
