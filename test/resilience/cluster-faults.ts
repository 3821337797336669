/** The short form of `npm run resilience -- --cluster`, on the embedded search engine; and its checker, which finds what it is for. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { HAS_GALERA } from '../support/galera.js';
import { HAS_S3 } from '../support/s3.js';
import { Checker, Register } from './programs/cluster/checker.js';

export const lab = Lab.script();
const { describe, it } = lab;

const PROGRAM = join(__dirname, 'programs/cluster/main.js');

/** Enough for one of most parts. */
const FAULTS = 5;
const TIMEOUT_MS = 1_500_000;

describe('the checker of an installation', () => {

    function written(...values: readonly (string | null)[]): { checker: Checker; register: Register } {

        const checker = new Checker({ isQuiet: true });
        const register = checker.register('test/a');
        values.forEach((value) => register.acknowledge(register.begin(value), '"1"'));
        return { checker, register };
    }

    const kinds = ({ findings }: Checker): string[] => findings.map(({ kind }) => kind);

    it('accepts what was there during a read', async () => {

        const { checker, register } = written('one');
        const from = performance.now();
        await sleep(2);
        register.acknowledge(register.begin('two'), '"2"');

        register.read('one', from, 'a node');
        register.read('two', from, 'a node');

        expect(kinds(checker)).to.equal([]);
    });

    it('finds reads of what was replaced, deleted or never written', async () => {

        const { checker, register } = written('one', 'two');
        await sleep(2);

        for (const value of ['one', null, 'three']) {
            register.read(value, performance.now(), 'a node');
        }

        expect(kinds(checker)).to.equal(['stale', 'stale', 'lost']);
    });

    it('accepts either outcome of a write without an answer, until a read has seen it', async () => {

        const { checker, register } = written('one');
        register.begin('two');

        register.read('one', performance.now(), 'a node');
        register.read('two', performance.now(), 'a node');
        register.read('two', performance.now(), 'a node');
        const before = kinds(checker);
        await sleep(2);
        register.read('one', performance.now(), 'a node');

        expect([before, kinds(checker)]).to.equal([[], ['stale']]);
    });

    it('finds a change that was seen, and replaced by one that is based on an older version', () => {

        const { checker, register } = written('one');
        register.begin('two');
        register.read('two', performance.now(), 'a node');

        register.acknowledge(register.begin('three'), '"3"');

        expect(kinds(checker)).to.equal(['lost']);
    });

    it('finds a change that was rejected, and made', () => {

        const { checker, register } = written('one');
        const state = register.begin('two');
        register.reject(state);

        register.read('two', performance.now(), 'a node');

        expect(kinds(checker)).to.equal(['contradicted']);
    });

    it('finds a read that is allowed after the right was taken away', async () => {

        const checker = new Checker({ isQuiet: true });
        const register = new Register('test/a', checker, (value) => (value === 'allowed' ? 'leaked' : 'stale'));
        register.acknowledge(register.begin('allowed'), null);
        register.acknowledge(register.begin('denied'), null);
        await sleep(2);

        register.read('allowed', performance.now(), 'a node');

        expect(kinds(checker)).to.equal(['leaked']);
    });
});

describe('an installation of three gateways and three servers of Galera', { skip: !HAS_GALERA }, () => {

    it('loses nothing, and shows nothing stale, while its parts fail one after the other', { timeout: TIMEOUT_MS }, async () => {

        // A network that comes or goes ends the requests of browsers in tests beside this one.
        const options = ['--cluster', '--faults', `${FAULTS}`, '--without', 'opensearch', '--without', 'networks', ...HAS_S3 ? [] : ['--without', 's3']];
        const child = spawn(process.execPath, [PROGRAM, ...options], { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS - 10_000 });
        let output = '';
        [child.stdout, child.stderr].forEach((stream) => stream.on('data', (chunk: Buffer) => {

            output += chunk.toString();
        }));
        const [code] = await once(child, 'close') as [number | null];

        expect(code, output).to.equal(0);
        expect(output).to.contain('verdict: passed').and.contain(`"faults":${FAULTS}`);
    });
});
