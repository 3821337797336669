import { open } from 'node:fs/promises';

/** Writes a file or a folder to the disk. */
export async function sync(path: string): Promise<void> {

    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
}
