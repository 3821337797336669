/** The file by which commands find a server: when it is written, and when it is not. */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { type LocalEntry, readLocalEntry, ServerFile } from '../../../lib/app/server-file.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const ENTRY: LocalEntry = { pid: 1, url: 'http://127.0.0.1:8080', secret: 'local_x', certificate: null };

type Step = 'listening' | 'started' | 'remove';

const CASES: readonly (readonly [title: string, steps: readonly Step[], isThere: boolean])[] = [
    ['a server that listens, but has not started', ['listening'], false],
    ['a server that has started, but does not listen yet', ['started'], false],
    ['a start before listening', ['started', 'listening'], true],
    ['a start after listening', ['listening', 'started'], true],
    ['a server that stops', ['started', 'listening', 'remove'], false],
    ['a server that stops before the start ends', ['listening', 'remove', 'started'], false],
    ['a server that is started again', ['started', 'listening', 'remove', 'started', 'listening'], true]
];

describe('the server file', () => {

    let folder: string;
    let dataDir: string;
    let events: unknown[];
    let file: ServerFile;

    beforeEach(() => {

        folder = mkdtempSync(join(tmpdir(), 'gateway-file-'));
        dataDir = join(folder, 'data');
        events = [];
        const collect = ({ event }: { event?: string }): unknown => events.push(event);
        file = new ServerFile({ dataDir, entry: () => ENTRY, log: { info: collect, warn: collect, error: collect }, retryMs: 1 });
    });

    afterEach(() => {

        file.remove();
        rmSync(folder, { recursive: true });
    });

    for (const [title, steps, isThere] of CASES) {
        it(`is ${isThere ? '' : 'not '}there for ${title}`, () => {

            mkdirSync(dataDir);
            for (const step of steps) {
                if (step === 'remove') {
                    file.remove();
                }
                else {
                    file.fulfil(step);
                }
            }

            expect(readLocalEntry(dataDir)).to.equal(isThere ? ENTRY : null);
            expect(events).to.equal([]);
        });
    }

    it('is written when that becomes possible, and one warning is logged', async () => {

        // On a disk that is full, or away.
        file.fulfil('started');
        file.fulfil('listening');
        await until(() => events.length > 0);
        mkdirSync(dataDir);
        await until(() => existsSync(join(dataDir, 'server.json')));

        expect(readLocalEntry(dataDir)).to.equal(ENTRY);
        expect(events).to.equal(['service.server-file-failed']);
    });

    it('of another server stays when one is removed that was not written', () => {

        mkdirSync(dataDir);
        const other = new ServerFile({ dataDir, entry: () => ENTRY, log: { info() {}, warn() {}, error() {} } });
        other.fulfil('started');
        other.fulfil('listening');

        file.fulfil('started');
        file.remove();

        expect(readLocalEntry(dataDir)).to.equal(ENTRY);
        other.remove();
    });
});
