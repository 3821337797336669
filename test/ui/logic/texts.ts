/** The texts of the web UI in its languages: complete, with the same placeholders, and nothing that is shown in the code beside them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as Typescript from 'typescript';
import { formatAgo, formatBytes, formatDay, formatNumber, formatTime, setLanguage } from '../../../ui/src/i18n/index.js';
import { ROOT } from '../../support/doc-pages.js';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

type Text = string | { readonly one: string; readonly other: string };

type Texts = Readonly<Record<'en' | 'de' | 'fr', Readonly<Record<string, Text>>>>;

interface Source {
    /** Path below `ui/src`. */
    readonly name: string;
    readonly tree: Typescript.SourceFile;
}

const FOLDER = join(ROOT, 'ui/src');

const SOURCES: readonly Source[] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name)).map((name) => ({
    name: relative('.', name), tree: Typescript.createSourceFile(name, readFileSync(join(FOLDER, name), 'utf8'), Typescript.ScriptTarget.ES2022, true)
}));

/** All nodes of a tree. */
function *nodesOf(node: Typescript.Node): Generator<Typescript.Node> {

    yield node;
    for (const child of node.getChildren()) {
        yield *nodesOf(child);
    }
}

/** The value of a literal: a string, or an object of such. */
function valueOf(node: Typescript.Node, name: string): Text | Record<string, Text> {

    if (Typescript.isStringLiteralLike(node)) {
        return node.text;
    }

    if (!Typescript.isObjectLiteralExpression(node)) {
        throw new Error(`${name}: a text is no literal: ${node.getText().slice(0, 100)}`);
    }

    return Object.fromEntries(node.properties.map((property) => {

        if (!Typescript.isPropertyAssignment(property)) {
            throw new Error(`${name}: a text is no property: ${property.getText().slice(0, 100)}`);
        }

        return [property.name.getText().replace(/^'(.*)'$/, '$1'), valueOf(property.initializer, name) as Text];
    }));
}

/** What each part defines. */
const CATALOGUES: readonly (readonly [name: string, texts: Texts])[] = SOURCES.flatMap(({ name, tree }) => [...nodesOf(tree)].flatMap((node) =>
    (Typescript.isCallExpression(node) && node.expression.getText() === 'defineTexts' && node.arguments[0] && name !== 'i18n/index.ts' ?
        [[name, valueOf(node.arguments[0], name) as unknown as Texts] as const] : [])));

const formsOf = (text: Text): readonly string[] => (typeof text === 'string' ? [text] : [text.one, text.other]);

