/** The faults: each does something to one part of the installation, and undoes it after some seconds. */

import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../support/random.js';
import type { S3Fate, S3Relay } from '../../../support/s3.js';
import type { ElasticDisk } from '../../../support/small-disk.js';
import { execute, type Installation, type NodeParts } from './installation.js';

/** Parts of the installation of which only one fault at a time can have hold. */
export type Area = 'gateway' | 'database' | 'payloads' | 'search';

export interface Fault {
    readonly name: string;
    readonly area: Area;
    /** Begins, lasts as long as it shall, and ends it. */
    readonly run: (random: Random, installation: Installation) => Promise<void>;
}

/** Shorter and longer than the lease of a job, which is taken over after 15 seconds. */
const SHORT_MS = [500, 5000] as const;
const LONG_MS = [16_000, 22_000] as const;
const SOME_MS = [3000, 10_000] as const;

/** Clocks jump so far, to either side. */
const JUMP_MS = [500, 90_000] as const;

const SLOW_MS = [200, 3000] as const;

async function last(random: Random, [least, longest]: readonly [number, number]): Promise<void> {

    await sleep(random.integer(least, longest));
}

/** A fault of one node. */
function onNode(name: string, run: (random: Random, parts: NodeParts) => Promise<void>): Fault {

    return { name, area: 'gateway', run: async (random, { parts }) => await run(random, random.pick(parts)) };
}

const GATEWAY_FAULTS: readonly Fault[] = [
    onNode('gateway: SIGKILL', async (random, { node }) => {

        await node.kill();
        await last(random, SHORT_MS);
        await node.start();
    }),
    onNode('gateway: SIGTERM', async (random, { node }) => {

        await node.stop();
        await last(random, SHORT_MS);
        await node.start();
    }),
    onNode('gateway: SIGSTOP, short', async (random, { node }) => await stopped(random, (name) => node.signal(name), SHORT_MS)),
    onNode('gateway: SIGSTOP, longer than a lease', async (random, { node }) => await stopped(random, (name) => node.signal(name), LONG_MS)),
    onNode('gateway: clock jumps', async (random, { clockFile }) => {

        const sign = random.chance(0.5) ? 1 : -1;
        await writeFile(clockFile, String(sign * random.integer(...JUMP_MS)));
        await last(random, SOME_MS);
        await writeFile(clockFile, '0');
    }),
    onNode('gateway: killed, and back with a clock behind', async (random, { node, clockFile }) => {

        await node.kill();
        await writeFile(clockFile, String(-random.integer(...JUMP_MS)));
        await node.start();
        await last(random, SOME_MS);
        await writeFile(clockFile, '0');
    }),
    onNode('gateway – database: connections cut', async (random, { link }) => {

        for (let n = random.integer(1, 5); n > 0; --n) {
            link.cutAll();
            await last(random, [100, 1500]);
        }
    }),
    onNode('gateway – database: no connections', async (random, { link }) => {

        link.accept(false);
        link.cutAll();
        await last(random, SOME_MS);
        link.accept(true);
    }),
    onNode('gateway – database: half-open', async (random, { link }) => {

        link.freeze(true);
        await last(random, random.chance(0.5) ? SHORT_MS : LONG_MS);
        link.freeze(false);
    })
];

async function stopped(random: Random, signal: (name: 'SIGSTOP' | 'SIGCONT') => void, time: readonly [number, number]): Promise<void> {

    signal('SIGSTOP');
    await last(random, time);
    signal('SIGCONT');
}

const NETWORK_FAULTS: readonly Fault[] = [
    onNode('gateway – database: partition', async (random, { network }) => {

        network?.cut(1);
        await last(random, random.chance(0.5) ? SOME_MS : LONG_MS);
        network?.mend();
    }),
    onNode('gateway: partition from all', async (random, { network }) => {

        network?.cut(0, 1);
        await last(random, random.chance(0.5) ? SOME_MS : LONG_MS);
        network?.mend();
    })
];

function onGalera(name: string, run: (random: Random, server: { n: number; url: string; installation: Installation }) => Promise<void>): Fault {

    return {
        name: `Galera: ${name}`, area: 'database',
        run: async (random, installation) => {

            const n = random.integer(0, installation.parts.length - 1);
            await run(random, { n, url: installation.galera?.urls[n] ?? '', installation });
        }
    };
}

const GALERA_FAULTS: readonly Fault[] = [
    onGalera('SIGKILL of a server, which joins again', async (random, { n, installation: { galera } }) => {

        await galera?.kill(n);
        await last(random, SOME_MS);
        await galera?.rejoin(n);
    }),
    onGalera('SIGSTOP of a server, short', async (random, { n, installation: { galera } }) => {

        await stopped(random, (name) => galera?.signal(n, name), SHORT_MS);
    }),
    onGalera('SIGSTOP of a server, which the others give up', async (random, { n, installation: { galera } }) => {

        await stopped(random, (name) => galera?.signal(n, name), LONG_MS);
    }),
    onGalera('a server is isolated, and lives', async (random, { url }) => {

        await execute(url, `set global wsrep_provider_options = 'gmcast.isolate=1'`);
        await last(random, random.chance(0.5) ? SOME_MS : LONG_MS);
        await execute(url, `set global wsrep_provider_options = 'gmcast.isolate=0'`);
    }),
    onGalera('a server is desynchronised', async (random, { url }) => {

        await execute(url, 'set global wsrep_desync = on');
        await last(random, SOME_MS);
        await execute(url, 'set global wsrep_desync = off');
    })
];

