/**
 * Measures the structure of the code base: cycles, sizes of folders, words in names, whether paths and mechanisms are found where a
 * newcomer looks for them. `npm run structure` prints the figures and fails when one is worse than wanted.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import Ts from 'typescript';
import { ROOT } from './doc-pages.js';
import type { ForbiddenWord } from './structure-words.js';
import { FORBIDDEN_WORDS, MAX_FORBIDDEN_VARIABLES, MIN_STANDARD_TERMS, STANDARD_TERMS, WHOLE } from './structure-words.js';

/** Texts of files by their paths from the root, with slashes. */
export type SourceTree = ReadonlyMap<string, string>;

/** What was measured, in words, and what of it is worse than wanted. */
export interface Figure {
    readonly title: string;
    readonly value: string;
    readonly violations: readonly string[];
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const FOLDERS = ['lib', 'translators', 'db'];

const MAX_FILES_PER_FOLDER = 20;
const MAX_README_BYTES = 8192;
const MIN_PATHS_FOUND = 21;

/** The rows of the REST and HTTP interface: the word that a newcomer looks for, and its paths. */
const INTERFACE: readonly (readonly [name: string, ...paths: string[]])[] = [
    ['objects', '/objects'], ['search', '/search'], ['acls', '/acls'], ['call', '/call'], ['listMethods', '/listMethods'],
    ['batchUpload', '/batchUpload'], ['auth', '/auth/token', '/auth/introspect', '/auth/revoke'], ['check-credentials', '/check-credentials'],
    ['users', '/users/this/password'], ['adminPassword', '/adminPassword'], ['schemas', '/schemas'], ['uploadObjects', '/uploadObjects'],
    ['updateHandles', '/updateHandles'], ['reindexBatch', '/reindexBatch'], ['startupStatus', '/startupStatus'], ['design', '/design', '/initData'],
    ['versions', '/versions'], ['relationships', '/relationships'], ['handles', '/api/handles', '/hdl'], ['sessions', '/sessions'], ['doip', '/doip']
];

/** All TypeScript files of the product. */
export function readTree(): SourceTree {

    const names = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`));
    return new Map(names.filter((path) => path.endsWith('.ts')).sort().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

/** All figures of a tree; `readme` is the text of README.md. */
export function measure(tree: SourceTree, readme: string): readonly Figure[] {

    return [
        fileCycles(tree), folderCycles(tree), moduleCycles(tree), folderSizes(tree), forbiddenPaths(tree), forbiddenIdentifiers(tree), forbiddenVariables(tree),
        pathsFound(tree), termsFound(tree), readmeSize(readme)
    ];
}

/** Cycles of files, imports of types included. */
export function fileCycles(tree: SourceTree): Figure {

    return cycleFigure('cycles of files', importGraph(tree, (path) => path));
}

/** Cycles of folders, each with the files that are directly in it. */
export function folderCycles(tree: SourceTree): Figure {

    return cycleFigure('cycles of folders', importGraph(tree, (path) => posix.dirname(path)));
}

/** Cycles of the folders below `lib` and `translators`, each as a whole, and `db`. */
export function moduleCycles(tree: SourceTree): Figure {

    return cycleFigure('cycles of modules', importGraph(tree, moduleOf));
}

export function folderSizes(tree: SourceTree): Figure {

    const counts = new Map<string, number>();
    for (const path of tree.keys()) {
        const folder = posix.dirname(path);
        counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }

    const [largest = ['none', 0]] = [...counts].sort(([, a], [, b]) => b - a);
    return {
        title: 'files per folder',
        value: `${tree.size} in ${counts.size}, average ${(tree.size / Math.max(1, counts.size)).toFixed(1)}, largest ${largest[1]} (${largest[0]})`,
        violations: [...counts].filter(([, count]) => count > MAX_FILES_PER_FOLDER).map(([folder, count]) => `${folder}: ${count} files`)
    };
}

export function forbiddenPaths(tree: SourceTree): Figure {

    const parts = new Set([...tree.keys()].flatMap((path) => path.replace(/(\.d)?\.ts$/, '').split('/')));
    const violations = [...parts].flatMap((name) => forbiddenWordsIn(name));
    return { title: 'forbidden words in names of files and folders', value: `${violations.length}`, violations };
}

/** Names of classes, interfaces, types, functions, methods and constants of modules. */
export function forbiddenIdentifiers(tree: SourceTree): Figure {

    const found = violationsIn(tree, declaresName, FORBIDDEN_WORDS);
    return { title: 'forbidden words in declared names', value: `${found.length}`, violations: found };
}

/** Variables, parameters and properties. Forms that match a whole name only do not count, as such a name may be right for a variable. */
export function forbiddenVariables(tree: SourceTree, max = MAX_FORBIDDEN_VARIABLES): Figure {

    const words = FORBIDDEN_WORDS.map((entry) => ({ ...entry, forms: entry.forms.filter((form) => !form.startsWith(WHOLE)) }));
    const found = violationsIn(tree, declaresVariable, words);
    return { title: 'forbidden words in names of variables', value: `${found.length} (at most ${max})`, violations: found.length > max ? found : [] };
}

/** How many rows of the interface are found at the first guess: in the file of their name, which declares the paths. */
export function pathsFound(tree: SourceTree, min = MIN_PATHS_FOUND): Figure {

    const missing = INTERFACE.filter(([name, ...paths]) => {

        const text = [...tree].filter(([path]) => isGuess(path, kebab(name))).map(([, content]) => content).join('\n');
        return paths.some((path) => !new RegExp(`['"\`]${path}['"\`/{]`).test(text));
    });
    return {
        title: 'paths found at the first guess',
        value: `${INTERFACE.length - missing.length} of ${INTERFACE.length}`,
        violations: INTERFACE.length - missing.length < min ? missing.map(([name]) => `/${kebab(name)}: not in translators/rest/${kebab(name)}.ts`) : []
    };
}

