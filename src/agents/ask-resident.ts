import { connect } from 'node:net';
import { exact, TEXT } from '../model/check.ts';
import { parseJson } from './read-json.ts';

const CONNECT_MS = 200;
const ANSWER_MS = 15_000;
const MAX_ANSWER = 1024 * 1024;
const ANSWER = exact({ output: TEXT });

/**
 * Hands one line to the resident process and gives its output for the agent. Null where nobody answers, or with
 * something else: nothing was recorded then, as far as the caller can tell.
 */
export function askResident(socket: string, line: string): Promise<string | null> {
  return new Promise((done) => {
    const connection = connect(socket);
    let answer = '';
    const finish = (output: string | null): void => {
      clearTimeout(timer);
      connection.destroy();
      done(output);
    };
    let timer = setTimeout(() => finish(null), CONNECT_MS);
    connection.on('error', () => finish(null));
    connection.on('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(null), ANSWER_MS);
      connection.write(`${line}\n`);
    });
    connection.setEncoding('utf8');
    connection.on('data', (text: string) => {
      answer += text;
      if (answer.includes('\n') || answer.length > MAX_ANSWER) finish(outputIn(answer));
    });
    connection.on('end', () => finish(outputIn(answer)));
  });
}

function outputIn(answer: string): string | null {
  return parseJson(ANSWER, answer)?.output ?? null;
}
