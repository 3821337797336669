/**
 * Bundles the files of `guest/` into one script, the first that runs in a new context.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of the bundle, in order of their dependencies. */
const FILES = ['primordials', 'error-description', 'console', 'cordra', 'direct-io', 'tamper-check', 'lazy-property', 'modules', 'main'];

/** Returns an expression that evaluates to the function `boot` of `guest/main.ts`. */
export function guestCode(): string {

    const modules = FILES.map((name) => {

        const source = readFileSync(join(__dirname, 'guest', `${name}.js`), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
        return `${JSON.stringify(`./${name}.js`)}: function (exports, require, module) {${source}\n}`;
    });
    return `(function () {
        const files = {${modules.join(',\n')}};
        const loaded = {};
        const require = (name) => {
            if (!loaded[name]) {
                const module = loaded[name] = { exports: {} };
                files[name](module.exports, require, module);
            }
            return loaded[name].exports;
        };
        return require('./main.js').boot;
    })()`;
}
