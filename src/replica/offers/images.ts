import { homedir } from 'node:os';
import { basename, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realPathOrNull } from '../../fs/entries.ts';
import { readFile } from '../../fs/read-file.ts';
import { displayText } from '../../index.ts';
import { sizeText } from '../../terminal/phrases.ts';
import { isOutside } from '../instructions.ts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface PromptImage {
  readonly name: string;
  readonly mediaType: ImageType;
  readonly bytes: Buffer;
}

/** What the Messages API takes, in base64: 5 MB. */
const LARGEST_IMAGE: number = 3_750_000;
const MOST_IMAGES = 10;
const LONGEST_SEARCHED = 20_000;

// In quotes, or with its blanks escaped, as terminals write the path of a file that is dropped on them.
const CANDIDATE =
  /"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|(?<![^\s([])((?:\\.|[^\s\\"'])+\.(?:png|jpe?g|gif|webp))(?![\w/])/gi;

export interface FoundImages {
  readonly images: readonly PromptImage[];
  /** Why an image that is named stays behind, in a sentence each. */
  readonly problems: readonly string[];
}

/**
 * The images whose paths stand in a prompt. A relative path means a file of the project, also where links lead; an
 * absolute one may lie anywhere, since the person wrote it. What is no image stays text. `typed`: what of the text the
 * person wrote, where that is not all of it.
 */
export function imagesIn(text: string, project: string, typed: string = text): FoundImages {
  const images: PromptImage[] = [];
  const problems: string[] = [];
  for (const file of filesNamed(text, project, typed)) {
    const name = displayText(basename(file));
    const read = readFile(file, { maxBytes: LARGEST_IMAGE });
    if (read.bytes === null) {
      if (read.why === 'too-large') {
        problems.push(
          `${name} is larger than ${sizeText(LARGEST_IMAGE)} and is not sent as an image.`,
        );
      }
      continue;
    }
    const mediaType = typeOf(read.bytes);
    if (mediaType === null) continue;
    if (images.length === MOST_IMAGES) {
      problems.push(`Only ${MOST_IMAGES} images go with a prompt; ${name} is not sent.`);
    } else images.push({ name, mediaType, bytes: read.bytes });
  }
  return { images, problems };
}

/** For the input, while it is typed. */
export function imageMarks(text: string, project: string): string[] {
  const { images, problems } = imagesIn(text, project);
  return [...images.map(imageMark), ...problems];
}

export function imageMark({ name, bytes }: PromptImage): string {
  return `[image ${name}, ${sizeText(bytes.length)}]`;
}

function filesNamed(text: string, project: string, typed: string): ReadonlySet<string> {
  const root = realPathOrNull(project);
  if (root === null) return new Set();
  const own = typed === text ? null : filesNamed(typed, project, typed);
  const found = new Set<string>();
  for (const [, double, single, plain] of text.slice(0, LONGEST_SEARCHED).matchAll(CANDIDATE)) {
    const path = double ?? single ?? plain?.replaceAll(/\\(.)/g, '$1') ?? '';
    const file = path.startsWith('@') ? null : placeOf(path, root);
    const isMeant = file !== null && (own === null || own.has(file) || !isOutside(root, file));
    if (isMeant) found.add(file);
  }
  return found;
}

/** The real path; null where there is none, or where a relative path leads out of the project. */
function placeOf(path: string, root: string): string | null {
  const plain = withoutScheme(path);
  if (plain === null) return null;
  const own = plain.startsWith('~/') ? resolve(homedir(), plain.slice(2)) : plain;
  const file = realPathOrNull(resolve(root, own));
  return file === null || (isOutside(root, file) && !isAbsolute(own)) ? null : file;
}

function withoutScheme(path: string): string | null {
  if (!path.startsWith('file:')) return path.includes('\0') ? null : path;
  try {
    return fileURLToPath(path);
  } catch {
    return null;
  }
}

/** By the first bytes: a name proves nothing, and the API refuses a prompt with a wrong type. */
function typeOf(bytes: Buffer): ImageType | null {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null;
}
