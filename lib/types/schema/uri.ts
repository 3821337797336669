/**
 * How schemas are called. The schema of a type stands at `file:/cordra/schemas/NAME`, also with `.schema.json` behind the
 * name, so that `NAME#/$defs/x`, `/cordra/schemas/NAME` and the full URI all lead to it from the schema of any other type.
 */

const TYPE_BASE = 'file:///cordra/schemas/';
const SUFFIX = '.schema.json';

/** The URI of the schema of a type. A name that is a URI already stays what it is. */
export function typeUri(name: string): string {

    return /^https?:/.test(name) ? name : TYPE_BASE + encodeURIComponent(name.toWellFormed());
}

/** A reference made absolute, without fragment; null when it is none. */
export function resolveUri(reference: string, base: string): string | null {

    const absolute = URL.canParse(reference, base) ? new URL(reference, base).href : null;
    return absolute === null ? null : absolute.split('#', 1)[0] ?? '';
}

/** The names of types that a reference may mean, as written and by its place among the types; best first. */
export function typeNamesOf(reference: string, base: string): string[] {

    const places = [resolveUri(reference, base), resolveUri(reference, TYPE_BASE)];
    const names = places.flatMap((uri) => (uri?.startsWith(TYPE_BASE) ? [decode(uri.slice(TYPE_BASE.length))] : []));
    return [...new Set([reference, ...names])].flatMap((name) => (name.endsWith(SUFFIX) ? [name, name.slice(0, -SUFFIX.length)] : [name]));
}

/** True when a reference can only mean something outside of this service. */
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
