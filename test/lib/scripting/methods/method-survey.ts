import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { tooManyRequests } from '../../../../lib/errors/errors.js';
import { MethodSurvey } from '../../../../lib/scripting/methods/method-survey.js';
import type { FoundMethod, MethodSet } from '../../../../lib/scripting/methods/methods.js';
import { typeUnit } from '../../../../lib/scripting/program/program-catalog.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NONE: MethodSet = { found: [], unloadable: [] };

/** A survey of two types with a method each, of which the second cannot be looked at as often as told. */
function surveyed(failures: number, repeatMs: number): { survey: MethodSurvey; asked: string[] } {

    const asked: string[] = [];
    let left = failures;
    const ofType = async (type: string, group: FoundMethod['group']): Promise<MethodSet> => {

        if (group === 'staticMethods') {
            return NONE;
        }

        asked.push(type);
        if (type === 'Two' && left-- > 0) {
            throw tooManyRequests('too many scripts', 1);
        }

        return { ...NONE, found: [{ kind: 'instance', type, group, name: `of${type}`, unit: typeUnit(type, ''), allowGet: false, description: null }] };
    };

    const current = { codedNames: () => ['One', 'Two'], get: () => undefined };
    return {
        asked,
        survey: new MethodSurvey({
            methods: { ofType, onService: async () => NONE }, catalog: { current } as never, timeout: 60_000, repeatMs,
            scripts: { program: { version: '1', find: () => undefined }, unitOf: (type) => typeUnit(type, '') }
        })
    };
}

async function namesOf(survey: MethodSurvey): Promise<string[]> {

    return (await survey.current()).map(({ name }) => name);
}

describe('the survey of methods', () => {

    it('is made once for a state of the types', async () => {

        const { survey, asked } = surveyed(0, 0);

        expect([await namesOf(survey), await namesOf(survey)]).to.equal([['ofOne', 'ofTwo'], ['ofOne', 'ofTwo']]);
        expect<unknown>(await survey.current()).to.shallow.equal(await survey.current());
        expect(asked).to.equal(['One', 'Two']);
    });

    it('is repeated when code could not be run', async () => {

        const { survey, asked } = surveyed(1, 0);

        expect([await namesOf(survey), await namesOf(survey), await namesOf(survey)]).to.equal([['ofOne'], ['ofOne', 'ofTwo'], ['ofOne', 'ofTwo']]);
        expect(asked).to.equal(['One', 'Two', 'One', 'Two']);
    });

    it('is not repeated for each request', async () => {

        const { survey, asked } = surveyed(1, 60_000);

        expect([await namesOf(survey), await namesOf(survey)]).to.equal([['ofOne'], ['ofOne']]);
        expect(asked).to.equal(['One', 'Two']);
    });
});
