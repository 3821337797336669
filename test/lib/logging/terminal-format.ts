import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { formatForTerminal } from '../../../lib/logging/terminal-format.js';

export const lab = Lab.script();
const { describe, it } = lab;

const TIME = '2026-03-04T05:06:07.008Z';
const CLOCK = new Date(TIME).toTimeString().slice(0, 8);

const format = (fields: object): string => formatForTerminal(`${JSON.stringify({ level: 'info', time: TIME, event: 'a.b', msg: 'text', ...fields })}\n`, false);

describe('a line of the log on a terminal', () => {

    it('has time, level, message, event and fields', () => {

        expect(format({ port: 80, name: 'two words', list: [1, 'x'], nothing: null })).to.equal(
            `${CLOCK} INFO  text  a.b port=80 name="two words" list=[1,"x"] nothing=null\n`);
    });

    it('names method, URL and status of a request first', () => {

        expect(format({ event: 'http.request', msg: 'request', requestId: 'r1', method: 'GET', url: '/objects/test/1', status: 200, ms: 3 })).to.equal(
            `${CLOCK} INFO  GET /objects/test/1 200  http.request requestId=r1 ms=3\n`);
    });

    it('shows the stack of an error and of its causes below it', () => {

        const err = { type: 'Error', message: 'outer', stack: 'Error: outer\n    at f', cause: { type: 'Error', message: 'inner', stack: 'Error: inner\n    at g' } };

        expect(format({ level: 'error', err })).to.equal(
            `${CLOCK} ERROR text  a.b\n    Error: outer\n        at f\n    caused by Error: inner\n        at g\n`);
    });

    it('lets no text control the terminal', () => {

        const hostile = 'a\u001b[2J\u009b31m\r\n\u202eb\u2028';
        const line = format({ msg: hostile, value: hostile, [hostile]: 1, err: { stack: `Error: ${hostile}` } });

        expect(line.replaceAll('\n', '')).to.match(/^\P{C}+$/u);
        expect(line).to.include('a\\u{1b}[2J\\u{9b}31m');
    });

    it('has colours where the terminal has', () => {

        const line = formatForTerminal(JSON.stringify({ level: 'warn', time: TIME, event: 'a.b', msg: 'text' }), true);

        expect(line).to.equal(`${CLOCK} \u001b[33mWARN \u001b[0m text  \u001b[2ma.b\u001b[0m\n`);
    });
});
