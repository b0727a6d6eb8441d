import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { createLog } from "@switchyard/core/log/log"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"

/** Creates sessions without limits and credentials on the given stores. */
export function openSessions({ records, blobs, clock }: { records: Records; blobs: Blobs; clock: Clock }) {
  const log = createLog({ records, blobs, clock })
  const base = { records, blobs, clock, log, newId: createNewId(), fold: sessionFold, writer: "test" }
  const limits = createOwnerLimits({ ...base, limits: { sessions: 0, storedBytes: 0, terminals: 0 } })
  return createSessions({
    ...{ ...base, limits, due: createDueList(records), gitHostGrants: { grant: async () => {} } },
    repositoryCredentials: createRepositoryCredentials({ records, sealerOf: () => createSealer(new Uint8Array(32)) }),
  })
}