/** How many standard terms an engineer finds by searching the text of all files. */
export function termsFound(tree: SourceTree, min = MIN_STANDARD_TERMS): Figure {

    const texts = [...tree.values()].map((text) => ` ${wordsOf(text).join(' ')}`);
    const counts = STANDARD_TERMS.map((terms) => [terms[0] ?? '', texts.filter((text) => terms.some((term) => text.includes(` ${term}`))).length] as const);
    const missing = counts.filter(([, count]) => count === 0);
    return {
        title: 'standard terms found',
        value: `${counts.length - missing.length} of ${counts.length}: ${counts.map(([term, count]) => `${term} ${count}`).join(', ')}`,
        violations: counts.length - missing.length < min ? missing.map(([term]) => `no file has the words: ${term}`) : []
    };
}

export function readmeSize(text: string): Figure {

    const bytes = Buffer.byteLength(text);
    return { title: 'README', value: `${bytes} bytes`, violations: bytes > MAX_README_BYTES ? [`README.md has more than ${MAX_README_BYTES} bytes`] : [] };
}

/** The forbidden words of a name, with what to use instead. */
export function forbiddenWordsIn(name: string, words: readonly ForbiddenWord[] = FORBIDDEN_WORDS): readonly string[] {

    const isConstant = /^[A-Z][A-Z0-9_]*$/.test(name);
    const parts = wordsOf(name).join('-');
    return words.filter(({ forms, allowed }) => !allowed.includes(name) && forms.some((form) => hasForm(parts, form, isConstant)))
        .map(({ forms, standard }) => `${name} (${forms[0]?.replace(WHOLE, '') ?? ''}): use ${standard}`);
}

function hasForm(parts: string, form: string, isConstant: boolean): boolean {

    if (form.startsWith(WHOLE)) {
        return parts === form.slice(WHOLE.length);
    }

    const isForConstants = form === form.toUpperCase();
    return (!isForConstants || isConstant) && `-${parts}-`.includes(`-${form.toLowerCase()}-`);
}

/** The words of a text or name, in lower case: `LruCache`, `lru-cache` and `LRU cache` have the same. */
function wordsOf(text: string): readonly string[] {

    return text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2').toLowerCase().split(/[^a-z0-9]+/).filter((part) => part !== '');
}

function kebab(name: string): string {

    return wordsOf(name).join('-');
}

function isGuess(path: string, name: string): boolean {

    return path === `translators/rest/${name}.ts` || path.startsWith(`translators/${name}/`) || path.startsWith(`translators/${name}-http/`);
}

/** `lib/search/query/parser.ts` → `lib/search`, `lib/server.ts` → `lib`, all of db → `db`. */
function moduleOf(path: string): string {

    const [top = '', module, ...rest] = path.split('/');
    return top === 'db' || module === undefined || rest.length === 0 ? top : `${top}/${module}`;
}

