/** A place in the value that a form shows. Controls subscribe to it, so that an edit renders what it changed and nothing else. */

import { signal } from '@preact/signals-core';
import type { Signal } from '@preact/signals-core';
import type { Json } from '../../json/exact-number.js';
import { memberOf } from '../../json/pointer.js';
import type { Path } from '../../json/pointer.js';
import type { Picks } from '../model/effective-schema.js';
import type { JsonType } from '../model/schema.js';

/** The name of a property itself, or of a new property inside. */
export type NameKind = 'own' | 'new';

let nextNumber = 1;

/** A place. The node stays the same as long as its form is shown; what an item of an array shows is by its index. */
export class FormNode {

    readonly key: string;
    readonly parent: FormNode | null;
    /** Identifies the node on the page. */
    readonly number = nextNumber++;
    /** The value; undefined where there is none. */
    readonly value: Signal<Json | undefined>;
    /** Messages of the service for exactly this place. */
    readonly errors = signal<readonly string[]>([]);
    /** What keeps a text from being a value, such as letters in a number. */
    readonly problem = signal<string | null>(null);
    /** The text as the user types it, where that is more than the value: while it has a problem, or is about to be completed. */
    readonly typed = signal<string | null>(null);
    /** Branches and type that the user has picked. */
    readonly picks = signal<Picks>(new Map());
    readonly type = signal<JsonType | null>(null);
    /** Whether the members are shown; null until the user says so. */
    readonly isOpen = signal<boolean | null>(null);
    /** Key of the member that is to be shown, when there are too many for one page. */
    readonly shownKey = signal<string | null>(null);
    /** Grows when the items of an array change their places. */
    readonly order = signal(0);
    /** Values of branches that the user has left, by their schemas, to return to. */
    readonly left = new Map<unknown, Json>();
    /** True for the place of a name: it is no part of the value. */
    readonly isName: boolean;
    readonly #children = new Map<string, FormNode>();
    readonly #names = new Map<NameKind, FormNode>();
    #itemIds: number[] = [];

    constructor(key: string, parent: FormNode | null, value: Json | undefined, isName = false) {

        this.key = key;
        this.isName = isName;
        this.parent = parent;
        this.value = signal(value);
    }

    /** The node of a member. */
    child(key: string): FormNode {

        let child = this.#children.get(key);
        if (!child) {
            child = new FormNode(key, this, memberOf(this.value.peek(), key));
            this.#children.set(key, child);
        }

        return child;
    }

    /** The place of what is typed as the name of this property, or of a new one inside. Its path is that of this node. */
    nameOf(kind: NameKind): FormNode {

        let name = this.#names.get(kind);
        if (!name) {
            name = new FormNode(kind, this, undefined, true);
            this.#names.set(kind, name);
        }

        return name;
    }

    get path(): Path {

        return this.parent ? [...this.parent.path, ...this.isName ? [] : [this.key]] : [];
    }

    /** Takes over a value, here and below. What did not change is skipped. */
    refresh(value: Json | undefined): void {

        if (this.value.peek() === value) {
            return;
        }

        this.value.value = value;
        for (const [key, child] of this.#children) {
            child.refresh(memberOf(value, key));
        }
    }

    /** Numbers of the items of an array: an item that is moved keeps its number. */
    itemIds(): readonly number[] {

        const value = this.value.peek();
        const length = Array.isArray(value) ? value.length : 0;
        while (this.#itemIds.length < length) {
            this.#itemIds.push(nextNumber++);
        }

        this.#itemIds.length = length;
        return this.#itemIds;
    }

    /** Moves the numbers of items with the items. */
    arrange(order: readonly (number | null)[]): void {

        const ids = this.itemIds();
        this.order.value += 1;
        this.#itemIds = order.map((from) => (from === null ? nextNumber++ : ids[from] ?? nextNumber++));
        const states = order.map((from) => (from === null ? null : this.#children.get(String(from))?.state() ?? null));
        states.forEach((state, i) => {

            if (state || this.#children.has(String(i))) {
                this.child(String(i)).restore(state);
            }
        });
        for (const key of [...this.#children.keys()]) {
            if (Number(key) >= order.length) {
                this.#children.delete(key);
            }
        }
    }

    /** What the user did with the control, to move it to another node. Nodes inside follow. */
    state(): NodeState {

        return {
            problem: this.problem.peek(), typed: this.typed.peek(), picks: this.picks.peek(), type: this.type.peek(), isOpen: this.isOpen.peek(),
            children: [...this.#children].map(([key, child]) => [key, child.state()] as const),
            names: [...this.#names].map(([kind, name]) => [kind, name.state()] as const)
        };
    }

    restore(state: NodeState | null): void {

        this.problem.value = state?.problem ?? null;
        this.typed.value = state?.typed ?? null;
        this.picks.value = state?.picks ?? new Map();
        this.type.value = state?.type ?? null;
        this.isOpen.value = state?.isOpen ?? null;
        const known = new Map(state?.children ?? []);
        for (const key of new Set([...this.#children.keys(), ...known.keys()])) {
            this.child(key).restore(known.get(key) ?? null);
        }

        const names = new Map(state?.names ?? []);
        for (const kind of new Set([...this.#names.keys(), ...names.keys()])) {
            this.nameOf(kind).restore(names.get(kind) ?? null);
        }
    }

    /** All nodes inside, and this one, also those of names. */
    * nodes(): IterableIterator<FormNode> {

        yield this;
        yield* this.#names.values();
        for (const child of this.#children.values()) {
            yield* child.nodes();
        }
    }
}

/** What the user did with a control and those inside. */
export interface NodeState {
    readonly problem: string | null;
    readonly typed: string | null;
    readonly picks: Picks;
    readonly type: JsonType | null;
    readonly isOpen: boolean | null;
    readonly children: readonly (readonly [key: string, state: NodeState])[];
    readonly names: readonly (readonly [kind: NameKind, state: NodeState])[];
}
