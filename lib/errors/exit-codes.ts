/** Exit codes of the process, those of sysexits.h where it defines one. docs/operating.md explains them. */

export const EXIT = { failed: 1, usage: 64, data: 65, noInput: 66, unavailable: 69, cannotCreate: 73, lost: 74, noPermission: 77, config: 78 } as const;
