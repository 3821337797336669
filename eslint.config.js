'use strict';

/*
 * One tool checks habits, types, time and layers.
 *
 * - Habits: @hapi/eslint-plugin, for all files.
 * - Types: typescript-eslint with type information, for TypeScript files.
 * - Time: eslint-plugin-regexp, as expressions run on text from anybody and must be linear. What is allowed all the same says why
 *   beside it, and `test/lib/growth.ts` measures it.
 * - Log: each line has an `event` name and a constant message.
 * - Layers: who may import whom, as the tables LAYERS and PACKAGES below. Logic that two folders want goes up to a layer before both.
 *
 * lab asks this file for the settings of an imaginary `lib/x.js` when it measures coverage and gives them to Babel's
 * parser; that is why the settings of the TypeScript parser apply to `*.ts` alone.
 */

const Path = require('node:path');
const HapiPlugin = require('@hapi/eslint-plugin');
const RegexpPlugin = require('eslint-plugin-regexp');
const TsEslint = require('typescript-eslint');

/** Forbids import specifiers that match. */
const never = (regex, message) => ({ regex, message });

/** One kind of private members, whose names do not exist outside of the class. */
const NO_PRIVATE_KEYWORD = ['PropertyDefinition', 'MethodDefinition:not([kind="constructor"])', 'TSParameterProperty'].map((node) => ({
    selector: `${node}[accessibility="private"]`, message: 'private members are written #name'
}));

const NO_HTTP = never('^@hapi/(?!code$|lab$)', 'hapi is known to translators, lib/http-server and lib/server.ts alone');
const NO_BOOM = never('^@hapi/boom$', 'only translators/http/response/errors.ts makes Boom errors');
const NO_SQL = never('^(knex|better-sqlite3|mysql2)(/|$)', 'SQL lives in db and lib/stores');

/** Which packages a file may not import. Of the entries that match a file the last one counts, whole. */
const PACKAGES = [
    { files: ['lib/**/*.ts'], forbid: [NO_HTTP, NO_SQL] },
    { files: ['lib/stores/**/*.ts'], forbid: [NO_HTTP] },
    { files: ['db/**/*.ts'], forbid: [NO_HTTP] },
    { files: ['lib/server.ts', 'lib/run.ts', 'lib/index.ts', 'lib/http-server/**/*.ts'], forbid: [NO_BOOM, NO_SQL] },
    { files: ['lib/client/web/**/*.ts'], forbid: [never('^[^.]', 'the client for browsers has no dependencies, nor modules of node')] },
    { files: ['translators/**/*.ts'], forbid: [NO_BOOM, NO_SQL] },
    { files: ['translators/http/response/errors.ts'], forbid: [NO_SQL] },
    { files: ['ui/**/*.ts', 'ui/**/*.tsx'], forbid: [never('^(node:|@hapi/|knex|joi|ajv)', 'the web UI runs in browsers')] }
];

/**
 * The order of layers: a file imports from its own folder, its own layer or layers above it in this list. Type imports count, too.
 * `values` narrows what a layer imports at run time; `never` what it does not import at all; `apart`: its folders do not import
 * each other.
 */
