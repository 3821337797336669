/**
 * `npm run build`, with which `npm start` begins, in a copy of the sources without their tests, on a terminal: what it says while it builds, and that it
 * leaves a complete result, whatever happened to the builds before.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/doc-pages.js';
import { hasScript } from '../support/programs.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SOURCES = ['lib', 'translators', 'db', 'ui', 'package.json', 'tsconfig.json'];
/** What the compiler remembers, and the lock. */
const NOTES = /^\.(?:tsbuildinfo|build-lock)/;
const BUILT = /Built in \d+\.\d s\.\n$/;

interface Built {
    readonly code: number | null;
    readonly screen: string;
}

describe('a build on a terminal', { skip: !hasScript(), timeout: 600_000 }, () => {

    let tree: string;
    let first: Built[];

    before(async () => {

        tree = mkdtempSync(join(tmpdir(), 'gateway-build-'));
        SOURCES.forEach((name) => cpSync(join(ROOT, name), join(tree, name), { recursive: true, preserveTimestamps: true }));
        mkdirSync(join(tree, 'test/support'), { recursive: true });
        for (const name of readdirSync(join(ROOT, 'test/support')).filter((each) => each.endsWith('.mjs'))) {
            cpSync(join(ROOT, 'test/support', name), join(tree, 'test/support', name));
        }

        symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
        writeFileSync(join(tree, 'lib/extra.ts'), 'export const EXTRA = 1;\n');
        first = await Promise.all([build(), build()]);
    });

    after(() => rmSync(tree, { recursive: true }));

    const build = async (): Promise<Built> => {

        const child = spawn('script', ['-qec', `exec '${process.execPath}' test/support/build.mjs`, '/dev/null'], { cwd: tree, stdio: ['ignore', 'pipe', 'inherit'] });
        let screen = '';
        child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
        const [code] = await once(child, 'close') as [number | null];
        return { code, screen: screen.replaceAll('\r\n', '\n') };
    };

    const path = (name: string): string => join(tree, name);
    const files = (): string[] => readdirSync(path('dist'), { recursive: true, encoding: 'utf8' }).filter((name) => !NOTES.test(name)).sort();
    const version = (): string => execFileSync(process.execPath, [path('dist/bundle/main.js'), 'version'], { encoding: 'utf8' });
    const hashes = (): string[] => files().filter((name) => statSync(path(`dist/${name}`)).isFile() && name !== '.sources')
        .map((name) => `${name} ${createHash('sha256').update(readFileSync(path(`dist/${name}`))).digest('hex')}`);
    const times = (): string[] => ['', ...readdirSync(path('dist'), { recursive: true, encoding: 'utf8' })].map((name) => `${name} ${statSync(path(`dist/${name}`)).mtimeMs}`);
    const change = (name: string, text: string): void => writeFileSync(path(name), `${readFileSync(path(name), 'utf8')}${text}`);

    it('says that the first one takes time; a second one at the same time waits for it, and builds nothing', () => {

        const [one = '', other] = first.map(({ screen }) => screen).sort();

        expect(first.map(({ code }) => code), one).to.equal([0, 0]);
        expect(one).to.startWith('Building, which takes half a minute the first time …\n').and.to.match(BUILT);
        expect(other).to.equal('Waiting for another build of this folder …\n');
        expect(version()).to.match(/^\d+\.\d+\.\d+\n$/);
    });

    it('says nothing and writes nothing when nothing has changed', async () => {

        const before = times();
        const again = await build();

        expect(again).to.equal({ code: 0, screen: '' });
        expect(times()).to.equal(before);
    });

    it('says that it builds what has changed, and removes what has no source any more', async () => {

        expect(files()).to.include('lib/extra.js');
        rmSync(path('lib/extra.ts'));
        change('lib/banner.ts', '\nexport const CHANGED = true;\n');
        const changed = await build();

        expect(changed.code, changed.screen).to.equal(0);
        expect(changed.screen).to.startWith('Building what has changed …\n').and.to.match(BUILT);
        expect(files().filter((name) => name.startsWith('lib/extra'))).to.equal([]);
        expect(readFileSync(path('dist/lib/banner.js'), 'utf8')).to.contain('CHANGED = true');
    });

    /** Builds with an error of a type, twice; then the source is as it was built already, also by its time. */
    const failBuilds = async (): Promise<void> => {

        const [source, result] = [readFileSync(path('lib/systemd.ts'), 'utf8'), hashes()];
        const { atime, mtime } = statSync(path('lib/systemd.ts'));
        change('lib/systemd.ts', '\nexport const WRONG: string = 1;\n');
        const wrong = [await build(), await build()];

        for (const { code, screen } of wrong) {
            expect(code, screen).to.not.equal(0);
            expect(screen).to.contain('lib/systemd.ts').and.to.contain('TS2322').and.not.to.match(BUILT);
        }

        expect(hashes()).to.equal(result);
        writeFileSync(path('lib/systemd.ts'), source);
        utimesSync(path('lib/systemd.ts'), atime, mtime);
    };

    /** Kills a build while its result is away; false when it has come to its end, as nobody looked in this short time. */
    const killBuild = async (): Promise<boolean> => {

        const child = spawn(process.execPath, ['test/support/build.mjs'], { cwd: tree, stdio: 'inherit', detached: true });
        let hasEnded = false;
        const ended = once(child, 'close').finally(() => {

            hasEnded = true;
        });
        await until(() => hasEnded || !existsSync(path('dist/bundle/main.js')), 300_000);
        if (!hasEnded) {
            process.kill(-(child.pid ?? 0), 'SIGKILL');
        }

        const [, signal] = await ended as [number | null, string | null];
        return signal === 'SIGKILL';
    };

    it('shows errors of types, keeps the former result, and builds it anew after it was killed', async () => {

        const result = hashes();
        let isKilled = false;
        for (let attempt = 0; attempt < 5 && !isKilled; ++attempt) {
            await failBuilds();
            isKilled = await killBuild();
        }

        const next = await build();

        expect(isKilled).to.be.true();
        expect(next.code, next.screen).to.equal(0);
        expect(next.screen).to.match(BUILT);
        expect(hashes().filter((line) => !line.includes('.code '))).to.equal(result.filter((line) => !line.includes('.code ')));
        expect(version()).to.match(/^\d+\.\d+\.\d+\n$/);
    });

    it('says which command installs the packages, if they are not there', async () => {

        rmSync(path('node_modules'));
        const without = await build();
        symlinkSync(join(ROOT, 'node_modules'), path('node_modules'));

        expect(without.code).to.not.equal(0);
        expect(without.screen).to.contain('run npm ci');
        expect(await build()).to.equal({ code: 0, screen: '' });
    });
});
