export {
  type CheckpointChannel,
  type CheckpointChannels,
  type IpcHost,
  registerCheckpointIpc,
} from './checkpoint-ipc.ts';
export { type CheckpointClient, messagePortClient, messagePortHost } from './message-port.ts';
