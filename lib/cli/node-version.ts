/** Exits with a message when Node.js is too old. Must be imported first, since other modules may fail obscurely there. */

import { EXIT } from './command-error.js';

/** Major and minor version; also `engines` in package.json. */
const OLDEST = [20, 12] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || major === OLDEST[0] && minor < OLDEST[1]) {
    process.stderr.write(`doip-gateway: this is Node ${process.versions.node}; Node ${OLDEST.join('.')} or newer is needed\n`);
    process.exit(EXIT.failed);
}
