import { checkId, SavepointError } from '../../index.ts';
import type {
  FileCheckpoint,
  FileCheckpointService,
  RewindResult,
} from '../file-checkpoint/index.ts';

/**
 * The channels, with what they take and what they answer. A rewind that cannot be done is an answer too,
 * with `success: false` and a `failure`; only arguments of the wrong kind are an error.
 */
export interface CheckpointChannels {
  'checkpoint:list': (sessionId: string) => FileCheckpoint[];
  'checkpoint:rewind': (sessionId: string, messageId: string) => RewindResult;
  'checkpoint:cleanup': () => number;
}

export type CheckpointChannel = keyof CheckpointChannels;

/** Anything that answers calls on named channels. Electron's `ipcMain` is one. */
export interface IpcHost {
  handle(
    channel: CheckpointChannel,
    listener: (event: unknown, ...args: unknown[]) => Promise<unknown>,
  ): void;
}

/** Serves the channels. The other side is not trusted: arguments are checked, by count and by kind. */
export function registerCheckpointIpc(host: IpcHost, service: FileCheckpointService): void {
  const listeners: { [Channel in CheckpointChannel]: Listener<Channel> } = {
    'checkpoint:list': (args) => {
      const [sessionId] = checkIds('checkpoint:list', args, ['sessionId']);
      return service.getCheckpoints(sessionId as string);
    },
    'checkpoint:rewind': (args) => {
      const names = ['sessionId', 'messageId'];
      const [sessionId, messageId] = checkIds('checkpoint:rewind', args, names);
      return service.rewindFiles(sessionId as string, messageId as string);
    },
    'checkpoint:cleanup': (args) => {
      checkIds('checkpoint:cleanup', args, []);
      return service.cleanup();
    },
  };
  for (const channel of Object.keys(listeners) as CheckpointChannel[]) {
    host.handle(channel, async (_event, ...args) => listeners[channel](args));
  }
}

type Listener<Channel extends CheckpointChannel> = (
  args: readonly unknown[],
) => Promise<ReturnType<CheckpointChannels[Channel]>>;

function checkIds(
  channel: CheckpointChannel,
  args: readonly unknown[],
  names: readonly string[],
): string[] {
  if (args.length !== names.length) {
    const wanted = names.length === 0 ? 'no arguments' : `(${names.join(', ')})`;
    const message = `${channel} takes ${wanted}; the call has ${args.length}`;
    throw new SavepointError('argument-invalid', message);
  }
  return names.map((name, index) => checkId(name, args[index]));
}