const LAYERS = [
    { folders: ['lib/errors'] },
    { folders: ['lib/util'] },
    { folders: ['lib/json'] },
    { folders: ['lib/doip'] },
    { folders: ['db'], only: ['db'] },
    { folders: ['lib/model'] },
    { folders: ['lib/stores'] },
    { folders: ['lib/health', 'lib/config', 'lib/logging', 'lib/jobs'] },
    { folders: ['lib/types'], values: without('db') },
    { folders: ['lib/identity'], values: without('db') },
    { folders: ['lib/audit'], values: without('db') },
    { folders: ['lib/objects'], values: without('db') },
    { folders: ['lib/versions', 'lib/payloads', 'lib/search'], values: without('db') },
    { folders: ['lib/relationships'], values: without('db') },
    { folders: ['lib/scripting'], values: without('db') },
    { folders: ['lib/handles'], values: without('db') },
    { folders: ['lib/bulk'], values: without('db') },
    { folders: ['lib/core'], values: ['lib/util', 'lib/errors', 'lib/json', 'lib/doip', 'lib/model'], never: ['db'] },
    { folders: ['lib/operations'], never: ['db', 'lib/stores'], apart: true },
    { folders: ['lib/metrics', 'lib/tracing'], values: ['lib/util'] },
    { folders: ['lib/app'] },
    { folders: ['lib/backup'] },
    {
        folders: ['translators'], apart: true, shared: ['translators/http'],
        only: ['translators', 'lib/util', 'lib/errors', 'lib/json', 'lib/doip', 'lib/app/gateway'],
        values: ['lib/util', 'lib/errors', 'lib/json', 'lib/doip']
    },
    { folders: ['lib/client/web'], only: ['lib/client/web', 'lib/util'], values: [] },
    { folders: ['lib/client'], only: ['lib/client', 'lib/util', 'lib/errors', 'lib/json', 'lib/doip', 'translators/http'] },
    { folders: ['lib/http-server', 'lib/doip-server', 'lib/cluster'], values: without('db') },
    { folders: ['ui'], only: ['ui', 'lib/client/web', 'lib/util'], values: ['lib/client/web'] },
    { folders: ['lib'], flat: true },
    { folders: ['lib/cli'] }
];

function without(...folders) {

    return { except: folders };
}

const isInAny = (file, folders) => folders.some((folder) => file === folder || file.startsWith(`${folder}/`) || file.startsWith(`${folder}.`));

/** The index of the layer of a file; -1 for files of no layer. */
function layerOf(file) {

    const flat = LAYERS.findIndex((layer) => layer.flat && layer.folders.includes(Path.posix.dirname(file)));
    return flat !== -1 ? flat : LAYERS.findIndex((layer) => !layer.flat && isInAny(file, layer.folders));
}

/** What is wrong with an import; undefined when nothing is. */
function wrongImport(file, target, isType) {

    const [from, to] = [layerOf(file), layerOf(target)];
    if (from === -1 || to === -1) {
        return undefined;
    }

    const { only, never: none = [], values, apart, shared = [], folders: [home] } = LAYERS[from];
    if (to > from) {
        return `${target} is of a later layer than ${file}`;
    }

    if (only && !isInAny(target, only) || isInAny(target, none)) {
        return `files like ${file} do not import from ${LAYERS[to].folders.join(', ')}`;
    }

    const isValueAllowed = !values || to === from || (values.except ? !isInAny(target, values.except) : isInAny(target, values));
    if (!isType && !isValueAllowed) {
        return `files like ${file} import only types from ${LAYERS[to].folders.join(', ')}`;
    }

    const unit = (path) => path.split('/').slice(0, home.split('/').length + 1).join('/');
    const isIndex = Path.posix.dirname(file) === home;
    return apart && to === from && !isIndex && !isInAny(target, shared) && (home === 'lib/operations' ? target !== file : unit(target) !== unit(file)) ?
        `${file} and ${target} share code in a layer before theirs` : undefined;
}

