import type { ChangeEvent, Gateway } from 'doip-gateway';

/** Collects the ids of photos that were changed, for a program that copies them elsewhere. */
export function registerMirror(gateway: Gateway): ReadonlySet<string> {

    const pending = new Set<string>();
    gateway.onChange(({ kind, id, type }: ChangeEvent) => {

        if (type === 'Photo' && kind !== 'deleted') {
            pending.add(id);
        }
    });
    return pending;
}
