/** Links of Joi schemas (`Joi.link`), which Joi resolves at the first value only. */

import type Joi from 'joi';

/** A link, as Joi describes it. */
interface Link {
    readonly path: readonly string[];
    /** `local` for a link to an id. */
    readonly type?: string;
    /** Number of levels up, or `root`; absent for a link to an id. */
    readonly ancestor?: number | 'root';
}

/** A schema in the description of another one, and the key that it has there. */
interface Level {
    readonly key: string;
    readonly schema: Described;
}

type Described = Readonly<Record<string, unknown>>;

/** Returns the first link of a schema that leads nowhere, as it is written; undefined if there is none. */
export function danglingLink(schema: Joi.Schema): string | undefined {

    return danglingIn(schema.describe(), []);
}

/** @param above from the inside to the root */
function danglingIn(value: unknown, above: readonly Level[], key = ''): string | undefined {

    if (typeof value !== 'object' || value === null) {
        return undefined;
    }

    const described = value as Described;
    const levels = typeof described['type'] === 'string' ? [{ key, schema: described }, ...above] : above;
    const { ref } = (described['type'] === 'link' ? described['link'] ?? {} : {}) as { readonly ref?: Link };
    if (ref && !isResolved(ref, levels)) {
        return textOf(ref);
    }

    for (const [name, child] of Object.entries(described)) {
        const found = name === 'link' ? undefined : danglingIn(child, levels, name);
        if (found !== undefined) {
            return found;
        }
    }

    return undefined;
}

/** False only if no schema can be meant. */
function isResolved({ path, type, ancestor }: Link, levels: readonly Level[]): boolean {

    if (type === 'local') {
        return levels.some(({ key, schema }) => path[0] === key || hasId(schema, path[0]) || shared(schema).some((one) => hasId(one, path[0])));
    }

    if (ancestor === 'root') {
        return path[0] === undefined || has(levels.at(-1)?.schema, path[0]);
    }

    return ancestor === undefined || ancestor < levels.length;
}

function has(root: Described | undefined, name: string): boolean {

    const { keys } = (root ?? {}) as { readonly keys?: object };
    return root?.['type'] !== 'object' || (keys !== undefined && (Object.hasOwn(keys, name) || Object.values(keys).some((one) => hasId(one as Described, name))));
}

function hasId({ flags }: Described, id: string | undefined): boolean {

    return (flags as { readonly id?: string } | undefined)?.id === id;
}

function shared(schema: Described): readonly Described[] {

    return (schema['shared'] ?? []) as readonly Described[];
}

function textOf({ path, type, ancestor }: Link): string {

    const name = path.join('.');
    return type === 'local' ? `#${name}` : ancestor === 'root' ? `/${name}` : '.'.repeat(Number(ancestor) + 1) + name;
}
