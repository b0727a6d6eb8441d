import { openSessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { agentsWanted } from "@switchyard/core/people/accounts/run-credentials"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { activeRuns } from "@switchyard/core/work/runs/state"
import { BROWSER_IMAGE, type EcsTarget } from "./ecs-target.ts"

/**
 * Returns the image that a session's runner needs: "browser" if its open runs may check a page, the name of its only
 * agent, or "plain" for no agents. Undefined if only the image with all agents will do.
 */
export async function imageWanted(
  deps: SessionLogDeps & { blobs: Blobs },
  { agent_definitions: images }: Pick<EcsTarget, "agent_definitions">,
  sid: string,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  if (Object.keys(images).length === 0) return undefined
  if (BROWSER_IMAGE in images && mayCheckPage((await openSessionLog(deps, sid, options)).state)) return BROWSER_IMAGE
  return agentsWanted(deps, sid, options)
}

/** True if an open run checks files. Only the runner finds out whether the files contain a page. */
function mayCheckPage(state: SessionState): boolean {
  return activeRuns(state).some(
    ({ kind, verification }) => kind === "check" || kind === "train" || verification !== null,
  )
}