/** What imports what, by the groups that `groupOf` makes of paths. Imports within a group do not count, files that are not there neither. */
function importGraph(tree: SourceTree, groupOf: (path: string) => string): Graph {

    const graph = new Map<string, Set<string>>();
    for (const [path, text] of tree) {
        const from = groupOf(path);
        const targets = graph.get(from) ?? new Set();
        graph.set(from, targets);
        for (const { fileName } of Ts.preProcessFile(text, true, true).importedFiles) {
            const target = posix.join(posix.dirname(path), fileName).replace(/\.js$/, '.ts');
            if (fileName.startsWith('.') && tree.has(target) && groupOf(target) !== from) {
                targets.add(groupOf(target));
            }
        }
    }

    return graph;
}

function cycleFigure(title: string, graph: Graph): Figure {

    const violations = cycles(graph).map((members) => members.join(', '));
    return { title, value: `${violations.length}`, violations };
}

/** The strongly connected components of more than one node, by Tarjan's algorithm. */
function cycles(graph: Graph): readonly (readonly string[])[] {

    const indexes = new Map<string, number>();
    const stack: string[] = [];
    const found: string[][] = [];

    function visit(node: string): number {

        const index = indexes.size;
        let low = index;
        indexes.set(node, index);
        stack.push(node);
        for (const next of graph.get(node) ?? []) {
            if (!indexes.has(next)) {
                low = Math.min(low, visit(next));
            }
            else if (stack.includes(next)) {
                low = Math.min(low, indexes.get(next)!);
            }
        }

        if (low === index) {
            const component = stack.splice(stack.indexOf(node));
            if (component.length > 1) {
                found.push(component.sort());
            }
        }

        return low;
    }

    for (const node of graph.keys()) {
        if (!indexes.has(node)) {
            visit(node);
        }
    }

    return found;
}

type DeclarationTest = (node: Ts.Node, file: Ts.SourceFile) => node is Ts.Node & { readonly name: Ts.Node };

function violationsIn(tree: SourceTree, isDeclaration: DeclarationTest, words: readonly ForbiddenWord[]): readonly string[] {

    return [...tree].flatMap(([path, text]) =>
        namesIn(path, text, isDeclaration).flatMap((name) => forbiddenWordsIn(name, words).map((violation) => `${path}: ${violation}`)));
}

/** Names of the declarations of a file that pass a test. */
function namesIn(path: string, text: string, isDeclaration: DeclarationTest): readonly string[] {

    const file = Ts.createSourceFile(path, text, Ts.ScriptTarget.Latest, true);
    const names: string[] = [];

    function visit(node: Ts.Node): void {

        if (isDeclaration(node, file)) {
            names.push(node.name.getText(file).replace(/^#/, ''));
        }

        Ts.forEachChild(node, visit);
    }

    visit(file);
    return names;
}

/** Classes, interfaces, types, functions and methods, and the variables of the module itself. */
function declaresName(node: Ts.Node, file: Ts.SourceFile): node is Ts.Node & { readonly name: Ts.Node } {

    const isNamed = Ts.isClassDeclaration(node) || Ts.isInterfaceDeclaration(node) || Ts.isTypeAliasDeclaration(node) || Ts.isFunctionDeclaration(node) ||
        Ts.isMethodDeclaration(node) || Ts.isMethodSignature(node);
    return isNamed ? node.name !== undefined : Ts.isVariableDeclaration(node) && Ts.isIdentifier(node.name) && isOfModule(node, file);
}

/** Variables of functions, parameters, and properties of classes and interfaces. */
function declaresVariable(node: Ts.Node, file: Ts.SourceFile): node is Ts.Node & { readonly name: Ts.Node } {

    const isDeclared = Ts.isParameter(node) || Ts.isBindingElement(node) || Ts.isVariableDeclaration(node) && !isOfModule(node, file) ||
        Ts.isPropertySignature(node) || Ts.isPropertyDeclaration(node) || Ts.isGetAccessor(node) || Ts.isSetAccessor(node);
    return isDeclared && (Ts.isIdentifier(node.name) || Ts.isPrivateIdentifier(node.name));
}

function isOfModule(node: Ts.VariableDeclaration, file: Ts.SourceFile): boolean {

    return node.parent.parent.parent === file;
}

function main(): void {

    const figures = measure(readTree(), readFileSync(join(ROOT, 'README.md'), 'utf8'));
    for (const { title, value, violations } of figures) {
        console.log(`${violations.length === 0 ? 'ok  ' : 'BAD '} ${title}: ${value}`);
        violations.forEach((violation) => console.log(`       ${violation}`));
    }

    process.exitCode = figures.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

if (require.main === module) {
    main();
}
