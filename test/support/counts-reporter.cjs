'use strict';

/** How many of the slowest tests are written down. */
const SLOWEST = 40;

/**
 * A lab reporter that writes down what lab counted, for `test/run.mjs`: `{ passed, failed, skipped, leaks, failures, slowest }` as
 * JSON, where `failures` has the titles of failed tests, and `slowest` the tests that took longest, each as `{ title, ms }`.
 * Errors outside of a test (a broken `before`, a script that cannot be loaded) count as failures of their own.
 */
module.exports = class CountsReporter {

    start() {}

    test() {}

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
            slowest: notebook.tests.map(({ title, duration }) => ({ title, ms: duration ?? 0 })).sort((a, b) => b.ms - a.ms).slice(0, SLOWEST)
        }));
    }
};
