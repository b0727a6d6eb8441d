import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { openSession } from "@switchyard/core/kernel/rules"
import { describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { confinement } from "../runner/sandbox/confined.ts"
import { never as signal, someOf } from "../settings.ts"
import { ended, isRoot, openPassable, worktreeOf } from "./agent.ts"
import { personsRepository, prepare, refsIn, settingsIn, WAYS } from "./git-ways.ts"

// An agent tries everything that makes git start a program. Then the runner's git works in that worktree: it gets the
// status, saves, compares, merges and deletes.

const lacksSandbox = confinement.means === "bubblewrap" ? undefined : "there is no bubblewrap that works"
const MODES: { name: string; env: Record<string, string>; skip: string | undefined }[] = [
  { name: "a sandbox", env: { SWITCHYARD_AGENT_SANDBOX: "require" }, skip: lacksSandbox },
  { name: "no sandbox", env: { SWITCHYARD_AGENT_SANDBOX: "off" }, skip: undefined },
  {
    name: "a sandbox and a user of its own",
    env: { SWITCHYARD_AGENT_SANDBOX: "require", SWITCHYARD_AGENT_USER: "nobody" },
    skip: isRoot ? lacksSandbox : "this user isn't root",
  },
]

const CASES = MODES.flatMap((mode) => Object.entries(WAYS).map(([way, script]) => ({ ...mode, way, script }))).filter(
  // Without a sandbox, an agent can change all refs.
  ({ env, way }) => env.SWITCHYARD_AGENT_SANDBOX === "require" || !way.endsWith("refs"),
)

describe("an agent that knows git", () => {
  describe.each(someOf(CASES, 5))("with $name", ({ env, skip, way, script }) => {
    it(`leaves nothing that git starts ${way}`, needs(skip), async () => {
      await using depot = await openPassable()
      const { folder, git, smudged } = personsRepository(depot.folder)
      const proof = join(depot.folder, "programs/proof")
      writeFileSync(proof, "")
      chmodSync(proof, 0o666)
      if (env.SWITCHYARD_AGENT_USER) execFileSync("chown", ["-R", "nobody", folder])
      const before = settingsIn(join(folder, ".git"))
      const refs = refsIn(git)
      await depot.session.decide(openSession("s", { repository: folder }), { signal })
      const runner = depot.start({}, { env })

      runner.run(await depot.create({ commands: [prepare(proof), script] }, folder))
      const first = await ended(depot, 0)
      expect([first.type, runner.stderr()]).toEqual(["run_completed", ""])
      expect(smudged()).toBe("smudged\n")
      expect(settingsIn(join(folder, ".git"))).toEqual(before)
      expect(refsIn(git)).toEqual(refs)
      // The person adds a commit that conflicts with the agent's work.
      writeFileSync(join(folder, "x.trap"), "mine\n")
      git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "mine")
      if (env.SWITCHYARD_AGENT_USER) execFileSync("chown", ["-R", "nobody", folder])
      runner.run(await depot.create({ commands: ["echo again >again; echo y >>x.clean; rm -rf nested"] }, folder))
      const second = await ended(depot, first.seq)
      expect([second.type, runner.stderr()]).toEqual(["run_completed", ""])
      const isConfined = env.SWITCHYARD_AGENT_SANDBOX === "require"
      // Without a sandbox, the person's git runs the agent's programs.
      const ran = () => readFileSync(proof, "utf8").split("\n").filter(Boolean)
      expect(ran()).toEqual(isConfined ? [] : expect.any(Array))
      expect(readFileSync(join(await worktreeOf(depot), "ran"), "utf8")).not.toBe("")
      const merge = { command: "merge", strategy: "squash", commit_message: "Merge", delete_worktree: true } as const
      await depot.session.decide(requestCommand("cmd_1", merge), { signal })
      const stopped = await depot.seen("worktree_command_finished", second.seq)
      expect(stopped).toMatchObject({ answer: { status: "conflicts" }, error: null })
      await depot.session.decide(requestCommand("cmd_2", { command: "resolve", resolution: { use_incoming: true } }), {
        signal,
      })
      const merged = await depot.seen("worktree_command_finished", stopped.seq)
      expect(merged).toMatchObject({ answer: { status: "merged", worktree_deleted: true }, error: null })
      expect(readFileSync(join(folder, "again"), "utf8")).toBe("again\n")
      expect(readFileSync(join(folder, "name.up"), "utf8")).toBe("ADA\n")

      expect(ran()).toEqual(isConfined ? [] : expect.any(Array))
      expect(settingsIn(join(folder, ".git"))).toEqual(before)
      expect(existsSync(join(folder, ".git/worktrees"))).toBe(false)
      expect(refsIn(git).map(([ref]) => ref)).toEqual(refs.map(([ref]) => ref))
      expect(runner.stderr()).toBe("")
    })
  })
})
