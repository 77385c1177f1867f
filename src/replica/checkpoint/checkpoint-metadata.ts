/** A prompt of the user that can be returned to, as `metadata.json` has it. */
export interface CheckpointMetadata {
  /** The uuid of the user's message. */
  readonly id: string;
  readonly timestamp: Date;
  readonly description: string;
  /** The SDK's session. */
  readonly sessionId: string;
}
