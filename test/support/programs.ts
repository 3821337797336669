/** Programs of the machine that some tests need. */

import { execFileSync } from 'node:child_process';

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

    return hasProgram('script', '--version', 'util-linux');
}
