/** HTTP methods of a path. */

/** Formats the methods of a path for the header Allow. */
export function allowed(methods: readonly string[]): string {

    return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}
