/** The dashboard and the alert rules of docs/monitoring name metrics that the service has. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { parse } from 'yaml';
import { ROOT } from '../../support/doc-pages.js';
import { metricsUrl, scrape } from '../../support/scrape.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { before, describe, it } = lab;

interface Dashboard {
    readonly panels: readonly { readonly id: number; readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

interface Rules {
    readonly groups: readonly {
        readonly rules: readonly {
            readonly alert: string; readonly expr: string; readonly labels: { readonly severity: string }; readonly annotations: { readonly summary: string };
        }[];
    }[];
}

const read = (name: string): string => readFileSync(join(ROOT, 'docs/monitoring', name), 'utf8');
const metricsIn = (text: string): string[] =>
    [...text.matchAll(/\b(?:doip_gateway|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name.replace(/_bucket$/, ''));

describe('the files for monitoring', () => {

    const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
    const rules = (parse(read('alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    let scraped: ReadonlySet<string>;

    before(async () => {

        const server = await startServer({ METRICS_PORT: 0 });
        const { families } = await scrape(metricsUrl(server));
        await server.stop();
        scraped = new Set(families.map(({ name }) => name));
    });

    it('name metrics that a scrape has', () => {

        for (const text of [...expressions, ...rules.map(({ expr }) => expr)]) {
            const names = metricsIn(text);
            expect(names.filter((name) => !scraped.has(name)), text).to.equal([]);
            expect(names.length > 0 || text.startsWith('up{'), text).to.be.true();
            expect(text.replace(/[^(]/g, '').length, text).to.equal(text.replace(/[^)]/g, '').length);
        }
    });

    it('show every metric of the service on the dashboard', () => {

        const shown = new Set(metricsIn(expressions.join(' ')));

        expect([...scraped].filter((name) => name.startsWith('doip_gateway_') && !shown.has(name))).to.equal([]);
    });

    it('have panels and rules with names of their own', () => {

        expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length);
        expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
        for (const { labels, annotations } of rules) {
            expect(labels.severity).to.match(/^(warning|critical)$/);
            expect(annotations.summary).to.not.be.empty();
        }
    });
});
