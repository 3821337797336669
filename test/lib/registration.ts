/** Functions of programs that fail, or never finish, when they register operations: the process ends with a sentence and an exit code. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSqlite, type TestDatabase } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const INDEX = join(__dirname, '../../lib/index.js');

describe('a function that registers operations', () => {

    let place: TestDatabase;

    before(async () => {

        place = await createSqlite();
    });

    after(() => place.dispose());

    /** Runs a service with a function as source. */
    async function run(register: string, settings: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string; error: string }> {

        const env = { ...process.env, DATA_DIR: place.options.dataDir, PORT: '0', DOIP_PORT: 'off', LOG_LEVEL: 'error', ...settings };
        const child = spawn(process.execPath, ['-e', `void require(${JSON.stringify(INDEX)}).run({}, ${register})`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
        const [output, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number]>]);
        return { code, output, error };
    }

    const table: [title: string, register: string, message: RegExp][] = [
        ['throws', '() => { throw new Error("no file") }', /^doip-gateway: Error: no file\n {4}at /],
        ['rejects', 'async () => { throw new Error("no file") }', /^doip-gateway: Error: no file\n {4}at /],
        ['rejects with nothing', 'async () => { throw undefined }', /^doip-gateway: Error: what was thrown is no error: undefined\n/],
        ['rejects with an error of which nothing can be read', 'async () => { throw new Proxy(new Error(), { get() { throw new Error() } }) }',
            /^doip-gateway: Error: what was thrown cannot be read\n/],
        ['never finishes', '() => new Promise(() => {})',
            /^doip-gateway: the function that registers operations has not finished, and nothing is left that it could wait for\n$/]
    ];
    for (const [title, register, message] of table) {
        it(`ends the process when it ${title}`, async () => {

            const { code, output, error } = await run(register);

            expect(error).to.match(message);
            expect([code, output]).to.equal([1, '']);
        });
    }

    it('is named in the log when the start waits for it', async () => {

        const { code, error } = await run('() => new Promise((resolve) => setTimeout(resolve, 10500)).then(() => { throw new Error("late") })', { LOG_LEVEL: 'warn' });

        expect(error).to.include('"event":"extension.slow-registration"').and.to.include('Error: late');
        expect(code).to.equal(1);
    });
});