const placeholdersOf = (text: Text): string => [...new Set(formsOf(text).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort().join(' ');

/** Words that German or French has in common with English: names, technical words, and those of one origin. */
const SAME: Readonly<Record<string, ReadonlySet<string>>> = {
    de: new Set('Code Design Export Format Graph Handle Handles Heap Id Import JSON Name Navigation Operation Schema Status Text Version in ms'.split(' ')),
    fr: new Set(('Actions Administration Code Date Description Design Documents Export Format Handle Handles Import Interface JSON Maximum Menu Message Minimum ' +
        'Navigation Page Pages Relations Sections Segments Service Sessions Suggestions Type Types Version Versions ms secret suggestion suggestions').split(' '))
};

/** Sentences of errors that no user sees: another text is shown instead, or they are about the program. */
const INTERNAL: ReadonlySet<string> = new Set([
    'the connection was lost', 'the text takes too long', 'a field is part of a form', '404', 'not found', 'no object', 'an example is a JSON object'
]);

describe('the texts of the web UI', () => {

    afterEach(() => setLanguage('en'));

    it('are there in all languages, with the same placeholders and forms, and none is empty', () => {

        const wrong = CATALOGUES.flatMap(([name, { en, ...others }]) => Object.entries(others).flatMap(([language, texts]) => [
            ...Object.keys({ ...en, ...texts }).filter((key) => !(key in en) || !(key in texts)).map((key) => `${name} ${language} ${key}: not in both`),
            ...Object.entries(texts).filter(([key, text]) => key in en && placeholdersOf(text) !== placeholdersOf(en[key] ?? ''))
                .map(([key, text]) => `${name} ${language} ${key}: ${placeholdersOf(text)} instead of ${placeholdersOf(en[key] ?? '')}`),
            ...Object.entries(texts).filter(([key, text]) => typeof text !== typeof en[key]).map(([key]) => `${name} ${language} ${key}: forms of a plural`),
            ...Object.entries({ ...en, ...texts }).filter(([, text]) => formsOf(text).some((form) => form.trim() === '')).map(([key]) => `${name} ${language} ${key}: empty`)
        ]));

        expect(CATALOGUES.length).to.be.above(30);
        expect(wrong).to.equal([]);
    });

    it('are translated: what is the same as in English is made of words that both languages have', () => {

        const wordsOf = (text: Text): readonly string[] => formsOf(text).flatMap((form) => form.replace(/\{\w+\}/g, '').match(/\p{L}{2,}/gu) ?? []);
        const isForeign = (text: Text, language: string): boolean => wordsOf(text).some((word) => SAME[language]?.has(word) !== true);
        const same = CATALOGUES.flatMap(([name, { en, ...others }]) => Object.entries(en).flatMap(([key, text]) => Object.entries(others)
            .filter(([language, texts]) => JSON.stringify(texts[key]) === JSON.stringify(text) && isForeign(text, language))
            .map(([language]) => `${name}: ${language} ${formsOf(text).join(' / ')}`)));

        expect(same).to.equal([]);
    });

    it('are all used', () => {

        const used = SOURCES.map(({ tree }) => tree.text).join('\n');
        const unused = CATALOGUES.flatMap(([name, { en }]) => Object.keys(en)
            .filter((key) => (used.match(new RegExp(`\\b${key}\\b`, 'g')) ?? []).length <= 3).map((key) => `${name} ${key}`));

        expect(unused).to.equal([]);
    });

    it('are not in the code: neither between tags, nor in attributes that are read to users, nor in errors', () => {

        const NAMES: ReadonlySet<string> = new Set(['OpenAPI', 'null', '/name', '&nbsp;']);
        const SPOKEN = /^(?:aria-label|title|alt|placeholder|label)$/;
        const left = SOURCES.flatMap(({ name, tree }) => [...nodesOf(tree)].flatMap((node) => {

            const text = Typescript.isJsxText(node) ? node.text :
                Typescript.isJsxAttribute(node) && SPOKEN.test(node.name.getText()) && node.initializer && Typescript.isStringLiteral(node.initializer) ? node.initializer.text : '';
            const thrown = Typescript.isNewExpression(node) && /Error$/.test(node.expression.getText()) ? node.arguments?.[0] : undefined;
            if (thrown && Typescript.isStringLiteralLike(thrown) && !INTERNAL.has(thrown.text)) {
                return [`${name}: ${thrown.text}`];
            }

            return /\p{L}{2}/u.test(text) && !NAMES.has(text.trim()) ? [`${name}: ${text.trim()}`] : [];
        }));

        expect(left).to.equal([]);
    });

    const TIME = Date.UTC(2026, 10, 22, 12, 5);
    const HOUR = 3_600_000;
    for (const [language, number, day, time, ago, size] of [
        ['en', '1,234,567.5', /^(?:Nov 22|22 Nov),? 2026$/, /2026.*\d\d?:05/, '2 hours ago', /^1\.5\sMB$/],
        ['de', '1.234.567,5', /^22\. Nov\.? 2026|22\.11\.2026$/, /2026.*\d\d?:05/, 'vor 2 Stunden', /^1,5\sMB$/],
        ['fr', '1\u202f234\u202f567,5', /^22 nov\. 2026$/, /2026.*\d\d?:05/, 'il y a 2 heures', /^1,5\sMo$/]
    ] as const) {
        it(`have numbers, sizes and times as they are written in ${language}`, () => {

            setLanguage(language);

            expect(formatNumber(1_234_567.5)).to.equal(number);
            expect(formatDay(TIME)).to.match(day);
            expect(formatTime(TIME)).to.match(time);
            expect(formatAgo(TIME, TIME + 2 * HOUR)).to.equal(ago);
            expect(formatBytes(1_500_000)).to.match(size);
        });
    }
});
