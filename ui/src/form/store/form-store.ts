/** The value that a form edits, with the messages for its places. The value is never modified: each edit makes a new one that shares the rest. */

import { batch, signal } from '@preact/signals-core';
import type { ReadonlySignal } from '@preact/signals-core';
import { isJsonMap } from '../../json/exact-number.js';
import type { Json } from '../../json/exact-number.js';
import { formatPointer, parsePointer, renamed, withMember, withoutMember } from '../../json/pointer.js';
import { FormNode } from './form-node.js';

/** A message for a place in the value. */
export interface FormError {
    /** JSON pointer; empty for the value as a whole. */
    readonly pointer: string;
    readonly message: string;
}

/** Messages that are shown. */
const MAX_ERRORS = 500;

/** Reports an edit. */
type Listener = (value: Json) => void;

export class FormStore {

    readonly root: FormNode;
    readonly #errors = signal<readonly FormError[]>([]);
    readonly #problems = signal<ReadonlySet<FormNode>>(new Set());
    readonly #listener: Listener;
    /** Objects that an edit inside made, which are removed again when they become empty. */
    readonly #made = new Set<FormNode>();
    #withErrors: FormNode[] = [];
    /** Values that were reported. They may come back late, when there are newer edits. */
    readonly #reported = new WeakSet<object>();

    constructor(value: Json, listener: Listener = () => undefined) {

        this.root = new FormNode('', null, value);
        this.#listener = listener;
    }

    get value(): Json {

        return this.root.value.peek() ?? null;
    }

    /** Messages of the service. */
    get errors(): ReadonlySignal<readonly FormError[]> {

        return this.#errors;
    }

    /** Nodes with a text that is not a value. */
    get problems(): ReadonlySignal<ReadonlySet<FormNode>> {

        return this.#problems;
    }

    /** Replaces the whole value from outside; nothing is reported. A value of an edit that comes back changes nothing, as there may be newer edits. */
    reset(value: Json): void {

        const isOwn = typeof value === 'object' && value !== null && this.#reported.has(value);
        if (value !== this.value && !isOwn) {
            this.#made.clear();
            batch(() => {

                this.root.refresh(value);
                this.forgetTyped(this.root);
            });
        }
    }

    /** Sets a value; objects around it that do not exist are made. */
    set(node: FormNode, value: Json): void {

        this.#apply(this.#rebuilt(node, value));
    }

    /** Removes a value, and the objects around it that an edit made and that are empty now. An item of an array is not removed by this. */
    unset(node: FormNode): void {

        this.forgetTyped(node);
        this.#remove(node);
    }

    #remove(node: FormNode): void {

        const { parent } = node;
        if (node.value.peek() === undefined || !parent) {
            return;
        }

        const rest = withoutMember(parent.value.peek(), node.key);
        const isEmpty = isJsonMap(rest) && Object.keys(rest).length === 0;
        // Text that is no value yet may become one of its members.
        const isLeft = [...this.#problems.peek()].some((problem) => isWithin(problem, parent));
        if (isEmpty && !isLeft && parent.parent && this.#made.delete(parent) && isJsonMap(parent.parent.value.peek())) {
            this.#remove(parent);
        }
        else {
            this.set(parent, rest);
        }
    }

    /** Renames a property of an object, which stays at its place. */
    rename(node: FormNode, name: string): void {

        const { parent, key } = node;
        const object = parent?.value.peek();
        if (parent && isJsonMap(object) && !Object.hasOwn(object, name)) {
            const state = node.state();
            this.set(parent, renamed(object, key, name));
            node.restore(null);
            parent.child(name).restore(state);
            this.#findProblems();
        }
    }

    /** Inserts an item into an array, which is made if it does not exist. */
    insert(node: FormNode, index: number, item: Json): void {

        const items = itemsOf(node);
        this.#arrange(node, [...items.slice(0, index), item, ...items.slice(index)], [...range(0, index), null, ...range(index, items.length)]);
    }

    /** Removes an item of an array. */
    remove(node: FormNode, index: number): void {

        const items = itemsOf(node);
        this.#arrange(node, items.filter((_, i) => i !== index), range(0, items.length).filter((i) => i !== index));
    }

    /** Moves an item of an array. */
    move(node: FormNode, from: number, to: number): void {

        const items = itemsOf(node);
        const order = range(0, items.length).filter((i) => i !== from);
        order.splice(to, 0, from);
        this.#arrange(node, order.map((i) => items[i] ?? null), order);
    }

