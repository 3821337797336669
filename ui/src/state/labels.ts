/** Labels of objects by their ids, read for many ids at once and kept until somebody else logs in: rights decide which of them are known. */

import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { background } from '../api/client.js';

/** What is shown instead of an id. */
export interface Label {
    readonly id: string;
    readonly label: string;
    readonly type?: string;
}

/** Maximum number of ids of a request. */
const MAX_IDS = 200;
/** Maximum length of a label in UTF-16 units. */
const MAX_LENGTH = 200;
/** Time in which ids are collected for a request, in milliseconds. */
const COLLECT_MS = 10;
/** Labels are forgotten beyond this number. */
const MAX_KEPT = 5000;

const labels = new Map<string, Signal<Label | null>>();
let wanted: string[] = [];

/** Counts the callers: what was requested for an earlier one is not kept, and what shows labels asks for them anew. */
const generation = signal(0);

/** The label of an object: null until it is known, and for objects that the caller may not read. */
export function labelOf(id: string): Signal<Label | null> {

    void generation.value;                                  // What shows the label follows it
    let label = labels.get(id);
    if (!label) {
        if (labels.size >= MAX_KEPT) {
            labels.clear();
        }

        label = signal(null);
        labels.set(id, label);
        if (wanted.push(id) === 1) {
            setTimeout(() => void readWanted(), COLLECT_MS);
        }
    }

    return label;
}

/** Forgets all labels, as another caller may read other objects. */
export function forgetLabels(): void {

    labels.clear();
    generation.value = generation.peek() + 1;
}

/** Sets a label that is known anyway, such as that of an object that was just read; as short as those of the service. */
export function rememberLabel({ label: text, ...facts }: Label): void {

    const label = { ...facts, label: text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…` };
    const known = labels.get(label.id);
    if (known) {
        known.value = label;
    }
    else {
        labels.set(label.id, signal(label));
    }
}

/** Reads the labels of objects that are not known yet; afterwards `labelOf` has them. Labels that cannot be read stay unknown. */
export async function readLabels(ids: readonly string[]): Promise<void> {

    const unknown = ids.filter((id) => !labels.has(id));
    if (labels.size + unknown.length > MAX_KEPT) {
        labels.clear();
    }

    unknown.forEach((id) => labels.set(id, signal(null)));
    await requestLabels(unknown);
}

async function readWanted(): Promise<void> {

    const ids = wanted;
    wanted = [];
    await requestLabels(ids);
}

async function requestLabels(ids: readonly string[]): Promise<void> {

    const began = generation.peek();
    for (let start = 0; start < ids.length && began === generation.peek(); start += MAX_IDS) {
        try {
            const text = JSON.stringify({ ids: ids.slice(start, start + MAX_IDS) });
            const response = await background.request({
                method: 'POST', path: '/labels', isRead: true, body: { mediaType: 'application/json', open: () => text, isReplayable: true }
            });
            const { results } = await response.json() as { readonly results: Readonly<Record<string, Label>> };
            if (began === generation.peek()) {
                // What was remembered since is newer.
                Object.values(results).filter(({ id }) => (labels.get(id)?.peek() ?? null) === null).forEach(rememberLabel);
            }
        }
        catch {
            // Ids are shown instead, and asked for again when the page is loaded anew.
        }
    }
}
