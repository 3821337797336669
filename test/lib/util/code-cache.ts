import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadCached, type LoadedScript } from '../../../lib/util/code-cache.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const SCRIPT = `
const { join } = require('node:path');
exports.sum = (a, b) => a + b;
exports.place = join(__dirname, 'x');
exports.file = __filename;
exports.neighbour = () => require('./neighbour.js');
exports.fail = () => { throw new Error('a failure'); };
`;

const MODULE = join(__dirname, '../../../lib/util/code-cache.js');

interface Exports {
    readonly sum: (a: number, b: number) => number;
    readonly place: string;
    readonly file: string;
    readonly neighbour: () => string;
    readonly fail: () => never;
}

describe('the cache of compiled code', () => {

    let folder: string;
    let file: string;

    beforeEach(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-code-'));
        file = join(folder, 'script-1.js');
        await writeFile(file, SCRIPT);
        await writeFile(join(folder, 'neighbour.js'), 'module.exports = "next";');
    });

    afterEach(() => rm(folder, { recursive: true, force: true }));

    const exportsOf = (script: LoadedScript): Exports => script.exports as Exports;

    /** The file with compiled code. */
    const cache = async (): Promise<string> => join(folder, (await readdir(folder)).find((name) => name.endsWith('.code')) ?? 'none');

    const loadElsewhere = async (): Promise<unknown> => {

        const program = `const { exports, isCached, store } = require(${JSON.stringify(MODULE)}).loadCached(${JSON.stringify(file)});
            console.log(JSON.stringify({ isCached, sum: exports.sum(2, 3), isStored: store() }));`;
        const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
        return JSON.parse(stdout);
    };

    it('loads a script as a module, before and after its compiled code is stored', async () => {

        const first = loadCached(file);
        const isStored = first.store();
        const second = loadCached(file);

        expect([first.isCached, isStored, second.isCached]).to.equal([false, true, true]);
        for (const script of [first, second]) {
            const { sum, place, file: own, neighbour } = exportsOf(script);
            expect([sum(1, 2), place, own, neighbour()]).to.equal([3, join(folder, 'x'), file, 'next']);
        }

        expect((await readdir(folder)).length).to.equal(3);
        expect(((await stat(await cache())).mode & 0o777).toString(8)).to.equal('644');
    });

    it('does not store again what it has found', () => {

        loadCached(file).store();

        expect(loadCached(file).store()).to.be.false();
    });

    it('loads a script whose compiled code is damaged or that of another script, and stores it anew', async () => {

        // In processes of their own: this one would remember the script, and store it once more after some seconds.
        await loadElsewhere();
        const path = await cache();
        for (const damage of [() => truncate(path, 100), () => writeFile(path, ''), () => writeFile(path, Buffer.alloc(5000)), () => writeFile(file, `${SCRIPT}\n`)]) {
            await damage();

            expect(await loadElsewhere()).to.equal({ isCached: false, sum: 5, isStored: true });
            expect(await loadElsewhere()).to.equal({ isCached: true, sum: 5, isStored: false });
        }
    });

    it('loads a script where nothing can be stored', async () => {

        const script = loadCached(file);
        // Rights would not stop root.
        await rm(folder, { recursive: true });

        expect(script.store()).to.be.false();
        expect(exportsOf(script).sum(1, 1)).to.equal(2);
    });

    it('shows lines of the script in stacks', () => {

        loadCached(file).store();

        expect(exportsOf(loadCached(file)).fail).to.throw('a failure');
        try {
            exportsOf(loadCached(file)).fail();
        }
        catch (error) {
            expect((error as Error).stack).to.contain(`${file}:7:`);
        }
    });

    it('lets a process end before it has stored anything', async () => {

        const program = `console.log(require(${JSON.stringify(MODULE)}).loadCached(${JSON.stringify(file)}).isCached,
            process.getActiveResourcesInfo().includes('Timeout'))`;
        const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);

        expect(stdout).to.equal('false false\n');
    });
});
