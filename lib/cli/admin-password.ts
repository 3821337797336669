/**
 * `doip-gateway set-admin-password`: reads a new password of the administrator. It is never an argument, as any user of the machine can
 * list the arguments of a process.
 */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Op } from '../doip/operation-ids.js';
import { CommandError, EXIT } from './command-error.js';
import type { Service } from './service.js';
import { demandOk } from './remote.js';
import { bytesSegment } from '../doip/segments.js';

/** Reads the password: twice and without echo from a terminal, otherwise from the first line of standard input. */
export async function readNewPassword(): Promise<string> {

    const { isTTY } = process.stdin;
    const prompt = createInterface({ input: process.stdin, output: new Writable({ write: (_chunk, _encoding, done) => done() }), terminal: isTTY });
    const lines = prompt[Symbol.asyncIterator]();
    const readAnswer = async (question: string): Promise<string> => {

        if (isTTY) {
            process.stderr.write(question);
        }

        const { value = '' } = await lines.next() as { value?: string };
        if (isTTY) {
            process.stderr.write('\n');
        }

        return value;
    };

    const password = await readAnswer('new password of admin: ');
    const repeated = isTTY ? await readAnswer('once more: ') : password;
    prompt.close();
    if (password === '' || password !== repeated) {
        throw new CommandError(password === '' ? 'no password was given' : 'the two passwords differ', EXIT.usage);
    }

    return password;
}

/** Sets the password. Throws a CommandError when the service rejects it. */
export async function setAdminPassword(service: Service, password: string): Promise<void> {

    const input = Buffer.from(JSON.stringify({ password }));
    await demandOk(await service.perform({
        operationId: Op.changeAdminPassword, input: { mediaType: 'application/json', body: bytesSegment(input).body }
    }));
    process.stderr.write(`the password of admin was set (${service.location})\n`);
}