async function full(random: Random, disk: ElasticDisk | null | undefined): Promise<void> {

    disk?.fill();
    await last(random, random.chance(0.5) ? SOME_MS : LONG_MS);
    disk?.relieve();
}

const GATEWAY_DISK_FULL = onNode('gateway: its disk is full', async (random, { disk }) => await full(random, disk));

const DATABASE_DISK_FULL: Fault = {
    name: 'database: the disk of a server is full', area: 'database',
    run: async (random, { disks, server, galera }) => {

        const n = random.integer(0, disks.database.length - 1);
        await full(random, disks.database[n]);
        // A server of Galera that could not store what the others have stored leaves them, and needs their data.
        await galera?.kill(n);
        await galera?.rejoin(n);
        if (server?.isRunning() === false) {
            await server.restart();
        }
    }
};

const S3_DISK_FULL: Fault = { name: 'S3: the disk is full', area: 'payloads', run: async (random, { disks }) => await full(random, disks.s3) };

const SEARCH_DISK_FULL: Fault = {
    name: 'OpenSearch: the disk is full', area: 'search',
    run: async (random, { disks, search }) => {

        await full(random, disks.search);
        if (search?.server.isRunning() === false) {
            await search.server.restart();
        }

        // It gives up a shard that could not be opened five times.
        await search?.server.client.send({ method: 'POST', path: '/_cluster/reroute', query: { retry_failed: 'true' } });
    }
};

const SERVER_FAULTS: readonly Fault[] = [
    {
        name: 'database server: SIGKILL', area: 'database',
        run: async (random, { server }) => {

            await server?.kill();
            await last(random, SHORT_MS);
            await server?.restart();
        }
    },
    {
        name: 'database server: SIGSTOP', area: 'database',
        run: async (random, { server }) => await stopped(random, (name) => server?.signal(name), random.chance(0.5) ? SHORT_MS : LONG_MS)
    }
];

function behaving(name: string, area: 'payloads' | 'search', fate: (random: Random) => S3Fate, { share = 1 } = {}): Fault {

    return {
        name: `${area === 'payloads' ? 'S3' : 'OpenSearch'}: ${name}`, area,
        run: async (random, { s3, search }) => {

            const all = (area === 'payloads' ? s3 : search)?.relays ?? [];
            // At all nodes, or at one.
            const relays: readonly S3Relay[] = random.chance(0.6) ? all : [random.pick(all)];
            relays.forEach((relay) => relay.behave(() => (random.chance(share) ? fate(random) : undefined)));
            await last(random, SOME_MS);
            relays.forEach((relay) => relay.behave());
        }
    };
}

const PAYLOAD_FAULTS: readonly Fault[] = [
    {
        name: 'S3: SIGKILL', area: 'payloads',
        run: async (random, { s3 }) => {

            await s3?.server.kill();
            await last(random, SOME_MS);
            await s3?.server.restart();
        }
    },
    behaving('503', 'payloads', () => ({ status: 503 })),
    behaving('connections cut', 'payloads', () => 'cut', { share: 0.7 }),
    behaving('answers lost', 'payloads', () => 'lose', { share: 0.5 }),
    behaving('half-open', 'payloads', () => 'silent'),
    behaving('slow', 'payloads', (random) => ({ delayMs: random.integer(...SLOW_MS) })),
    behaving('bodies end early', 'payloads', (random) => ({ truncate: random.integer(0, 300_000) }), { share: 0.5 })
];

const SEARCH_FAULTS: readonly Fault[] = [
    {
        name: 'OpenSearch: SIGKILL', area: 'search',
        run: async (random, { search }) => {

            await search?.server.kill();
            await last(random, SOME_MS);
            await search?.server.restart();
        }
    },
    {
        name: 'OpenSearch: SIGSTOP', area: 'search',
        run: async (random, { search }) => await stopped(random, (name) => search?.server.signal(name), random.chance(0.5) ? SHORT_MS : LONG_MS)
    },
    {
        name: 'OpenSearch: writes are blocked', area: 'search',
        run: async (random, { search }) => {

            const block = async (isBlocked: boolean | null): Promise<void> => {

                await search?.server.client.send({ method: 'PUT', path: `/${search.prefix}-*/_settings`, body: { 'index.blocks.write': isBlocked } });
            };

            await block(true);
            await last(random, SOME_MS);
            await block(null);
        }
    },
    behaving('503', 'search', () => ({ status: 503 })),
    behaving('connections cut', 'search', () => 'cut', { share: 0.7 }),
    behaving('answers lost', 'search', () => 'lose', { share: 0.5 }),
    behaving('half-open', 'search', () => 'silent'),
    behaving('slow', 'search', (random) => ({ delayMs: random.integer(...SLOW_MS) }))
];

/** The faults that an installation can have. */
export function faultsOf({ parts, galera, server, s3, search, disks }: Installation): readonly Fault[] {

    return [
        ...GATEWAY_FAULTS, ...parts.every(({ network }) => network) ? NETWORK_FAULTS : [], ...galera ? GALERA_FAULTS : [], ...server ? SERVER_FAULTS : [],
        ...s3 ? PAYLOAD_FAULTS : [], ...search ? SEARCH_FAULTS : [],
        ...parts.every(({ disk }) => disk) ? [GATEWAY_DISK_FULL] : [], ...disks.database.length > 0 ? [DATABASE_DISK_FULL] : [],
        ...disks.s3 ? [S3_DISK_FULL] : [], ...disks.search ? [SEARCH_DISK_FULL] : []
    ];
}
