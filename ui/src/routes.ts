/**
 * Addresses in the fragment, so that one page serves all of them below any base, and bookmarks of Cordra's user interface keep working:
 * `#objects/<id>`, `#objects/?query=…`, `#create/<Type>`, `#schemas/<Type>`. The rest of the state of a screen is in parameters after a
 * question mark.
 */

/** A place in the user interface. */
export interface Route {
    readonly screen: 'home' | 'search' | 'object' | 'create' | 'types' | 'type' | 'admin' | 'callback' | 'unknown';
    /** Id of the object, name of the type, or section of the administration; empty for others. */
    readonly name: string;
    readonly params: URLSearchParams;
}

/** Sections of the administration by the fragments of Cordra. */
const CORDRA_SECTIONS: Readonly<Record<string, string>> = {
    design: 'design', ui: 'design', authorization: 'rights', handleRecords: 'handles', handlerecords: 'handles', security: 'account',
    designJavaScript: 'design', networkAndSecurity: 'account'
};

/** Reads a fragment, with or without its `#`. Never throws: what it does not know is `unknown`. */
export function parseRoute(fragment: string): Route {

    const text = fragment.replace(/^#\/?/, '');
    const [path = '', query = ''] = splitOnce(text, '?');
    const params = new URLSearchParams(query);
    const [head, rest] = splitOnce(path, '/');
    const name = decoded(rest ?? '');
    switch (head) {
        case '': {
            return { screen: 'home', name: '', params };
        }

        case 'objects': {
            return { screen: name === '' ? 'search' : 'object', name, params };
        }

        case 'create': {
            return { screen: name === '' ? 'unknown' : 'create', name, params };
        }

        case 'schemas': {
            return { screen: name === '' ? 'types' : 'type', name, params };
        }

        case 'admin': {
            return { screen: 'admin', name, params };
        }

        case 'callback': {
            return { screen: 'callback', name, params };
        }

        default: {
            const section = Object.hasOwn(CORDRA_SECTIONS, head) ? CORDRA_SECTIONS[head] : undefined;
            return section === undefined ? { screen: 'unknown', name: text, params } : { screen: 'admin', name: section, params };
        }
    }
}

/** Splits at the first separator; the second part is undefined where there is none. */
function splitOnce(text: string, separator: string): [string, string?] {

    const at = text.indexOf(separator);
    return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Decodes percent signs; text that is not encoded is as it is. */
export function decoded(text: string): string {

    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}

/** Characters of an id that would end it, or be decoded. */
function encodeName(name: string): string {

    return name.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':').replaceAll('%40', '@');
}

type ParamValue = string | number | boolean | readonly string[] | undefined;

/** Parameters of an address; empty ones are left out. */
export function paramText(params: Readonly<Record<string, ParamValue>> = {}): string {

    const pairs = Object.entries(params).flatMap(([name, value]) => {

        const values = Array.isArray(value) ? value as readonly string[] : [value as string | number | boolean | undefined];
        return values.filter((each) => each !== undefined && each !== '' && each !== false).map((each): [string, string] => [name, String(each)]);
    });
    const text = new URLSearchParams(pairs).toString();
    return text === '' ? '' : `?${text}`;
}

/** Addresses of the screens. */
export const to = {
    home: '#',
    search: (params: Readonly<Record<string, ParamValue>> = {}) => `#objects/${paramText(params)}`,
    object: (id: string, params: Readonly<Record<string, ParamValue>> = {}) => `#objects/${encodeName(id)}${paramText(params)}`,
    create: (type: string, params: Readonly<Record<string, ParamValue>> = {}) => `#create/${encodeName(type)}${paramText(params)}`,
    types: '#schemas',
    type: (name: string, params: Readonly<Record<string, ParamValue>> = {}) => `#schemas/${encodeName(name)}${paramText(params)}`,
    admin: (section = '') => (section === '' ? '#admin' : `#admin/${section}`)
};
