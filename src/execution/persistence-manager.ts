import type { BaseStorage, SaveOptions } from '../store/documents/base-storage.ts';
import { checkDict, mayBeOf } from './checkpoint.ts';

/** Keeps what a program needs at its next start, by kind, in any `BaseStorage`. */
export class PersistenceManager {
  readonly storage: BaseStorage;

  constructor(storage: BaseStorage) {
    this.storage = storage;
  }

  /** Keeps the dictionary of a checkpoint under its `id`. */
  async saveCheckpoint(data: unknown, options?: SaveOptions): Promise<string> {
    return this.storage.save('checkpoint', checkDict(data).id, data, options);
  }

  loadCheckpoint(id: string): Promise<unknown> {
    return this.storage.load('checkpoint', id);
  }

  /**
   * Ids of the checkpoints of an execution, with those of earlier attempts, or of all executions. Which
   * execution a checkpoint belongs to is read from its content, so a damaged one is only in the list of all.
   */
  async listCheckpoints(executionId?: string): Promise<string[]> {
    const ids = await this.storage.list('checkpoint');
    if (executionId === undefined) return ids;
    const found: string[] = [];
    for (const id of ids) if (await this.#isOf(executionId, id)) found.push(id);
    return found;
  }

  deleteCheckpoint(id: string): Promise<boolean> {
    return this.storage.delete('checkpoint', id);
  }

  saveConversation(id: string, data: unknown): Promise<string> {
    return this.storage.save('conversation', id, data);
  }

  loadConversation(id: string): Promise<unknown> {
    return this.storage.load('conversation', id);
  }

  listConversations(): Promise<string[]> {
    return this.storage.list('conversation');
  }

  deleteConversation(id: string): Promise<boolean> {
    return this.storage.delete('conversation', id);
  }

  saveHistory(id: string, data: unknown): Promise<string> {
    return this.storage.save('history', id, data);
  }

  loadHistory(id: string): Promise<unknown> {
    return this.storage.load('history', id);
  }

  listHistories(): Promise<string[]> {
    return this.storage.list('history');
  }

  deleteHistory(id: string): Promise<boolean> {
    return this.storage.delete('history', id);
  }

  saveSession(id: string, data: unknown): Promise<string> {
    return this.storage.save('session', id, data);
  }

  loadSession(id: string): Promise<unknown> {
    return this.storage.load('session', id);
  }

  listSessions(): Promise<string[]> {
    return this.storage.list('session');
  }

  deleteSession(id: string): Promise<boolean> {
    return this.storage.delete('session', id);
  }

  saveConfig(name: string, data: unknown): Promise<string> {
    return this.storage.save('config', name, data);
  }

  loadConfig(name: string): Promise<unknown> {
    return this.storage.load('config', name);
  }

  listConfigs(): Promise<string[]> {
    return this.storage.list('config');
  }

  deleteConfig(name: string): Promise<boolean> {
    return this.storage.delete('config', name);
  }

  async #isOf(executionId: string, id: string): Promise<boolean> {
    if (!mayBeOf(executionId, id)) return false;
    try {
      return checkDict(await this.loadCheckpoint(id)).execution_id === executionId;
    } catch {
      return false;
    }
  }
}
