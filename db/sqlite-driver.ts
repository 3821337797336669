/** The native part of the driver, which npm compiles or downloads when it installs the package, unless it may not run install scripts. */

import Sqlite from 'better-sqlite3';
import { UnusableDatabaseError } from './errors.js';

/** Throws an UnusableDatabaseError with the remedy when the driver cannot be loaded: it was not compiled, or for another version of Node. */
export function demandDriver(): void {

    try {
        new Sqlite(':memory:').close();
    }
    catch (error) {
        throw new UnusableDatabaseError('no-driver', `better-sqlite3 is not compiled for this Node (${process.version}): run "npm rebuild better-sqlite3" where ` +
            'it is installed; newer versions of npm do that only after "npm install-scripts approve better-sqlite3"', error);
    }
}
