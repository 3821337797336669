/** Secrets that the user types. They are never arguments, as any user of the machine can list the arguments of a process. */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Reads a line for each question without echo from a terminal; otherwise only the first line of standard input. */
export async function readSecrets(...questions: readonly string[]): Promise<string[]> {

    const { isTTY } = process.stdin;
    const prompt = createInterface({ input: process.stdin, output: new Writable({ write: (_chunk, _encoding, done) => done() }), terminal: isTTY });
    const lines = prompt[Symbol.asyncIterator]();
    const answers: string[] = [];
    for (const question of isTTY ? questions : questions.slice(0, 1)) {
        if (isTTY) {
            process.stderr.write(question);
        }

        const { value = '' } = await lines.next() as { value?: string };
        answers.push(value);
        if (isTTY) {
            process.stderr.write('\n');
        }
    }

    prompt.close();
    return answers;
}
