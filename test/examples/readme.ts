/**
 * The tables of README say what the code says.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configTable } from '../../lib/config.js';
import { builtInOperations } from '../../lib/operations/index.js';
import { restRoutes } from '../../translators/rest/index.js';
import { sessionRoutes } from '../../translators/sessions/index.js';
import { COVERAGE, coverageTable } from '../support/coverage.js';
import { operationTable } from '../support/tables.js';

export const lab = Lab.script();
const { describe, it } = lab;

const ROOT = join(__dirname, '../../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

function section(name: string): string {

    return new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- /${name} -->`).exec(README)?.[1] ?? '';
}

describe('README', () => {

    it('lists every setting with its default and its meaning', () => {

        expect(section('configuration')).to.equal(configTable());
    });

    it('lists every operation with its target, methods and rule', () => {

        expect(section('operations')).to.equal(operationTable());
    });

    it('tells for every path and every operation which test proves it', () => {

        const paths = [...restRoutes, ...sessionRoutes].flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
        const covered = COVERAGE.flatMap(({ rest }) => rest ?? []);
        const tests = [...new Set(COVERAGE.flatMap((entry) => entry.tests))];

        expect([...new Set(covered)].sort()).to.equal(paths.sort());
        expect(COVERAGE.map(({ operation }) => operation).sort()).to.equal(builtInOperations.map(({ id }) => id).sort());
        expect(tests.filter((file) => !existsSync(join(ROOT, 'test', file)))).to.equal([]);
        expect(section('coverage')).to.equal(coverageTable());
    });

    it('names every path of the REST interface', () => {

        const missing = restRoutes.map(({ path }) => path.replace('{name*}', '')).filter((path) => !README.includes(`\`${path}`));

        expect(missing).to.equal([]);
    });

    it('names folders and files that exist', () => {

        const tree = /```\nlib\/\n([\s\S]*?)```/.exec(README)?.[1] ?? '';
        const missing: string[] = [];
        let folder = 'lib';
        for (const line of tree.split('\n')) {
            const top = /^([\w-]+)\/(\s|$)/.exec(line)?.[1];
            folder = top ?? folder;
            const names = top ? [] : /^ {2}((?:[\w./-]+ {1,2})+) {2}/.exec(line)?.[1]?.trim().split(/\s+/) ?? [];
            missing.push(...[...(top ? [top] : []), ...names.map((name) => join(folder, name))].filter((path) => !existsSync(join(ROOT, path))));
        }

        expect(tree).to.not.equal('');
        expect(missing).to.equal([]);
    });
});
