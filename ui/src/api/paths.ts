/** Paths of the service. Nothing is imported, as the first script has them too. */

/** The path of an object: the slashes of its id stay, unless a URL would lose them. */
export function objectPath(id: string, base = '/objects'): string {

    const segments = id.split('/');
    const isPlain = segments.every((segment) => !/^\.{0,2}$/.test(segment));
    return `${base}/${isPlain ? segments.map(encodeURIComponent).join('/') : encodeURIComponent(id)}`;
}
