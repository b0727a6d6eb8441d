import { type OwnerSettingsDeps, ownerSettings } from "../../agents/conversations/owner-settings.ts"
import { AppError } from "../../errors.ts"
import { createRuns, type RunsDeps } from "../../work/runs/runs.ts"
import type { StartInside } from "../../work/teams/team-context.ts"

type Run = Parameters<StartInside>[1]

/** Creates a function that starts the nodes and merges of teams, in the teams' sessions and for the teams' owners. */
export function createStartInside(deps: RunsDeps & OwnerSettingsDeps): StartInside {
  const runs = createRuns(deps)
  return async ({ runId }, run, options) => {
    const asking = await deps.index.get(runId, options)
    if (!asking) throw new AppError("run_not_found", "There is no such run.", { run_id: runId })
    const { owner, sid, session_id: sessionId } = asking
    await runs.start({ ...(await withSettings(deps, owner, run, options)), owner, sid, sessionId }, options)
  }
}

/** Returns a program's run with its owner's settings, which apply to all turns of agents. */
async function withSettings(
  deps: OwnerSettingsDeps,
  owner: string,
  run: Run,
  options: { signal: AbortSignal },
): Promise<Run> {
  const { input } = run
  if (!("cli" in input)) return run
  const { repository, account, keys_only: keysOnly } = input
  const settings = await ownerSettings(deps, owner, { repository, account, keysOnly }, options)
  return { ...run, input: { ...input, ...settings } } as Run
}
