/** Translations of what the service says: of every message that validation and queries can make, of the keys of jobs, and of those of the audit log. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Typescript from 'typescript';
import { WORDINGS } from '../../../lib/types/schema/error-messages.js';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { translate as german } from '../../../ui/src/server-texts/de.js';
import { translate as french } from '../../../ui/src/server-texts/fr.js';
import { SENTENCES } from '../../../ui/src/server-texts/sentences.js';
import { jobName, methodName, ruleName } from '../../../ui/src/admin/operation/names.js';
import { setLanguage } from '../../../ui/src/i18n/index.js';
import { ROOT } from '../../support/doc-pages.js';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

/** What ajv tells with an error of each keyword, and the value; a keyword may have several forms. */
const SAMPLES: Readonly<Record<string, readonly (readonly [params: Readonly<Record<string, unknown>>, value?: JsonValue])[]>> = {
    'type': [[{ type: 'string' }, 3], [{ type: ['integer', 'null'] }, 'x'], [{ type: 'boolean,array' }, {}], [{ type: 'object' }, null], [{ type: 'number' }, true]],
    'enum': [[{ allowedValues: ['a', 2] }], [{ allowedValues: Array.from({ length: 12 }, (_, i) => `v${i}`) }]],
    'const': [[{ allowedValue: 'x' }], [{ allowedValue: 3 }], [{ allowedValue: null }], [{ allowedValue: { a: [1] } }], [{ allowedValue: false }]],
    'required': [[{ missingProperty: 'a' }]], 'dependencies': [[{ property: 'a' }]], 'dependentRequired': [[{ property: 'a b' }]],
    'additionalProperties': [[{}]], 'unevaluatedProperties': [[{}]], 'unevaluatedItems': [[{}]],
    'minProperties': [[{ limit: 1 }, {}], [{ limit: 2 }, { a: 1 }]], 'maxProperties': [[{ limit: 1 }, { a: 1, b: 2 }], [{ limit: 0 }, { a: 1 }]],
    'minItems': [[{ limit: 1 }, []], [{ limit: 3 }, [1]]], 'maxItems': [[{ limit: 1 }, [1, 2]], [{ limit: 2 }, [1, 2, 3]]], 'additionalItems': [[{ limit: 1 }], [{ limit: 2 }]],
    'uniqueItems': [[{ i: 2, j: 0 }]], 'contains': [[{ minContains: 1 }], [{ minContains: 2, maxContains: 3 }]],
    'minLength': [[{ limit: 2 }, 'a'], [{ limit: 5 }, 'abc']], 'maxLength': [[{ limit: 2 }, 'abc']],
    'pattern': [[{ pattern: '^a\n|b$' }]], 'format': [[{ format: 'date-time' }]],
    'minimum': [[{ limit: -1.5 }]], 'maximum': [[{ limit: 1e30 }]], 'exclusiveMinimum': [[{ limit: 0 }]], 'exclusiveMaximum': [[{ limit: 7 }]], 'multipleOf': [[{ multipleOf: 0.01 }]],
    'anyOf': [[{}]], 'oneOf': [[{ passingSchemas: null }], [{ passingSchemas: [0, 1] }]], 'if': [[{ failingKeyword: 'then' }], [{ failingKeyword: 'else' }]], 'not': [[{}]], 'false schema': [[{}]]
};

/** Where messages are made: of schemas, references and types, and of queries. */
const SOURCES = [
    ...['shapes', 'document', 'linker', 'ref-resolver', 'ref-cycles'].map((name) => `lib/types/schema/${name}.ts`),
    'lib/types/annotations/extension-validation.ts', 'lib/types/annotations/references.ts', 'lib/types/type-definition.ts', 'lib/types/schema-object.ts', 'lib/types/described-schema.ts',
    'lib/util/concurrency/time-budget.ts', 'lib/search/query/parser.ts', 'lib/search/query/request-parser.ts', 'lib/search/query/rewriter.ts'
];

/** Parts of sentences, and errors of the program, which no user sees by themselves. */
const PARTS: readonly RegExp[] = [/^schema X$/, /^type X$/, /^a linked schema/, /^X: X$/, /^the pattern X X$/, /^X X$/, /^is longer than X characters$/, /^is no regular expression$/, /^Cordra object X referenced at X has type X$/];

