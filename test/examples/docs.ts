/**
 * The documentation does what it says: its commands run against a service and answer what is shown, its programs and JSON are well-formed,
 * its links lead somewhere, its generated sections are those of the code.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isAsShown } from '../support/doc-answers.js';
import { anchorsOf, linksOf, readPage, readPages, ROOT, withSections } from '../support/doc-pages.js';
import type { BlockRun } from '../support/doc-runner.js';
import { answerOf, isRunnable, runPage } from '../support/doc-runner.js';
import { SECTIONS } from '../support/doc-sections.js';

export const lab = Lab.script();
const { describe, it } = lab;

const PAGES = readPages();

/** What is wrong with a block that ran; null when nothing is. */
function fault({ block, answer, code, out, error, statuses }: BlockRun): string | null {

    const expected = answer?.options.get('status');
    const wrongStatus = answer?.language === 'http' ? undefined :
        statuses.find((status, index) => (expected !== undefined && index === statuses.length - 1 ? status !== Number(expected) : status >= 400));
    if (code !== 0 || wrongStatus !== undefined || (answer && !isAsShown(answer.language, answer.text, out))) {
        return [`line ${block.line}: exit code ${code}, statuses ${statuses.join(' ')}`, error.trim(), 'shown:', answer?.text ?? '(nothing)', 'received:', out].join('\n');
    }

    return null;
}

describe('the documentation', () => {

    for (const page of PAGES.filter(isRunnable)) {
        it(`runs as it stands: ${page.path}`, async () => {

            const runs = await runPage(page);
            const skipped = runs.filter(({ missing }) => missing !== undefined && process.env['CI'] !== 'true');
            for (const { block, missing } of skipped) {
                console.log(`${page.path}:${block.line}: NOT RUN: python3 has no module ${missing}`);
            }

            expect(runs.filter((each) => !skipped.includes(each)).map(fault).filter((text) => text !== null).join('\n\n')).to.equal('');
        });
    }

    it('lists every file of test/support', () => {

        const index = readFileSync(join(ROOT, 'test/support/README.md'), 'utf8');
        const files = readdirSync(join(ROOT, 'test/support')).filter((name) => name !== 'README.md');
        expect(files.filter((name) => !index.includes(`\`${name}\``))).to.equal([]);
    });

    it('has JSON in its JSON blocks', () => {

        const broken: string[] = [];
        for (const page of PAGES) {
            for (const { language, text, line } of page.blocks) {
                try {
                    if (language === 'json') {
                        JSON.parse(text);
                    }
                }
                catch {
                    broken.push(`${page.path}:${line}`);
                }
            }
        }

        expect(broken).to.equal([]);
    });

    it('shows TypeScript that is compiled here, word for word', () => {

        const wrong: string[] = [];
        for (const page of PAGES) {
            for (const { language, options, text, line } of page.blocks) {
                const file = join(ROOT, 'test/examples', options.get('file') ?? '');
                const code = language === 'ts' && options.has('file') && existsSync(file) ? readFileSync(file, 'utf8').replaceAll('../../lib/index.js', 'doip-gateway').replaceAll('../../lib/client/index.js', 'doip-gateway/client') : '';
                if (language === 'ts' && !code.includes(text)) {
                    wrong.push(`${page.path}:${line}`);
                }
            }
        }

        expect(wrong).to.equal([]);
    });

    it('shows answers only after the commands that give them', () => {

        const lonely = PAGES.flatMap((page) => page.blocks.filter(({ language, options }) => language === 'http' || options.has('status'))
            .filter((block) => !page.blocks.some((command) => command.language === 'sh' && answerOf(page, command) === block))
            .map(({ line }) => `${page.path}:${line}`));

        expect(lonely).to.equal([]);
    });

    it('names existing files and functions in the steps of a request', () => {

        const wrong: string[] = [];
        const steps = readPage('docs/architecture.md').blocks.filter(({ text }) => text.includes('core/dispatcher.ts') || text.includes('object-reader.ts'));
        for (const [, file = '', names = ''] of steps.flatMap(({ text }) => [...text.matchAll(/([\w/-]+\.ts)((?:,? \w+(?=,|\s{2}|\n|$))*)/g)])) {
            const path = [file, `lib/${file}`].find((candidate) => existsSync(join(ROOT, candidate)));
            const text = path === undefined ? '' : readFileSync(join(ROOT, path), 'utf8');
            wrong.push(...path === undefined ? [file] : [], ...(names.match(/\w+/g) ?? []).filter((name) => !new RegExp(`\\b${name}\\b`).test(text)).map((name) => `${file} ${name}`));
        }

        expect(steps).to.have.length(2);
        expect(wrong).to.equal([]);
    });

    it('has no broken links', () => {

        const broken: string[] = [];
        for (const page of PAGES) {
            for (const { file, anchor } of linksOf(page)) {
                const path = file === '' ? page.path : relative(ROOT, join(ROOT, dirname(page.path), file));
                const isThere = existsSync(join(ROOT, path)) && (anchor === '' || anchorsOf(readPage(path)).has(anchor));
                if (!isThere) {
                    broken.push(`${page.path}: ${file}#${anchor}`);
                }
            }
        }

        expect(broken).to.equal([]);
    });

    it('leads to every page from its index', () => {

        const index = readPage('docs/README.md');
        const linked = new Set(linksOf(index).map(({ file }) => relative(ROOT, join(ROOT, 'docs', file))));

        expect(PAGES.map(({ path }) => path).filter((path) => path.startsWith('docs/') && path !== index.path && !linked.has(path))).to.equal([]);
    });

    it('has short pages beside the code, which name every file and folder beside them', () => {

        const wrong: string[] = [];
        for (const { path, text } of PAGES.filter((page) => !page.path.startsWith('docs/') && page.path !== 'README.md')) {
            const names = readdirSync(join(ROOT, dirname(path)), { withFileTypes: true }).filter((entry) => entry.name !== 'README.md')
                .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name.replace(/\.ts$/, '')));
            const listed = [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
            wrong.push(...names.filter((name) => !listed.includes(name)).map((name) => `${path} does not name ${name}`),
                ...listed.filter((name) => !names.includes(name)).map((name) => `${path} names ${name}`),
                ...Buffer.byteLength(text) > 2048 ? [`${path} has more than 2 KiB`] : []);
        }

        expect(wrong).to.equal([]);
    });

    it('has the generated sections of `npm run docs`', () => {

        const stale = PAGES.filter(({ text }) => withSections(text, SECTIONS) !== text).map(({ path }) => path);

        expect(stale).to.equal([]);
    });
});
