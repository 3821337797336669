'use strict';

/*
 * One tool checks habits, types, time and layers.
 *
 * - Habits: @hapi/eslint-plugin, for all files.
 * - Types: typescript-eslint with type information, for TypeScript files.
 * - Time: eslint-plugin-regexp, as expressions run on text from anybody and must be linear. What is allowed all the same says why
 *   beside it, and `test/lib/growth.ts` measures it.
 * - Layers: who may import whom, as the table LAYERS below. Logic that two folders want goes down a layer.
 *
 * lab asks this file for the settings of an imaginary `lib/x.js` when it measures coverage and gives them to Babel's
 * parser; that is why the settings of the TypeScript parser apply to `*.ts` alone.
 */

const HapiPlugin = require('@hapi/eslint-plugin');
const RegexpPlugin = require('eslint-plugin-regexp');
const TsEslint = require('typescript-eslint');

/**
 * Forbids import specifiers that match; `types: true` lets `import type` through. Such an entry must not overlap with a
 * strict one: the rule lets a type pass as soon as one matching entry does.
 */
const never = (regex, message, types = false) => ({ regex, message, allowTypeImports: types });

const NO_HTTP = never('^@hapi/(?!code$|lab$)', 'hapi is known to the translators and lib/server.ts alone');
const NO_BOOM = never('^@hapi/boom$', 'only translators/http/errors.ts turns errors into Boom objects');
const NO_SQL = never('^(knex|better-sqlite3|mysql2)(/|$)', 'SQL lives in db and lib/stores');
const NO_DB = never('(^|/)db/', 'only lib/stores and the composition roots open the database', true);
const NO_TRANSLATOR = never('(^|/)translators/', 'nothing in lib or db knows a protocol');
const NO_OPERATION = never('(^|/)operations/', 'operations are reached through gateway.perform() alone');
const SERVICES = '(objects|types|identity|search|bulk|scripting|handles|jobs|versions|payloads)';
const TRANSLATORS = ['rest', 'sessions', 'doip-http', 'doip-tcp'];

/** Who may not import what. Of the entries that match a file the last one counts, whole. */
const LAYERS = [
    {
        files: ['lib/*.ts'],
        forbid: [NO_HTTP, NO_SQL, never('(^|/)translators/(?!index\\.js)', 'translators are mounted by translators/index.ts')]
    },
    {
        files: ['lib/*/**/*.ts'],
        forbid: [NO_HTTP, NO_SQL, NO_DB, NO_TRANSLATOR, NO_OPERATION,
            never('(^|/)core/', 'services do not know the machinery that runs operations', true)]
    },
    {
        files: ['lib/server.ts', 'lib/index.ts', 'lib/server/**/*.ts'],
        forbid: [NO_BOOM, NO_SQL, never('(^|/)translators/(?!index\\.js)', 'translators are mounted by translators/index.ts')]
    },
    {
        files: ['lib/doip/*.ts'],
        forbid: [NO_HTTP, NO_SQL, never('^\\.\\./', 'the vocabulary imports nothing of ours')]
    },
    {
        files: ['lib/core/*.ts'],
        forbid: [NO_HTTP, NO_SQL, NO_TRANSLATOR, NO_OPERATION,
            never('^\\.\\./\\.\\./', 'the core imports lib/doip, and the types of services'),
            never('^\\.\\./(?!\\.\\./|doip/|identity/caller\\.js$)', 'the core imports lib/doip, and the types of services', true)]
    },
    {
        files: ['lib/operations/**/*.ts'],
        forbid: [NO_HTTP, NO_SQL, NO_DB, NO_TRANSLATOR,
            never('(^|/)stores/', 'operations ask services, not stores'),
            never('^\\./|^\\.\\./(?!\\.\\./)', 'an operation never imports another one: shared logic belongs to a service')]
    },
    {
        files: ['lib/operations/**/index.ts'],
        forbid: [NO_HTTP, NO_SQL, NO_DB, NO_TRANSLATOR]
    },
    {
        files: ['lib/stores/**/*.ts'],
        forbid: [NO_HTTP, NO_TRANSLATOR, NO_OPERATION,
            never(`^(\\.\\./)+${SERVICES}/`, 'stores do not know the services above them', true),
            never('(^|/)core/', 'stores do not know the machinery that runs operations')]
    },
    {
        files: ['db/**/*.ts'],
        forbid: [NO_HTTP, NO_TRANSLATOR,
            never('(^|/)lib/(?!doip/)', 'the database layer knows nothing of the service but types of lib/doip'),
            never('(^|/)lib/doip/', 'the database layer knows nothing of the service but types of lib/doip', true)]
    },
    {
        files: ['translators/**/*.ts'],
        forbid: [NO_BOOM, ...belowTranslators()]
    },
    {
        files: ['translators/http/**/*.ts'],
        forbid: [NO_BOOM, ...belowTranslators(), ...otherTranslators('http')]
    },
    {
        files: ['translators/http/errors.ts'],
        forbid: [...belowTranslators(), ...otherTranslators('http')]
    },
    ...TRANSLATORS.map((name) => ({
        files: [`translators/${name}/**/*.ts`],
        forbid: [NO_BOOM, ...belowTranslators(), ...otherTranslators(name)]
    }))
];

/** What no translator may see: it knows envelopes and one function, `perform`. */
function belowTranslators() {

    const message = 'a translator knows lib/doip and the type Gateway; what it wants is an operation';
    const inner = `(stores|operations|core|${SERVICES})/`;
    return [NO_SQL, never('(^|/)db/', message), never(`(^|/)lib/${inner}`, message),
        never(`(^|/)lib/(?!doip/|${inner})`, message, true)];
}

/** Translators never lean on each other; what they share is in translators/http. */
function otherTranslators(name) {

    const others = TRANSLATORS.filter((other) => other !== name).join('|');
    return [never(`^(\\.\\./)+(translators/)?(${others})/`, 'what two translators share belongs to translators/http')];
}

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
        files: ['**/*.ts'],
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
        files: ['lib/**/*.ts', 'translators/**/*.ts', 'db/**/*.ts'],
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
    ...LAYERS.map(({ files, forbid }) => ({
        files,
        rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: forbid }] }
    }))
);
