/** `20.DOIP/Op.GetInitData`: initial data for a user interface: version, design, types, and the current user. */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { design, initData, TYPE_SCHEMAS } from '../../doip/result-schemas.js';
import { COMPATIBLE_VERSION, implementation } from '../../util/version.js';
import { designDocument } from '../../types/design-document.js';

export const getInitData = defineOperation({
    id: Op.getInitData,
    summary: 'read version, design and the current login',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    resultSchema: initData(design(TYPE_SCHEMAS)),

    async handler({ caller, services }) {

        const { catalog, policy } = services;
        const { native } = services.endpoint();
        const active = caller.userId !== null;
        return result.json({
            version: { number: COMPATIBLE_VERSION, timestamp: implementation.timestamp, implementation: { ...implementation } },
            design: designDocument(catalog.current),
            ...native ? { doip: { ipAddress: native.address, port: native.port, protocol: 'TCP', protocolVersion: '2.0' } } : {},
            isActiveSession: active,
            active,
            ...(caller.userId === null ? {} : { userId: caller.userId }),
            ...(caller.username === null ? {} : { username: caller.username }),
            typesPermittedToCreate: policy.typesPermittedToCreate(caller),
            groupIds: [...caller.groupIds]
        });
    }
});
