/**
 * Routes by their paths. hapi validates the options of each of its routes, which takes a third of a millisecond at every start, so it has one
 * route for all methods of all paths with the same first segment; below an additional base, one for all paths.
 */

import type { Route } from './route.js';

/** The routes of a path by method, in lower case as in hapi's requests. */
export type Methods = ReadonlyMap<string, Route>;

/** What a path leads to. `methods` is null where there are routes, but none with a name after the path. */
export interface PathMatch {
    readonly methods: Methods | null;
    /** The rest of the path, decoded; empty if there is none. */
    readonly name: string;
}

/** Routes of a path, and of the path with a name after it; null where there are none with a name. */
interface PathRoutes {
    readonly own: Map<string, Route>;
    named: Map<string, Route> | null;
}

/** Routes for which hapi has one, or two where the path is that of the base. */
export interface PathGroup {
    /** Paths of hapi. */
    readonly patterns: readonly string[];
    readonly table: PathTable;
}

const NAMED = '/{name*}';

/** Routes by path. */
export class PathTable {

    readonly #paths = new Map<string, PathRoutes>();
    /** Segments of the longest path. */
    #depth = 0;

    constructor(routes: readonly Route[]) {

        for (const route of routes) {
            const path = ownPath(route);
            const found = this.#paths.get(path) ?? { own: new Map<string, Route>(), named: null };
            this.#paths.set(path, found);
            this.#depth = Math.max(this.#depth, segments(path).length);
            const methods = path === route.path ? found.own : found.named ??= new Map<string, Route>();
            route.methods.forEach((method) => methods.set(method.toLowerCase(), route));
        }

        for (const { own, named } of this.#paths.values()) {
            // The name may be empty.
            named?.forEach((route, method) => own.set(method, own.get(method) ?? route));
        }
    }

    /** Paths of hapi for these routes below a base: the only one of them, or their common beginning. */
    patterns(base: string, beginning: string): string[] {

        const [[path, only] = ['', null], ...others] = this.#paths;
        if (others.length > 0 || only === null || only.named || path !== beginning) {
            return [base + beginning + NAMED];
        }

        // A name would take single segments from those who have all paths of the base.
        return path !== '' ? [`${base}${path}/{name?}`] : base === '' ? ['/'] : [base, `${base}/`];
    }

    /**
     * Finds the routes of a path of which hapi has checked the percent-encoding; a slash at the end makes no difference. Null where there
     * are none.
     */
    match(path: string): PathMatch | null {

        for (let end = endOf(path, this.#depth); end >= 0; end = path.lastIndexOf('/', end - 1)) {
            const found = this.#paths.get(path.slice(0, end));
            if (found) {
                const name = decodeURIComponent(path.slice(end + 1));
                return { methods: name === '' ? found.own : found.named, name };
            }

            if (end === 0) {
                break;
            }
        }

        return null;
    }
}

/** Divides routes below a base into those of hapi: by their first segment, or, where `isOne`, not at all. */
export function pathGroups(routes: readonly Route[], base: string, isOne: boolean): PathGroup[] {

    const groups = new Map<string, Route[]>();
    for (const route of routes) {
        const [first] = segments(ownPath(route));
        const beginning = isOne || first === undefined ? '' : `/${first}`;
        groups.set(beginning, [...groups.get(beginning) ?? [], route]);
    }

    return [...groups].map(([beginning, members]) => {

        const table = new PathTable(members);
        return { patterns: table.patterns(base, beginning), table };
    });
}

function ownPath({ path }: Route): string {

    return path.endsWith(NAMED) ? path.slice(0, -NAMED.length) : path;
}

/** Where the first segments of a path end, up to a number of them. */
function endOf(path: string, count: number): number {

    let end = 0;
    for (let i = 0; i < count && end < path.length; ++i) {
        const slash = path.indexOf('/', end + 1);
        end = slash === -1 ? path.length : slash;
    }

    return end;
}

function segments(path: string): string[] {

    return path === '' ? [] : path.slice(1).split('/');
}
