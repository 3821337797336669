/**
 * `doip-gateway set-admin-password`: reads a new password of the administrator. It is never an argument, as any user of the machine can
 * list the arguments of a process.
 */

import { Op } from '../doip/operation-ids.js';
import { CommandError, EXIT } from './command-error.js';
import type { Service } from './service.js';
import { demandOk } from './remote.js';
import { readSecrets } from './terminal/secret-prompt.js';

/** Reads the password: twice and without echo from a terminal, otherwise from the first line of standard input. */
export async function readNewPassword(): Promise<string> {

    const [password = '', repeated] = await readSecrets('new password of admin: ', 'once more: ');
    if (password === '' || process.stdin.isTTY && password !== repeated) {
        throw new CommandError(password === '' ? 'no password was given' : 'the two passwords differ', EXIT.usage);
    }

    return password;
}

/** Sets the password. Throws a CommandError when the service rejects it. */
export async function setAdminPassword(service: Service, password: string): Promise<void> {

    await demandOk(await service.perform({ targetId: 'service', operationId: Op.changeAdminPassword, input: { password } }));
    process.stderr.write(`the password of admin was set (${service.location})\n`);
}