/** The rule for LAYERS. */
const layers = {
    meta: { type: 'problem', schema: [] },
    create(context) {

        const file = Path.relative(__dirname, context.filename).split(Path.sep).join('/');
        const check = (node) => {

            const specifier = node.source?.value;
            if (typeof specifier === 'string' && specifier.startsWith('.')) {
                const target = Path.posix.join(Path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
                const message = wrongImport(file, target, (node.importKind ?? node.exportKind) === 'type');
                message && context.report({ node, message });
            }
        };

        return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
    }
};

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** Each line of the log has an `event` to search for, and a message that does not change with what happened. */
const logEvents = {
    meta: { type: 'problem', schema: [] },
    create(context) {

        const isConstant = (message) => message?.type === 'Literal' || message?.type === 'Identifier' || message?.type === 'ConditionalExpression';
        const nameOf = ({ type, name, property }) => (type === 'MemberExpression' ? property.name : name) ?? '';
        const isLog = (object) => /^(log|logger|access)$/.test(nameOf(object.type === 'CallExpression' ? object.callee : object));
        const isLevel = ({ property, computed }) => computed || LOG_LEVELS.includes(property.name);
        const isLogCall = (callee) => callee.type === 'MemberExpression' && isLog(callee.object) && isLevel(callee);
        return {
            CallExpression(node) {

                if (!isLogCall(node.callee)) {
                    return;
                }

                const [fields, message] = node.arguments;
                if (fields?.type !== 'ObjectExpression' || !fields.properties.some(({ key }) => key?.name === 'event')) {
                    context.report({ node, message: 'a line of the log has a field named event' });
                }

                if (!isConstant(message)) {
                    context.report({ node, message: 'the message of a log line does not vary: what varies is a field' });
                }
            }
        };
    }
};

/** Rules of the hapi configuration that TypeScript covers or that misread its syntax. */
const COVERED_BY_TYPESCRIPT = Object.fromEntries([
    'strict', 'no-undef', 'no-unused-vars', 'no-shadow', 'no-redeclare', 'dot-notation', 'no-dupe-class-members', 'func-style',
    'require-await', 'no-loop-func', '@hapi/capitalize-modules', '@hapi/scope-start', '@hapi/for-loop',
    '@typescript-eslint/require-await'
].map((rule) => [rule, 'off']));

module.exports = TsEslint.config(
    { ignores: ['dist/**', 'data/**', 'coverage/**'] },
    { linterOptions: { reportUnusedDisableDirectives: 'error' } },
    ...HapiPlugin.configs.recommended,
    {
        files: ['**/*.js'],
        languageOptions: { sourceType: 'commonjs', parserOptions: { requireConfigFile: false } },
        rules: { 'func-style': 'off' }
    },
    {
        files: ['**/*.mjs'],
        languageOptions: { sourceType: 'module', ecmaVersion: 2023 },
        rules: { strict: 'off', 'func-style': 'off' }
    },
    {
        files: ['**/*.ts', '**/*.tsx'],
        extends: [TsEslint.configs.recommendedTypeChecked],
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
        rules: {
            ...COVERED_BY_TYPESCRIPT,
            '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
            '@typescript-eslint/no-non-null-assertion': 'error',
            '@typescript-eslint/no-unused-vars': ['error', { args: 'none', caughtErrors: 'none', ignoreRestSiblings: true }],
            '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
            'max-len': ['warn', { code: 160, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreUrls: true, ignoreRegExpLiterals: true }],
            'max-lines': ['warn', { max: 400 }]
        }
    },
    {
        files: ['lib/**/*.ts', 'translators/**/*.ts', 'db/**/*.ts', 'ui/**/*.ts', 'ui/**/*.tsx'],
        plugins: { regexp: RegexpPlugin },
        rules: {
            'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
            'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }]
        }
    },
    {
        files: ['test/**/*.ts'],
        rules: { 'max-lines': ['warn', { max: 400 }], '@typescript-eslint/no-non-null-assertion': 'off' }
    },
    {
        files: ['lib/**/*.ts', 'translators/**/*.ts', 'db/**/*.ts', 'ui/**/*.ts', 'ui/**/*.tsx'],
        plugins: { house: { rules: { layers, 'log-events': logEvents } } },
        rules: { 'house/layers': 'error', 'house/log-events': 'error', 'no-restricted-syntax': ['error', ...NO_PRIVATE_KEYWORD] }
    },
    {
        // Custom operations get an object derived from the context, in which #names are not found.
        files: ['lib/core/context.ts'],
        rules: { 'no-restricted-syntax': 'off' }
    },
    ...PACKAGES.map(({ files, forbid }) => ({
        files,
        rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: forbid }] }
    }))
);