const files = (folder: string): readonly string[] => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The sentences in the code of a file, with `X` for what is put into them. */
function sentencesIn(path: string): readonly string[] {

    const found: string[] = [];
    const visit = (node: Typescript.Node): void => {

        if (Typescript.isTemplateExpression(node)) {
            const parts = node.templateSpans.map(({ expression, literal }) => (expression.getText() === 'found' ? 'Cordra object X referenced at X has type X' : 'X') + literal.text);
            found.push(node.head.text + parts.join(''));
        }
        else if (Typescript.isStringLiteralLike(node) && !Typescript.isImportDeclaration(node.parent)) {
            found.push(node.text);
        }

        Typescript.forEachChild(node, visit);
    };

    visit(Typescript.createSourceFile(path, textOf(path), Typescript.ScriptTarget.ES2022, true));
    return found.filter((text) => /\p{L} \p{L}|\p{L} X/u.test(text) && !PARTS.some((part) => part.test(text)));
}

/** What must be translated and is not, by language. */
function untranslated(messages: readonly string[]): readonly string[] {

    return messages.flatMap((message) => Object.entries({ german, french }).filter(([, translate]) => translate(message) === message).map(([language]) => `${language}: ${message}`));
}

describe('what the service says', () => {

    afterEach(() => setLanguage('en'));

    it('has a translation for each message about content, with its numbers and names', () => {

        expect(Object.keys(WORDINGS).filter((keyword) => !(keyword in SAMPLES))).to.equal([]);
        const messages = Object.entries(WORDINGS).flatMap(([keyword, wording]) => (SAMPLES[keyword] ?? []).map(([params, value]) => wording(params, value)));
        const named = messages.map((message) => `has a name that ${message}`);
        const numbers = (text: string): string => (text.match(/-?\d[\d.e+]*/g) ?? []).sort().join(' ');
        const lost = messages.filter((message) => [german, french].some((translate) => numbers(translate(message)) !== numbers(message)));

        expect(messages.length).to.be.above(45);
        expect(untranslated([...messages, ...named, 'is not valid'])).to.equal([]);
        expect(lost).to.equal([]);
        expect(messages.map(german).concat(messages.map(french)).filter((text) => /\{\w+\}|\b(?:must|is|has|than|least)\b/.test(text))).to.equal([]);
    });

    it('has a translation for each message about schemas, references, types and queries', () => {

        const messages = SOURCES.flatMap(sentencesIn);
        const grammar = [...textOf('lib/search/query/grammar.peggy').matchAll(/error\('((?:[^'\\]|\\.)*)'\)/g)].map(([, text = '']) => text.replaceAll('\\\\', '\\'));
        const patterns = [...textOf('lib/util/regexp/re2-syntax.ts').matchAll(/PatternError\(['`](.*?)['`][,)]/g), ...textOf('lib/util/regexp/safe-regexp.ts').matchAll(/PatternError\(['`](.*?)['`][,)]/g)]
            .map(([, text = '']) => `the pattern X ${text.replace(/\$\{.*?\}/g, 'X')}`);

        expect(messages.length).to.be.above(40);
        expect(grammar.length).to.be.least(2);
        expect(patterns.length).to.be.above(6);
        expect(untranslated([...messages, ...grammar, ...patterns])).to.equal([]);
    });

    it('is translated by tables with the parts of each sentence', () => {

        for (const code of ['de', 'fr']) {
            const rows = [...textOf(`ui/src/server-texts/${code}.ts`).matchAll(/^ {8}(\w+): (.*)$/gm)].filter(([, key = '']) => key in SENTENCES);
            const wrong = rows.flatMap(([, key = '', text = '']) => {

                const wanted = [...SENTENCES[key as keyof typeof SENTENCES].source.matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name).sort();
                const used = [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
                return JSON.stringify(used) === JSON.stringify(wanted) ? [] : [`${code} ${key}: ${used.join()} instead of ${wanted.join()}`];
            });

            expect(rows.length).to.equal(Object.keys(SENTENCES).length);
            expect(wrong).to.equal([]);
        }
    });

    for (const [message, de, fr] of [
        ['must be a string or null, got an object', 'muss ein Text oder null sein, ist aber ein Objekt', 'doit être un texte ou null, mais c’est un objet'],
        ['must have at least 1 element, has 0', 'braucht mindestens 1 Eintrag, hat 0', 'doit avoir au moins 1 entrée, en a 0'],
        ['must have at least 2 elements, has 1', 'braucht mindestens 2 Einträge, hat 1', 'doit avoir au moins 2 entrées, en a 1'],
        ['/a: is required', '/a: ist erforderlich', '/a : est obligatoire'],
        ['has a name that must match the pattern ^[a-z]+$', 'hat einen Namen, für den gilt: muss dem Muster ^[a-z]+$ entsprechen', 'a un nom pour lequel : doit correspondre au motif ^[a-z]+$'],
        ['Query parse failure at character 3: unexpected end of the query', 'Die Suchanfrage ist bei Zeichen 3 nicht lesbar: die Suchanfrage endet unerwartet', 'La requête est illisible au caractère 3 : fin inattendue de la requête'],
        ['readers of test/note does not admit test/ann', 'die Liste readers of test/note lässt test/ann nicht zu', 'la liste readers of test/note n’admet pas test/ann'],
        [
            'nothing was uploaded: 2 objects are wrong, the first at position 3: object test/a has another version than the request demands: read it again',
            'Nichts wurde gespeichert: 2 Objekte sind falsch, das erste an der Stelle 3 (von 0 an): object test/a hat eine andere Version, als verlangt wird: Lesen Sie es neu',
            'Rien n’a été enregistré : 2 objets sont incorrects, le premier à la position 3 (à partir de 0) : object test/a a une autre version que celle demandée : relisez-le'
        ],
        [
            'nothing was uploaded: 1 object is wrong, the first at position 0: Schema name "A" is not unique.',
            'Nichts wurde gespeichert: 1 Objekt ist falsch, an der Stelle 0 (von 0 an): Einen Typ mit dem Namen "A" gibt es schon.',
            'Rien n’a été enregistré : 1 objet est incorrect, à la position 0 (à partir de 0) : Un type nommé "A" existe déjà.'
        ],
        ['must be beautiful', 'must be beautiful', 'must be beautiful'], ['Only code of a type says this', 'Only code of a type says this', 'Only code of a type says this']
    ] as const) {
        it(`says “${message.slice(0, 40)}” in German and French`, () => {

            expect(german(message)).to.equal(de);
            expect(french(message)).to.equal(fr);
        });
    }

    it('has names for all kinds of jobs, ways of logging in and rules that are no sentences', () => {

        const sources = files('lib').map(textOf);
        // A kind stands where the job is defined, or in a constant that is named there.
        const defined = new Set(sources.flatMap((text) => [...text.matchAll(/\bkind: (?:'([a-z]+\.[a-z]+)'|([A-Z][A-Z_]*))/g)].map(([, literal, name]) => literal ?? name ?? '')));
        const constants = sources.flatMap((text) => [...text.matchAll(/const ([A-Z_]+) = ['`]([a-z]+(?:\.[a-z]+)+)/g)]).filter(([, name = '']) => defined.has(name)).map(([, , kind = '']) => kind);
        const kinds = new Set([...[...defined].filter((each) => each.includes('.')), ...constants]);
        const methods = /readonly method: (.*);/.exec(textOf('lib/model/caller.ts'))?.[1]?.match(/[\w-]+/g) ?? [];
        const rules = new Set(sources.flatMap((text) => [...text.matchAll(/authorise: '([\w-]+)'/g)].map(([, rule = '']) => rule)));

        expect(kinds.size).to.be.above(11);
        expect(methods.length).to.be.above(8);
        expect(rules.size).to.be.above(3);
        for (const language of ['en', 'de', 'fr'] as const) {
            setLanguage(language);

            expect([...kinds].filter((kind) => jobName(kind) === kind)).to.equal([]);
            expect(methods.filter((method) => !/ /.test(methodName(method)))).to.equal([]);
            expect([...rules, 'needs a login', 'admin only', 'admin'].filter((rule) => ruleName(rule) === rule && !(language === 'en' && rule === 'needs a login'))).to.equal([]);
            expect([jobName('search.feed.7'), jobName('a.b'), methodName('constructor'), ruleName('x')]).to.include(['a.b', 'constructor', 'x']);
        }
    });
});
