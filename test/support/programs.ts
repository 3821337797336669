/** Programs of the machine that some tests need. */

import { execFileSync } from 'node:child_process';

/**
 * True if there is a program, and in CI, which installs it, so that its tests fail there without it. Where CI cannot, it says so: NO_KUSTOMIZE=true
 * and the like. Says what is not tested.
 */
export function canTestWith(name: string, isThere = hasProgram(name)): boolean {

    const isDemanded = process.env['CI'] === 'true' && process.env[`NO_${name.toUpperCase().replaceAll('-', '_')}`] !== 'true';
    if (!isThere && !isDemanded) {
        console.log(`NOT TESTED: what needs ${name}, which is not installed`);
    }

    return isThere || isDemanded;
}

/** True if there is a program that ends well with an argument, and whose output has a text. */
export function hasProgram(name: string, argument = '--version', text = ''): boolean {

    try {
        return execFileSync(name, [argument], { encoding: 'utf8', stdio: 'pipe' }).includes(text);
    }
    catch {
        return false;
    }
}

/** True where `script` gives other programs a terminal; that of BSD has other arguments. */
export function hasScript(): boolean {

    return canTestWith('script', hasProgram('script', '--version', 'util-linux'));
}
