'use strict';

const { readFileSync } = require('node:fs');

/** How many of the slowest tests are written down. */
const SLOWEST = 40;

/** Length of a tick of the kernel's accounts, in milliseconds. */
const TICK_MS = 10;

/** Processor time of this process and its ended children, in milliseconds; without the latter where there is no `/proc`. */
const processorMs = function () {

    try {
        const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ');
        return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
    }
    catch {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
    }
};

/**
 * A lab reporter that writes down what lab counted, for `test/run.mjs`: `{ passed, failed, skipped, leaks, failures, slowest, costs }` as
 * JSON, where `failures` has the titles of failed tests, `slowest` the tests that took longest, each as `{ title, ms }`, and `costs`
 * the processor time of each group of tests by its title, in milliseconds: that of this process, and of others which it has started and
 * which have ended.
 * Errors outside of a test (a broken `before`, a script that cannot be loaded) count as failures of their own.
 */
module.exports = class CountsReporter {

    start() {

        this.costs = {};
        this.last = processorMs();
    }

    test({ path: [group = ''] }) {

        const now = processorMs();
        this.costs[group] = (this.costs[group] ?? 0) + now - this.last;
        this.last = now;
    }

    end(notebook) {

        const skipped = notebook.tests.filter((test) => test.skipped || test.todo);
        const broken = notebook.tests.filter((test) => test.err);
        const errors = (notebook.errors ?? []).filter((error) => !broken.some((test) => test.err === error));
        this.report(JSON.stringify({
            passed: notebook.tests.length - skipped.length - broken.length,
            failed: broken.length + errors.length,
            skipped: skipped.length,
            leaks: notebook.leaks?.length ?? 0,
            failures: [...broken.map(({ title }) => title), ...errors.map((error) => `outside of a test: ${error.message}`)],
            slowest: notebook.tests.map(({ title, duration }) => ({ title, ms: duration ?? 0 })).sort((a, b) => b.ms - a.ms).slice(0, SLOWEST),
            costs: this.costs
        }));
    }
};
