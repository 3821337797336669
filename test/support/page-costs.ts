/** What an interaction costs a page of the web UI: processor time until it is painted, and the time that the page itself measures. */

import { expect } from '@hapi/code';
import type { WatchedPage } from './browser.js';

/**
 * Processor time of the page from an interaction to the end of its frame, in milliseconds: code, styles and layout. Without other load it takes up to 100,
 * which a busy machine makes more, as what asks the page does not rest meanwhile.
 */
const MAX_MS = 1000;

/** Follows that; `slowest()` returns the maximum since the last call. Interactions of less than 16 ms are not reported. */
const OBSERVER = `{
    let durations = [];
    const note = (entries) => durations.push(...entries.map(({ duration }) => duration));
    const observer = new PerformanceObserver((list) => note(list.getEntries()));
    observer.observe({ type: 'event', durationThreshold: 16, buffered: true });
    window.slowest = () => {
        note(observer.takeRecords());
        const slowest = Math.max(0, ...durations);
        durations = [];
        return slowest;
    };
}`;

/** Runs after the next frame. */
const PAINTED = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';

/** Costs of interactions. */
export interface PageCosts {
    /**
     * The highest of each, in milliseconds: of the processor, and elapsed from an interaction to its paint, as the page itself measures it. That is up to
     * 100 on an idle machine, and no limit on a busy one.
     */
    readonly costs: Record<string, number>;
    /** Does something, and checks what it costs the page until it is painted. */
    readonly cheaply: (title: string, act: () => Promise<unknown>) => Promise<void>;
}

/** Measures a page. To be called before the page is opened at an address. */
export async function measureCosts({ page, idle }: Pick<WatchedPage, 'page' | 'idle'>): Promise<PageCosts> {

    await page.addInitScript(OBSERVER);
    const tools = await page.context().newCDPSession(page);
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const elapsed = async (): Promise<number> => {

        const { metrics } = await tools.send('Performance.getMetrics');
        const counted = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
        return 1000 * metrics.filter(({ name }) => counted.includes(name)).reduce((sum, { value }) => sum + value, 0);
    };

    const costs: Record<string, number> = {};
    const cheaply = async (title: string, act: () => Promise<unknown>): Promise<void> => {

        await idle();
        const before = await elapsed();
        await page.evaluate('slowest()');
        await act();
        await page.evaluate(PAINTED);
        costs[title] = Math.max(costs[title] ?? 0, Math.round(await elapsed() - before));

        expect(costs[title], title).to.be.below(MAX_MS);
        // What the page measures it says after the frame.
        await page.evaluate(PAINTED);
        const paint = `${title}, to paint`;
        costs[paint] = Math.max(costs[paint] ?? 0, await page.evaluate<number>('slowest()'));
    };

    return { costs, cheaply };
}
