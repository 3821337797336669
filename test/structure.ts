/** The structure of the code base is as `npm run structure` wants it; and each of its checks fails where it is not. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './support/doc-pages.js';
import type { Figure, SourceTree } from './support/structure.js';
import {
    fileCycles, folderCycles, folderSizes, forbiddenIdentifiers, forbiddenPaths, forbiddenVariables, forbiddenWordsIn, measure, moduleCycles, pathsFound,
    readmeSize, readTree, termsFound
} from './support/structure.js';
import { STANDARD_TERMS } from './support/structure-words.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A tree of these files. */
function treeOf(files: Readonly<Record<string, string>>): SourceTree {

    return new Map(Object.entries(files));
}

const TWENTY = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`lib/a/${index}.ts`, '']));

const TERMS = STANDARD_TERMS.map(([term]) => `/** ${term} */`).join('\n');

const CASES: readonly (readonly [title: string, check: () => Figure, violations: readonly string[]])[] = [
    ['a cycle of files', () => fileCycles(treeOf({
        'lib/a/a.ts': `import { b } from './b.js';`, 'lib/a/b.ts': `export * from './c.js';`, 'lib/a/c.ts': `import type { a } from './a.js';`, 'lib/a/d.ts': `import './a.js';`
    })), ['lib/a/a.ts, lib/a/b.ts, lib/a/c.ts']],
    ['a cycle of two files through a dynamic import', () => fileCycles(treeOf({
        'lib/a.ts': `const b = await import('./b.js');`, 'lib/b.ts': `import './a.js';`
    })), ['lib/a.ts, lib/b.ts']],
    ['no cycle in a diamond, nor in text', () => fileCycles(treeOf({
        'lib/a.ts': `import './b.js'; import './c.js';`, 'lib/b.ts': `import './d.js';`, 'lib/c.ts': `import './d.js';`, 'lib/d.ts': `// import './a.js';\nconst a = "import './a.js'";`
    })), []],
    ['a cycle of folders without one of files', () => folderCycles(treeOf({
        'lib/a/x/1.ts': `import '../y/1.js';`, 'lib/a/y/1.ts': '', 'lib/a/y/2.ts': `import type { x } from '../x/2.js';`, 'lib/a/x/2.ts': ''
    })), ['lib/a/x, lib/a/y']],
    ['a cycle of modules without one of folders', () => moduleCycles(treeOf({
        'lib/a/x/1.ts': `import '../../b/1.js';`, 'lib/b/1.ts': '', 'lib/b/x/1.ts': `import '../../a/1.js';`, 'lib/a/1.ts': ''
    })), ['lib/a, lib/b']],
    ['a folder with too many files', () => folderSizes(treeOf({ ...TWENTY, 'lib/a/one-more.ts': '' })), ['lib/a: 21 files']],
    ['no folder that is just full', () => folderSizes(treeOf({ ...TWENTY, 'lib/b/one-more.ts': '' })), []],
    ['forbidden words in names of files and folders', () => forbiddenPaths(treeOf({ 'lib/desks/token-seat.ts': '', 'lib/landscape/seated.ts': '' })),
        ['desks (desk): use resolver, service, invoker, handler', 'token-seat (seat): use worker slot']],
    ['forbidden words in declared names', () => forbiddenIdentifiers(treeOf({
        'lib/a.ts': [
            'export class TokenDesk { #lend() {} desk = 1; }', 'interface UploadWish { lent(): void }', 'type ThreadSeat = string;', 'function newTurnstile() {}',
            'const MOST_FILES = 3;', 'function f() { const desk = 1; return desk; }'
        ].join('\n')
    })), [
        'lib/a.ts: TokenDesk (desk): use resolver, service, invoker, handler',
        'lib/a.ts: lend (lent): use export, import, share, snapshot, lease',
        'lib/a.ts: UploadWish (wish): use request, command, options',
        'lib/a.ts: lent (lent): use export, import, share, snapshot, lease',
        'lib/a.ts: ThreadSeat (seat): use worker slot',
        'lib/a.ts: newTurnstile (turnstile): use semaphore',
        'lib/a.ts: MOST_FILES (MOST): use MAX_'
    ]],
    ['forbidden words in names of variables', () => forbiddenVariables(treeOf({
        'lib/a.ts': 'class A { #lent = 1; f({ desk }: { leaf: 1 }) { const [seat] = 1; } get crowd() {} } const LANE = 1;'
    }), 0), [
        'lib/a.ts: lent (lent): use export, import, share, snapshot, lease',
        'lib/a.ts: desk (desk): use resolver, service, invoker, handler',
        'lib/a.ts: seat (seat): use worker slot',
        'lib/a.ts: crowd (crowd): use in-flight requests, limiter'
    ]],
    ['no forbidden words in names of variables while there are no more than allowed', () => forbiddenVariables(treeOf({ 'lib/a.ts': 'function f(desk) {}' }), 1), []],
    ['a path that is declared in another file', () => pathsFound(treeOf({ 'translators/rest/list-methods.ts': `'/listMethods'`, 'translators/rest/users.ts': `'/adminPassword'` }), 2),
        ['objects', 'search', 'acls', 'call', 'batch-upload', 'auth', 'check-credentials', 'users', 'admin-password', 'schemas', 'upload-objects', 'update-handles',
            'reindex-batch', 'startup-status', 'design', 'versions', 'relationships', 'handles', 'sessions', 'doip'].map((name) => `/${name}: not in translators/rest/${name}.ts`)],
    ['a standard term that no file has', () => termsFound(treeOf({ 'lib/a.ts': TERMS.replace('lru', 'nullRule') })), ['no file has the words: lru']],
    ['no standard term that is written as a name', () => termsFound(treeOf({ 'lib/a.ts': TERMS.replace('lru', 'class LruCache').replace('time slice', 'TIME_SLICE_MS') })), []],
    ['a README that is too long', () => readmeSize('é'.repeat(4097)), ['README.md has more than 8192 bytes']]
];

describe('the structure of the code base', () => {

    for (const { title, value, violations } of measure(readTree(), readFileSync(join(ROOT, 'README.md'), 'utf8'))) {
        it(`is as wanted: ${title}: ${value}`, () => {

            expect(violations).to.equal([]);
        });
    }
});

describe('the measures of structure', () => {

    for (const [title, check, violations] of CASES) {
        it(`find ${title}`, () => {

            expect(check().violations).to.equal([...violations]);
        });
    }

    it('match whole words of a name only, and not where they are allowed', () => {

        const found = ['PromptSearch', 'prompt-search', 'searchPrompt', 'unknownText', 'knownText', 'KEPT_PAGES', 'almostDone', 'mostDone', 'inPlaceReferences', 'Place']
            .filter((name) => forbiddenWordsIn(name).length > 0);

        expect(found).to.equal(['PromptSearch', 'prompt-search', 'knownText', 'KEPT_PAGES', 'Place']);
    });
});
