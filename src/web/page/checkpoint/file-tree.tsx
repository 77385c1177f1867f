import { displayText } from '../../../model/display.ts';
import type { ChangedFile } from '../../api.ts';
import { LineCounts } from '../ui/parts.tsx';

interface Folder {
  readonly name: string;
  readonly folders: Map<string, Folder>;
  readonly files: ChangedFile[];
}

interface TreeProps {
  readonly files: readonly ChangedFile[];
  readonly visit: (path: string) => void;
}

/** The changed files by folder; each leads to its diff. */
export function FileTree({ files, visit }: TreeProps) {
  return (
    <nav class="file-tree" aria-label="Changed files">
      {entriesOf(treeOf(files), visit)}
    </nav>
  );
}

function treeOf(files: readonly ChangedFile[]): Folder {
  const root: Folder = { name: '', folders: new Map(), files: [] };
  for (const file of files) {
    let folder = root;
    for (const name of file.path.split('/').slice(0, -1)) {
      const next = folder.folders.get(name) ?? { name, folders: new Map(), files: [] };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return root;
}

/** Folders that hold nothing but one folder stand in one row with it. */
function joined(folder: Folder): Folder {
  const [only] = folder.folders.values();
  const isAlone = folder.files.length === 0 && folder.folders.size === 1 && only !== undefined;
  return isAlone ? joined({ ...only, name: `${folder.name}/${only.name}` }) : folder;
}

function entriesOf({ folders, files }: Folder, visit: TreeProps['visit']) {
  return (
    <ul>
      {[...folders.values()].map(joined).map((folder) => (
        <li key={`${folder.name}/`}>
          <details open>
            <summary>{displayText(folder.name)}/</summary>
            {entriesOf(folder, visit)}
          </details>
        </li>
      ))}
      {files.map((file) => (
        <li key={file.path}>
          <button
            type="button"
            class={`plain ${file.status}`}
            onClick={() => visit(file.path)}
            title={displayText(file.path)}
          >
            <span class={`status ${file.status}`}>
              {STATUS_SIGNS[file.status]}
              <span class="unseen"> {file.status} </span>
            </span>
            <span class="name">{displayText(file.path.slice(file.path.lastIndexOf('/') + 1))}</span>
            <LineCounts {...file} />
          </button>
        </li>
      ))}
    </ul>
  );
}

const STATUS_SIGNS = {
  created: 'A',
  deleted: 'D',
  renamed: 'R',
  modified: 'M',
  unknown: '?',
} as const;