    /** Notes that a text is not a value, or that it is one again. */
    setProblem(node: FormNode, problem: string | null): void {

        node.problem.value = problem;
        const problems = this.#problems.peek();
        if (problems.has(node) !== (problem !== null)) {
            this.#problems.value = problem === null ? new Set([...problems].filter((each) => each !== node)) : new Set([...problems, node]);
        }
    }

    /** Drops texts that are no values, in a node and below: their fields are gone. */
    forgetTyped(node: FormNode): void {

        batch(() => {

            for (const inner of node.nodes()) {
                inner.typed.value = null;
                inner.problem.value = null;
            }

            const rest = [...this.#problems.peek()].filter(({ problem }) => problem.peek() !== null);
            if (rest.length < this.#problems.peek().size) {
                this.#problems.value = new Set(rest);
            }
        });
    }

    /**
     * Drops texts that are no values in members of an object that have no field any more, as another value has changed what applies, and names of those that
     * have no field for it; null stands for the name of a new one.
     */
    forgetHidden(node: FormNode, isShown: (key: string) => boolean, hasName: (key: string | null) => boolean = () => true): void {

        for (const problem of this.#problems.peek()) {
            const named = problem.isName ? problem.parent : null;
            if (named === node && problem.key === 'new' && !hasName(null) || named?.parent === node && problem.key === 'own' && !hasName(named.key)) {
                this.forgetTyped(problem);
            }

            let member = named ?? problem;
            while (member.parent && member.parent !== node) {
                member = member.parent;
            }

            if (member.parent === node && !isShown(member.key)) {
                this.forgetTyped(member);
            }
        }
    }

    /** Shows messages at their places, instead of those before. */
    setErrors(errors: readonly FormError[]): void {

        batch(() => {

            this.#errors.value = errors.slice(0, MAX_ERRORS);
            const texts = new Map<FormNode, string[]>();
            for (const { pointer, message } of this.#errors.value) {
                const node = this.nodeAt(pointer);
                texts.set(node, [...texts.get(node) ?? [], message]);
            }

            this.#withErrors.filter((node) => !texts.has(node)).forEach((node) => {

                node.errors.value = [];
            });
            texts.forEach((messages, node) => {

                if (messages.join('\n') !== node.errors.peek().join('\n')) {
                    node.errors.value = messages;
                }
            });
            this.#withErrors = [...texts.keys()];
        });
    }

    /** The node of a pointer. */
    nodeAt(pointer: string): FormNode {

        return parsePointer(pointer).reduce<FormNode>((node, key) => node.child(key), this.root);
    }

    /** Opens what hides a place. */
    reveal(node: FormNode): void {

        batch(() => {

            for (let inner = node; inner.parent; inner = inner.parent) {
                inner.parent.isOpen.value = true;
                inner.parent.shownKey.value = inner.isName ? inner.parent.shownKey.peek() : inner.key;
            }
        });
    }

    #arrange(node: FormNode, items: readonly Json[], order: readonly (number | null)[]): void {

        batch(() => {

            node.arrange(order);
            this.set(node, items);
            this.#findProblems();
        });
    }

    #findProblems(): void {

        this.#problems.value = new Set([...this.root.nodes()].filter(({ problem }) => problem.peek() !== null));
    }

    /** The whole value with another one at a node. */
    #rebuilt(node: FormNode, value: Json): Json {

        let inner = value;
        for (let at = node; at.parent; at = at.parent) {
            const container = at.parent.value.peek();
            if (container === undefined) {
                this.#made.add(at.parent);
            }

            inner = withMember(container, at.key, inner);
        }

        return inner;
    }

    #apply(value: Json): void {

        batch(() => this.root.refresh(value));
        if (typeof value === 'object' && value !== null) {
            this.#reported.add(value);
        }

        this.#listener(value);
    }
}

/** True for a node inside of another one. */
function isWithin(node: FormNode, outer: FormNode): boolean {

    let at = node.parent;
    while (at && at !== outer) {
        at = at.parent;
    }

    return at === outer;
}

function itemsOf(node: FormNode): readonly Json[] {

    const value = node.value.peek();
    return Array.isArray(value) ? value as readonly Json[] : [];
}

function range(start: number, end: number): number[] {

    return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);
}

/** The pointer of a node. */
export function pointerOf(node: FormNode): string {

    return formatPointer(node.path);
}

/** The message of an error that concerns a place inside of a node, with the rest of its pointer. */
export function errorsWithin(errors: readonly FormError[], pointer: string): readonly FormError[] {

    return errors.filter((error) => error.pointer.startsWith(`${pointer}/`)).map(({ pointer: whole, message }) => ({ pointer: whole.slice(pointer.length), message }));
}

