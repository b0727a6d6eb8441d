import { AppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { requireKey } from "../../people/accounts/keys-only.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { runOf } from "../../work/runs/state.ts"
import { TeamInput } from "../../work/teams/schema.ts"

/** Throws `task_invalid` if a program in the session's team depends on its agent's own login instead of a key. */
export async function requireTeamKeys(
  deps: { log: Log; blobs: Blobs; accounts: Pick<Accounts, "list"> },
  owner: string,
  session: Pick<SessionHandle, "sid" | "state">,
  options: { signal: AbortSignal },
): Promise<void> {
  const { coordinator, agents } = await readTeamInput(deps, session, options)
  const programs = [coordinator, ...(agents?.choices ?? []), agents?.verification?.reviewer]
  const names = new Set(programs.flatMap((program) => program?.account?.toLowerCase() ?? []))
  const accounts = names.size > 0 ? await deps.accounts.list(owner, options) : []
  for (const { name, has_login: hasLogin } of accounts) {
    if (names.has(name.toLowerCase())) requireKey({ account: name, hasLogin })
  }
}

async function readTeamInput(
  { log, blobs }: { log: Log; blobs: Blobs },
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  options: { signal: AbortSignal },
): Promise<TeamInput> {
  const run = state.team ? runOf(state, state.team.runId) : undefined
  if (!run) throw new AppError("not_found", "This session has no team.")
  for await (const event of log.read(logName(sid), run.firstSeq - 1, options)) {
    if (event.type === "run_created") return readField(blobs, event.input, TeamInput, options)
  }
  throw new AppError("internal_error", "A team's run is missing from its session's log.")
}
