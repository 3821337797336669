/** Networks of their own for processes, with two links to this machine that can be cut. Only root can make them, where the kernel allows it. */

import { execFileSync } from 'node:child_process';

/** A network with its links. */
export interface NetworkNamespace {
    /** Program, with arguments, that runs another one in the network. */
    readonly launcher: readonly string[];
    /** Address of processes in the network, for clients on this machine. */
    readonly address: string;
    /** Addresses of this machine for them, one by each link. */
    readonly host: readonly [string, string];
    /** Cuts one of the links, or both: no packet passes, and nobody is told. */
    cut(...links: readonly (0 | 1)[]): void;
    /** Ends all cuts. */
    mend(): void;
    remove(): void;
}

/** Programs at the same time have addresses of their own: 10.N.…, with N from 100 on. */
const FIRST_NET = 100 + 2 * (process.pid % 70);

/** Makes a network of this process by its number, 0 to 99; null where that is not possible. */
export function networkNamespace(number: number): NetworkNamespace | null {

    const id = `dg${process.pid}n${number}`;
    const ip = (line: string): void => void execFileSync('ip', line.split(' '), { stdio: 'pipe' });
    const nets = ([0, 1] as const).map((link) => ({ prefix: `10.${FIRST_NET + link}.${number}`, outside: `${id}o${link}`, inside: `${id}i${link}` }));
    const remove = (): void => {

        for (const line of [`netns del ${id}`, ...nets.flatMap(({ prefix, outside }) => [`link del ${outside}`, `route del blackhole ${prefix}.0/30 metric 1000`])]) {
            try {
                ip(line);
            }
            catch {
                // It has ended with the network, or was never made.
            }
        }
    };

    try {
        ip(`netns add ${id}`);
        ip(`-n ${id} link set lo up`);
        for (const { prefix, outside, inside } of nets) {
            ip(`link add ${outside} type veth peer name ${inside} netns ${id}`);
            ip(`addr add ${prefix}.1/30 dev ${outside}`);
            ip(`-n ${id} addr add ${prefix}.2/30 dev ${inside}`);
            ip(`link set ${outside} up`);
            ip(`-n ${id} link set ${inside} up`);
            // While the link is cut, packets go nowhere, and not to the way out of this machine.
            ip(`route add blackhole ${prefix}.0/30 metric 1000`);
        }
    }
    catch {
        remove();
        return null;
    }

    return {
        launcher: ['ip', 'netns', 'exec', id],
        address: `${nets[0]?.prefix}.2`,
        host: [`${nets[0]?.prefix}.1`, `${nets[1]?.prefix}.1`],
        cut: (...links) => links.forEach((link) => ip(`link set ${nets[link]?.outside} down`)),
        mend: () => nets.forEach(({ outside }) => ip(`link set ${outside} up`)),
        remove
    };
}
