import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SecondsHistogram } from '../../../lib/metrics/seconds-histogram.js';

export const lab = Lab.script();
const { describe, it } = lab;

const FACTS = { name: 'wait_seconds', help: 'How long.', labels: ['operation', 'protocol'], bounds: [0.001, 0.5, 2] } as const;

describe('a histogram of seconds', () => {

    it('counts values up to each bound, their number and their sum, by its labels', () => {

        const histogram = new SecondsHistogram(FACTS);
        [0, 0.001, 0.0011, 0.5, 2, 2.5, 1000].forEach((seconds) => histogram.observe(seconds, 'Op.Retrieve', 'rest'));
        histogram.observe(0.25, 'Op.Retrieve', 'doip');

        expect(histogram.text()).to.equal([
            '# HELP wait_seconds How long.',
            '# TYPE wait_seconds histogram',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="rest",le="0.001"} 2',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="rest",le="0.5"} 4',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="rest",le="2"} 5',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="rest",le="+Inf"} 7',
            'wait_seconds_sum{operation="Op.Retrieve",protocol="rest"} 1005.0021',
            'wait_seconds_count{operation="Op.Retrieve",protocol="rest"} 7',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="doip",le="0.001"} 0',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="doip",le="0.5"} 1',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="doip",le="2"} 1',
            'wait_seconds_bucket{operation="Op.Retrieve",protocol="doip",le="+Inf"} 1',
            'wait_seconds_sum{operation="Op.Retrieve",protocol="doip"} 0.25',
            'wait_seconds_count{operation="Op.Retrieve",protocol="doip"} 1',
            ''
        ].join('\n'));
    });

    it('has name, meaning and type before it has a value', () => {

        expect(new SecondsHistogram(FACTS).text()).to.equal('# HELP wait_seconds How long.\n# TYPE wait_seconds histogram\n');
    });

    it('escapes values of labels, so that none can add a line', () => {

        const histogram = new SecondsHistogram({ ...FACTS, labels: ['writer'], bounds: [1] });
        histogram.observe(0.5, 'a "quoted"\nname \\');

        expect(histogram.text().split('\n')).to.have.length(7).and.to.include('wait_seconds_count{writer="a \\"quoted\\"\\nname \\\\"} 1');
    });
});
