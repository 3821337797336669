/**
 * URIs of schemas. The schema of a type has the URI `file:/cordra/schemas/NAME`, also with the suffix `.schema.json`, so that
 * `NAME#/$defs/x`, `/cordra/schemas/NAME` and the full URI all refer to it from the schema of any other type.
 */

const TYPE_BASE = 'file:///cordra/schemas/';
const SUFFIX = '.schema.json';

/** Returns the URI of the schema of a type. A name that is an http(s) URI is returned unchanged. */
export function typeUri(name: string): string {

    return /^https?:/.test(name) ? name : TYPE_BASE + encodeURIComponent(name.toWellFormed());
}

/** Returns a reference as an absolute URI without fragment; null if it is not a valid URI reference. */
export function resolveUri(reference: string, base: string): string | null {

    const absolute = URL.canParse(reference, base) ? new URL(reference, base).href : null;
    return absolute === null ? null : absolute.split('#', 1)[0] ?? '';
}

/**
 * Returns the names of types that a reference may mean, best match first: the reference as written, then relative to its base,
 * then to the base URI of types.
 */
export function typeNamesOf(reference: string, base: string): string[] {

    const candidates = [resolveUri(reference, base), resolveUri(reference, TYPE_BASE)];
    const names = candidates.flatMap((uri) => (uri?.startsWith(TYPE_BASE) ? [decode(uri.slice(TYPE_BASE.length))] : []));
    return [...new Set([reference, ...names])].flatMap((name) => (name.endsWith(SUFFIX) ? [name, name.slice(0, -SUFFIX.length)] : [name]));
}

/**
 * Returns the names and URIs under which the schema that a reference means may be found, best match first: its URI, then the names of types. The URIs of
 * types come last, as an id in the schema of another type must not take over the name of a type.
 */
export function lookupNamesOf(reference: string, base: string): string[] {

    const absolute = resolveUri(reference, base);
    const names = [...new Set([...(absolute === null ? [] : [absolute]), ...typeNamesOf(reference, base)])];
    const isOfType = (name: string): boolean => name.startsWith(TYPE_BASE);
    return [...names.filter((name) => !isOfType(name)), ...names.filter(isOfType)];
}

/** True if a reference can only refer to a schema outside of this service. */
export function isRemote(reference: string): boolean {

    return /^[A-Za-z][A-Za-z0-9+.-]*:|^\/\//.test(reference) && !/^file:(?:\/\/)?\/cordra\/schemas\//.test(reference);
}

function decode(text: string): string {

    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}
