import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { logName } from "@switchyard/core/kernel/keys"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { worktreeUser } from "@switchyard/runner/processes/agent-user"
import { expect } from "vitest"
import { type Depot, openDepot } from "../runner/runner-process.ts"
import { never } from "../settings.ts"

export const isRoot = process.getuid?.() === 0

/** A user that every machine has. */
const NAME = "nobody"
/** Returns the uid of a worktree's user. */
export const uidIn = ({ folder: data, sid }: Depot, worktree = "main") => worktreeUser({ data, sid, worktree }).uid
/** Restricts agents only by their user, as on a machine without a sandbox. */
export const env = {
  SWITCHYARD_AGENT_USER: NAME,
  SWITCHYARD_AGENT_SANDBOX: "off",
  SECRET_OF_THE_RUNNER: "not for agents",
}

/** Opens a depot in a folder whose parents let every user pass. */
export const openPassable = () => openDepot({ parent: "/var/tmp" })

/**
 * Writes an agent that only runs a script in its worktree, with the output in `said.txt`. Returns the program's folder.
 */
export function scripted(depot: Depot, script: string, cli: "codex" | "claude" = "codex"): string {
  const programs = join(depot.folder, "programs")
  mkdirSync(programs, { recursive: true })
  const summary = JSON.stringify({ change_summary: "Done." })
  const events = {
    codex: [
      { type: "thread.started", thread_id: "t" },
      { type: "item.completed", item: { id: "item_0", type: "agent_message", text: summary } },
      { type: "turn.completed", usage: {} },
    ],
    claude: [
      { type: "system", subtype: "init", session_id: "0b0e7a52-0000-4000-8000-000000000000", model: "m" },
      { type: "assistant", message: { id: "m1", content: [{ type: "text", text: summary }] } },
      { type: "result", subtype: "success", is_error: false, result: summary },
    ],
  }
  const said = events[cli].map((event) => `echo '${JSON.stringify(event)}'`)
  const [opened, ...end] = said
  const lines = [
    "#!/bin/sh",
    'case " $* " in *" app-server "*) exit 2 ;; esac',
    opened,
    `(\n${script}\n) >said.txt 2>&1`,
    ...end,
  ]
  writeFileSync(join(programs, cli), lines.join("\n"), { mode: 0o755 })
  return programs
}

/** Resolves to the folder of the worktree that changed last, or of the main one. */
export async function worktreeOf(depot: Depot, which: "newest" | "main" = "newest"): Promise<string> {
  const changed = (await depot.events()).filter((event) => event.type === "worktree_changed")
  const found = changed.findLast(({ worktree }) => which === "newest" || (worktree ?? MAIN_WORKTREE) === MAIN_WORKTREE)
  return found?.status.path ?? "there is none"
}

/** Resolves to the end of the first run that ends after this event. */
export async function ended(depot: Depot, since: number): Promise<{ type: string; seq: number }> {
  for await (const event of depot.deps.log.tail(logName(depot.sid), since, { signal: never })) {
    if ("seq" in event && endsRun(event)) return event
  }
  throw new Error("No run ended.")
}

/** Runs the script as an agent, and resolves to its output. */
export async function tried(
  depot: Depot,
  script: string,
  {
    agentId = "main",
    repository = null,
    sandbox = "off",
    path,
  }: { agentId?: string; repository?: string | null; sandbox?: string; path?: string } = {},
): Promise<string> {
  const since = (await depot.events()).length
  const how = { env: { ...env, SWITCHYARD_AGENT_SANDBOX: sandbox, ...(path !== undefined && { PATH: path }) } }
  const runner = depot.start({ programs: [scripted(depot, script)] }, how)
  runner.run(await depot.create({}, repository, { cli: "codex", agentId }))
  expect([(await ended(depot, since)).type, runner.stderr()]).toEqual(["run_completed", ""])
  return readFileSync(join(await worktreeOf(depot), "said.txt"), "utf8")
}
