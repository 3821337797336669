/**
 * README is short, and the documentation names everything that there is: paths, folders, and the tests of each path.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtInOperations } from '../../lib/operations/index.js';
import { restRoutes } from '../../translators/rest/index.js';
import { sessionRoutes } from '../../translators/sessions/index.js';
import { COVERAGE } from '../support/coverage.js';
import { readPage, ROOT } from '../support/doc-pages.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MAX_README_BYTES = 8 * 1024;

describe('README and the overviews', () => {

    it('keep README within two screens', () => {

        expect(Buffer.byteLength(readPage('README.md').text)).to.be.at.most(MAX_README_BYTES);
    });

    it('tell for every path and every operation which test proves it', () => {

        const paths = [...restRoutes, ...sessionRoutes].flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
        const covered = COVERAGE.flatMap(({ rest }) => rest ?? []);
        const tests = [...new Set(COVERAGE.flatMap((entry) => entry.tests))];

        expect([...new Set(covered)].sort()).to.equal(paths.sort());
        expect(COVERAGE.map(({ operation }) => operation).sort()).to.equal(builtInOperations.map(({ id }) => id).sort());
        expect(tests.filter((file) => !existsSync(join(ROOT, 'test', file)))).to.equal([]);
    });

    it('name every path of the REST interface', () => {

        const { text } = readPage('docs/rest/README.md');
        const missing = [...restRoutes, ...sessionRoutes].map(({ path }) => path.replace('{name*}', '')).filter((path) => !text.includes(`\`${path}`));

        expect(missing).to.equal([]);
    });

    it('name folders that exist', () => {

        const tree = /```\nlib\/\n([\s\S]*?)```/.exec(readPage('docs/architecture.md').text)?.[1] ?? '';
        const missing: string[] = [];
        let parent = 'lib';
        for (const [, indent, name = ''] of tree.matchAll(/^( {2})?([\w-]+)\/(?=\s|$)/gm)) {
            parent = indent ? parent : name;
            missing.push(...[indent ? join(parent, name) : name].filter((path) => !existsSync(join(ROOT, path))));
        }

        expect(tree).to.not.equal('');
        expect(missing).to.equal([]);
    });
});
