/**
 * The thread that merges segments.
 */

import { mergeSegments } from './merge.js';
import type { MergerAnswers, MergerCall } from './messages.js';
import { Segment } from './segment.js';
import { serveCalls } from './serve-calls.js';

serveCalls<MergerCall>(({ sources }): MergerAnswers['merge'] => {

    return mergeSegments(sources.map(({ sections, dead }) => ({ segment: Segment.of(sections), dead })));
});
