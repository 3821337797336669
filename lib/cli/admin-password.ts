/**
 * `doip-gateway set-admin-password`: asks for a new password of the administrator. It is never an argument, because the arguments
 * of a process can be seen by everybody on the machine.
 */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Op } from '../doip/operation-ids.js';
import { CommandError, EXIT } from './command-error.js';
import type { Service } from './service.js';
import { demandOk } from './remote.js';

/** Reads the password: from a terminal twice and unseen, else the first line of standard input. */
export async function readNewPassword(): Promise<string> {

    const { isTTY } = process.stdin;
    const asking = createInterface({ input: process.stdin, output: new Writable({ write: (_chunk, _encoding, done) => done() }), terminal: isTTY });
    const lines = asking[Symbol.asyncIterator]();
    const ask = async (question: string): Promise<string> => {

        if (isTTY) {
            process.stderr.write(question);
        }

        const { value = '' } = await lines.next() as { value?: string };
        if (isTTY) {
            process.stderr.write('\n');
        }

        return value;
    };

    const password = await ask('new password of admin: ');
    const repeated = isTTY ? await ask('once more: ') : password;
    asking.close();
    if (password === '' || password !== repeated) {
        throw new CommandError(password === '' ? 'no password was given' : 'the two passwords differ', EXIT.usage);
    }

    return password;
}

/** Sets the password through a service. */
export async function setAdminPassword(service: Service, password: string): Promise<void> {

    const input = Buffer.from(JSON.stringify({ password }));
    await demandOk(await service.perform({
        operationId: Op.changeAdminPassword, input: { mediaType: 'application/json', body: once(input) }
    }));
    process.stderr.write(`the password of admin was set (${service.place})\n`);
}

async function *once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

    yield bytes;
}
