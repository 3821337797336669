/** What a run has shown: by kind of fault how often, how long, and which errors clients saw; and what was found. */

import { type Checker, KINDS } from './checker.js';
import type { GatewayNode } from './gateway-node.js';

/** One fault. */
export interface Event {
    readonly name: string;
    /** By `performance.now()`. */
    readonly begun: number;
    /** Longest time in which no write of the whole installation was acknowledged, milliseconds. */
    gapMs: number;
    /** From the end of the fault until each node had acknowledged a write, milliseconds. */
    recoveryMs: number;
    errors503: number;
    unanswered: number;
    otherErrors: number;
}

/** Statuses that are no errors of the installation: what clients race for, and what they may not do. */
const ANSWERS = [200, 400, 401, 403, 404, 409, 412, 429];

export class Report {

    readonly events: Event[] = [];
    readonly #checker: Checker;
    readonly #active = new Set<Event>();
    #lastWrite = performance.now();

    constructor(nodes: readonly GatewayNode[], checker: Checker) {

        this.#checker = checker;
        for (const node of nodes) {
            node.onWrite = () => this.#written();
            node.onReply = (status) => this.#answered(status);
        }
    }

    begin(name: string): Event {

        const event = { name, begun: performance.now(), gapMs: 0, recoveryMs: 0, errors503: 0, unanswered: 0, otherErrors: 0 };
        this.events.push(event);
        this.#active.add(event);
        return event;
    }

    end(event: Event, recoveryMs: number): void {

        event.recoveryMs = recoveryMs;
        event.gapMs = Math.max(event.gapMs, performance.now() - Math.max(event.begun, this.#lastWrite));
        this.#active.delete(event);
    }

    /** Records that the installation did not recover. */
    fail(text: string): void {

        this.#checker.find('stuck', text);
    }

    #written(): void {

        const now = performance.now();
        for (const event of this.#active) {
            event.gapMs = Math.max(event.gapMs, now - Math.max(event.begun, this.#lastWrite));
        }

        this.#lastWrite = now;
    }

    #answered(status: number): void {

        for (const event of this.#active) {
            event.errors503 += status === 503 ? 1 : 0;
            event.unanswered += status <= 0 ? 1 : 0;
            event.otherErrors += status > 0 && status !== 503 && !ANSWERS.includes(status) ? 1 : 0;
        }
    }

    /** Prints the tables, and one line of JSON. */
    print(more: object): void {

        const names = [...new Set(this.events.map(({ name }) => name))].sort();
        const longest = (events: readonly Event[], of: 'gapMs' | 'recoveryMs'): number => Math.round(Math.max(0, ...events.map((event) => event[of])) / 100) / 10;
        const sum = (events: readonly Event[], of: 'errors503' | 'unanswered' | 'otherErrors'): number => events.reduce((total, event) => total + event[of], 0);
        const row = (name: string, events: readonly Event[]): string => '| ' + [
            name, events.length, longest(events, 'gapMs'), longest(events, 'recoveryMs'), sum(events, 'errors503'), sum(events, 'unanswered'), sum(events, 'otherErrors')
        ].join(' | ') + ' |';
        console.log('\n| Fault | Count | Longest without a write, s | Longest until all nodes write, s | 503 | No answer | Other errors |\n|---|---|---|---|---|---|---|');
        names.forEach((name) => console.log(row(name, this.events.filter((event) => event.name === name))));
        console.log(row('all', this.events));
        const { findings, writes, reads, searches, races } = this.#checker;
        const counts = this.#checker.counts();
        console.log(`\n${writes} acknowledged writes, ${reads} checked reads, ${searches} checked searches, ${races} races for names and ids`);
        console.log(KINDS.map((kind) => `${kind} ${counts[kind]}`).join(', '));
        findings.slice(0, 50).forEach(({ kind, text, on }) => console.log(`${new Date(on).toISOString()} ${kind}: ${text}`));
        console.log(findings.length === 0 ? 'verdict: passed' : 'verdict: FAILED');
        console.log(JSON.stringify({
            faults: this.events.length, writes, reads, searches, races, ...counts,
            longestGapSeconds: longest(this.events, 'gapMs'), longestRecoverySeconds: longest(this.events, 'recoveryMs'), ...more
        }));
    }
}
