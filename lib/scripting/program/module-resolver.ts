/**
 * Module resolution by the rules of Node.js: relative and absolute paths with or without `.js`, `.json` or `/index.js`; other
 * names in the `node_modules` folders from the requiring module upwards.
 */

import type { ScriptModule, Program } from '../protocol/program.js';

const MAX_LENGTH = 1024;

/** Endings that are tried in this order. */
export const MODULE_ENDINGS = ['', '.js', '.json', '/index.js', '/index.json'] as const;

/** Resolves a specifier in a module; undefined if there is no such module. */
export function resolveModule(program: Program, from: string, specifier: string): { name: string; module: ScriptModule } | undefined {

    if (specifier.length > MAX_LENGTH) {
        return undefined;
    }

    for (const path of candidates(from, specifier)) {
        for (const ending of MODULE_ENDINGS) {
            const name = path + ending;
            const module = program.find(name);
            if (module) {
                return { name, module };
            }
        }
    }

    return undefined;
}

function candidates(from: string, specifier: string): string[] {

    const folder = from.slice(0, from.lastIndexOf('/'));
    if (specifier.startsWith('/')) {
        return [normalized(specifier)];
    }

    if (/^\.\.?(\/|$)/.test(specifier)) {
        return [normalized(`${folder}/${specifier}`)];
    }

    const folders = folder.split('/');
    const upwards = folders.map((_name, index) => folders.slice(0, folders.length - index).join('/'));
    return upwards.filter((path) => !path.endsWith('/node_modules')).map((path) => normalized(`${path}/node_modules/${specifier}`));
}

/** Returns an absolute path without `.`, `..` and empty segments; `..` at the root has no effect. */
export function normalized(path: string): string {

    const parts: string[] = [];
    for (const part of path.split('/')) {
        if (part === '..') {
            parts.pop();
        }
        else if (part !== '' && part !== '.') {
            parts.push(part);
        }
    }

    return `/${parts.join('/')}`;
}
