/**
 * Entry point of the merge thread.
 */

import { mergeSegments } from '../indexing/merge/segment-merger.js';
import type { MergerAnswers, MergerCall } from './protocol.js';
import { Segment } from '../segment/segment-reader.js';
import { serveCalls } from '../../util/workers/worker-server.js';

serveCalls<MergerCall>(({ sources }): MergerAnswers['merge'] => {

    return mergeSegments(sources.map(({ sections, deleted }) => ({ segment: Segment.of(sections), deleted })));
});
