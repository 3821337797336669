/**
 * Loads packages into a running service through its REST interface: the type first, then every package with its README,
 * then the references between them, because a reference must point at something.
 */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { InstalledPackage } from './packages.js';
import { PACKAGE_CODE, PACKAGE_SCHEMA } from './packages.js';

/** Where to, and who is told how far it got. */
export interface LoadTarget {
    readonly url: string;
    /** Value of the Authorization header; somebody who may create types. */
    readonly authorization: string;
    readonly prefix: string;
    readonly onProgress?: (stage: string, done: number, total: number) => void;
}

const AT_ONCE = 8;

/** The id that a package gets. */
export function packageId(prefix: string, key: string): string {

    return `${prefix}/${key}`;
}

/** Loads all packages. */
export async function loadPackages(packages: readonly InstalledPackage[], target: LoadTarget): Promise<void> {

    await call(target, 'POST', '/objects?type=Schema', JSON.stringify({ identifier: '', name: 'Package', schema: PACKAGE_SCHEMA, javascript: PACKAGE_CODE }));
    await inParallel(packages, (item) => create(item, target), (done) => {

        target.onProgress?.('packages', done, packages.length);
    });
    const referring = packages.filter(({ dependencies }) => dependencies.length > 0);
    await inParallel(referring, (item) => refer(item, target), (done) => {

        target.onProgress?.('references', done, referring.length);
    });
}

async function create({ key, content, readme }: InstalledPackage, target: LoadTarget): Promise<void> {

    const form = new FormData();
    form.append('content', JSON.stringify(content));
    if (readme !== null) {
        const type = /\.(md|markdown)$/i.test(readme) ? 'text/markdown' : 'text/plain';
        form.append('readme', new Blob([await readFile(readme)], { type }), basename(readme));
    }

    await call(target, 'POST', `/objects?type=Package&handle=${encodeURIComponent(packageId(target.prefix, key))}`, form);
}

async function refer({ key, dependencies }: InstalledPackage, target: LoadTarget): Promise<void> {

    const path = `/objects/${encodeURIComponent(packageId(target.prefix, key))}?jsonPointer=/dependencies`;
    await call(target, 'PUT', path, JSON.stringify(dependencies.map((other) => packageId(target.prefix, other))));
}

async function call({ url, authorization }: LoadTarget, method: string, path: string, body: string | FormData): Promise<void> {

    const answer = await fetch(url + path, { method, body, headers: { authorization } });
    const text = await answer.text();
    if (!answer.ok) {
        throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>, onDone: (done: number) => void): Promise<void> {

    const queue = items.values();
    let done = 0;
    const worker = async (): Promise<void> => {

        for (const item of queue) {
            await work(item);
            onDone(++done);
        }
    };

    await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
