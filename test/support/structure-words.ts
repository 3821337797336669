/**
 * Words that names must not have, since they are metaphors of our own or have several meanings, with the standard terms to use
 * instead; and the standard terms that must be found in the code.
 */

/** A word that names do not use. */
export interface ForbiddenWord {
    /** Its forms. A form of several words matches them in this order; upper-case ones match constants only. */
    readonly forms: readonly string[];
    /** The standard terms. */
    readonly standard: string;
    /** Names that may use it. */
    readonly allowed: readonly string[];
}

/** Forms that match a whole name only, as one that is part of a name may be a term. */
export const WHOLE = '=';

export const FORBIDDEN_WORDS: readonly ForbiddenWord[] = [
    word('desk desks', 'resolver, service, invoker, handler'),
    word('seat seats', 'worker slot'),
    word('lane lanes', 'worker, pool, queue'),
    word('turnstile turnstiles', 'semaphore'),
    word('=turns turn-limits loop-turns', 'semaphore, event loop yielder'),
    word('crowd crowds', 'in-flight requests, limiter'),
    word('wish wishes', 'request, command, options'),
    word('lent lend lends lender lending borrow borrows borrowed loan loans', 'export, import, share, snapshot, lease'),
    word('overtake overtakes overtaking overtaker', 'preemption'),
    word('stuck-watch', 'watchdog'),
    word('storage-watch', 'monitor'),
    word('turned-away told-away', 'early rejection, load shedding'),
    word('shelf shelves', 'cache region'),
    word('backlog', 'write throttle, pending changes'),
    word('prompt-search', 'inline search'),
    word('known-text known-queries known-places known-hashes =known', 'cache, raw text'),
    word('remembered', 'cached'),
    word('keeper keepers', 'flusher, participant, extractor'),
    word('gatherer gatherers', 'buffer, collector'),
    word('asked asking =searching occasion', 'request, context'),
    word('told tell tells', 'notify, report'),
    word('work-room', 'scratch buffers'),
    word('place places', 'slot, index, permit, resolved field, term context', 'addSamePlace visitSamePlace samePlace IN_PLACE IN_PLACE_MAPS inPlaceReferences'),
    word('patience', 'timeout'),
    word('=leaves =leaf', 'leaf query, leaf evaluator'),
    word('word-wish word-search word-target only-word', 'single-term query'),
    word('few-documents many-documents few-found', 'sparse set, dense set'),
    word('rarity', 'idf'),
    word('bury buried', 'delete, tombstone'),
    word('dead', 'deleted'),
    word('given-away', 'shared, copy on write'),
    word('world worlds', 'program'),
    word('twin twins', 'equal'),
    word('finder finders', 'loader, source'),
    word('judge judges judged', 'validate, validator'),
    word('refuse refuses refused', 'reject, rejected'),
    word('portion portion-bytes', 'batch'),
    word('piece pieces', 'chunk, slice, part'),
    word('noted notes', 'recorded, remark'),
    word('coming', 'planned'),
    word('overtaken', 'preempted, conflict'),
    word('looks looked', 'options, visited'),
    word('owes news life', 'pending, unknown, generation'),
    word('imagine reveal tidy', 'a verb of the field'),
    word('mine handed heard patient quiet', 'matching, replayed, activity, idle'),
    word('held-segments', 'pins, leases'),
    word('follower followers', 'tailer, consumer'),
    word('fault faults', 'error, violation'),
    word('upload-gate write-gate log-gate =gate', 'barrier, limiter'),
    word('=guard', 'precondition, check'),
    word('line-answers', 'channel'),
    word('bell', 'signal'),
    word('stretch', 'time slice, quantum'),
    word('long-run long-runs', 'scheduler, time slice'),
    word('tired longest-rest', 'penalty, throttled'),
    word('object-finder', 'loader'),
    word('script-world', 'program'),
    word('script-unit unit-checker', 'entry module, validator'),
    word('coded-rules', 'auth-config hooks'),
    word('=stages', 'shutdown stack, disposable stack'),
    word('persistent-start first-start', 'retry, repo init'),
    word('silence', 'idle, stalled'),
    word('=look =looks', 'options'),
    word('=exchange', 'operation call'),
    word('=settled', 'timeout'),
    word('=released', 'on close'),
    word('=memory', 'cache, LRU'),
    word('term-space', 'term dictionary, term kind'),
    word('ranks', 'doc values, ordinals'),
    word('posting-log', 'postings buffer'),
    word('posting-ends', 'end offsets'),
    word('term-halves term-signatures', 'half-term index, letter mask'),
    word('waiting-documents', 'indexing buffer'),
    word('number-floor safe-number', 'watermark', '014-number-floor numberFloor number_floor'),
    word('hit-blocks', 'pages'),
    word('written-object =object-text', 'serialized object, lazy object'),
    word('json-prune', 'filter, project'),
    word('answer-queue shared-steps', 'completion queue, coalescing'),
    word('nobody somebody whoever', 'a noun'),
    word('telling', 'discriminating'),
    word('vain', 'wasted'),
    word('MOST LONGEST LARGEST', 'MAX_'),
    word('LEAST FEWEST', 'MIN_'),
    word('AT-ONCE', 'BATCH_SIZE, CHUNK_SIZE'),
    word('PIECE', 'CHUNK_SIZE'),
    word('kept', 'cached, MAX_ENTRIES', 'withoutKept'),
    word('late', 'lazy')
];

/**
 * How many variables, parameters and properties may still have such a word: those that are logged (`fault` of database errors), stored
 * (`wish` of the reindexing job), or the kind of a message. It must only be lowered.
 */
export const MAX_FORBIDDEN_VARIABLES = 6;

/** A mechanism by the words that an engineer searches for; any of them will do. */
export const STANDARD_TERMS: readonly (readonly string[])[] = [
    ['semaphore'], ['lru'], ['rate limit'], ['watchdog'], ['doc values'], ['merge policy'], ['preempt'], ['throttl'], ['mutex'], ['tombstone'],
    ['worker pool', 'thread pool'], ['time slice'], ['query cache'], ['posting list'], ['back pressure', 'backpressure']
];

/** How many of {@link STANDARD_TERMS} must be found. */
export const MIN_STANDARD_TERMS = 15;

function word(forms: string, standard: string, allowed = ''): ForbiddenWord {

    return { forms: forms.split(' '), standard, allowed: allowed.split(' ') };
}
