/**
 * The settings one by one, read off the schema: for the sources, for messages and for documentation.
 */

import type Joi from 'joi';
import type { SettingFacts } from './schema.js';
import { configSchema } from './schema.js';

/** One setting. */
export interface Setting {
    readonly name: string;
    /** Where it ends up in the configuration, such as `['listen', 'port']`. */
    readonly path: readonly [group: string, member: string];
    readonly description: string;
    /** As text for people: `8080`, `*`, `none`, or empty when there is no default. */
    readonly fallback: string;
    readonly secret: boolean;
    /** True where the value is the path of a file that must be readable. */
    readonly file: boolean;
}

/** Name of the variable that holds the path of a secret. */
export function fileVariable(name: string): string {

    return `${name}_FILE`;
}

/** Every setting, in the order of the schema. Name, default and description are what the documentation shows. */
export function describeConfig(): readonly Setting[] {

    settings ??= readSettings();
    return settings;
}

/** The table of settings in Markdown, as it stands in docs/settings.md. */
export function configTable(): string {

    const rows = describeConfig().map(({ name, fallback, description, secret }) => {

        const text = secret ? `${description} Or \`${fileVariable(name)}\`, the path of a file that holds it.` : description;
        return `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${text.replaceAll('|', '\\|')} |`;
    });

    return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
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

    const { name, secret, file } = metas?.[0] ?? {};
    if (name === undefined || flags?.description === undefined) {
        throw new Error(`the setting ${path.join('.')} has no name or no description`);
    }

    return {
        name, path, description: flags.description, fallback: asText(flags.default), secret: secret ?? false, file: file ?? false
    };
}

function asText(fallback: unknown): string {

    if (Array.isArray(fallback)) {
        return fallback.length === 0 ? 'none' : fallback.join(', ');
    }

    return typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : '';
}
