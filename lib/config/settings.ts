/** The settings as a flat list, derived from the schema: for sources, messages and documentation. */

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
    /** Variable of Cordra's container that applies where the setting is not given, if there is one. */
    readonly cordraName: string | null;
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

/** What is read of joi's schemas. Their `describe()` has the same, but validates what it returns, which takes longer than all else here. */
interface Described {
    readonly $_getFlag: (name: string) => unknown;
    readonly $_terms: { readonly keys?: Iterable<Member> | null; readonly metas?: readonly Partial<SettingFacts>[] };
}

interface Member {
    readonly key: string;
    readonly schema: Described;
}

function readSettings(): Setting[] {

    return keysOf(configSchema).flatMap(([group, schema]) => keysOf(schema).map(([member, described]) => toSetting([group, member], described)));
}

function keysOf({ $_terms: { keys } }: Described): [string, Described][] {

    return [...keys ?? []].map(({ key, schema }) => [key, schema]);
}

function toSetting(path: readonly [string, string], schema: Described): Setting {

    const { metas } = schema.$_terms;
    const description = schema.$_getFlag('description');
    const { name, secret, file, maybeEmpty, cordraName } = metas?.[0] ?? {};
    if (name === undefined || typeof description !== 'string') {
        throw new Error(`the setting ${path.join('.')} has no name or no description`);
    }

    return {
        name, path, description, fallback: asText(schema.$_getFlag('default')), secret: secret ?? false, file: file ?? false, maybeEmpty: maybeEmpty ?? false,
        cordraName: cordraName ?? null
    };
}

function asText(fallback: unknown): string {

    if (Array.isArray(fallback)) {
        return fallback.length === 0 ? 'none' : fallback.join(', ');
    }

    return ['string', 'number', 'boolean'].includes(typeof fallback) ? String(fallback) : '';
}
