/** The settings as a flat list, derived from the schema: for sources, messages and documentation. */

import type Joi from 'joi';
import type { SettingFacts } from './schema.js';
import { configSchema } from './schema.js';

/** One setting. */
export interface Setting {
    readonly name: string;
    /** Path in the configuration, such as `['listen', 'port']`. */
    readonly path: readonly [group: string, member: string];
    readonly description: string;
    /** Default value for display: `8080`, `*`, `none`, or empty without one. */
    readonly fallback: string;
    readonly secret: boolean;
    /** True for the path of a file that must be readable. */
    readonly file: boolean;
    /** True if an empty text is a value of its own. */
    readonly maybeEmpty: boolean;
}

/** Name of the variable with the path of a secret. */
export function fileVariable(name: string): string {

    return `${name}_FILE`;
}

/** All settings, in the order of the schema. */
export function describeConfig(): readonly Setting[] {

    settings ??= readSettings();
    return settings;
}

let settings: readonly Setting[] | undefined;

/** The part of joi's description that is used here. */
interface Described {
    readonly keys?: Readonly<Record<string, Described>>;
    readonly flags?: { readonly description?: string; readonly default?: unknown };
    readonly metas?: readonly Partial<SettingFacts>[];
}

function readSettings(): Setting[] {

    const root = describe(configSchema);
    return Object.entries(root.keys ?? {}).flatMap(([group, { keys }]) =>
        Object.entries(keys ?? {}).map(([member, described]) => toSetting([group, member], described)));
}

function describe(schema: Joi.Schema): Described {

    return schema.describe();
}

function toSetting(path: readonly [string, string], { flags, metas }: Described): Setting {

    const { name, secret, file, maybeEmpty } = metas?.[0] ?? {};
    if (name === undefined || flags?.description === undefined) {
        throw new Error(`the setting ${path.join('.')} has no name or no description`);
    }

    return {
        name, path, description: flags.description, fallback: asText(flags.default), secret: secret ?? false, file: file ?? false, maybeEmpty: maybeEmpty ?? false
    };
}

function asText(fallback: unknown): string {

    if (Array.isArray(fallback)) {
        return fallback.length === 0 ? 'none' : fallback.join(', ');
    }

    return ['string', 'number', 'boolean'].includes(typeof fallback) ? String(fallback) : '';
}
