import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { chmod, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { CliId } from "@switchyard/core/agents/clis/schema"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { logName } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { personsRepository, prepare, refsIn, settingsIn, WAYS } from "../hostile/git-ways.ts"
import { type Depot, openDepot } from "../runner/runner-process.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { startScriptedModel } from "./scripted-model.ts"

/** The programs that play it. Qwen and opencode have not been seen to finish it yet. */
export const usedForGitEscapes = ["claude", "codex", "gemini"] as const satisfies CliId[]

/**
 * Has a real program's model leave all by which git starts a program, in the sandbox. Throws if one of them ran outside, or
 * remains in the person's repository after the merge.
 */
export async function playGitEscapes(cli: CliId, programs: string): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  await symlink(programs, join(depot.folder, "programs"))
  const theirs = join(depot.folder, "theirs")
  const { folder, git } = personsRepository(theirs)
  const proof = join(theirs, "programs/proof")
  await writeFile(proof, "")
  await chmod(proof, 0o666)
  const [settings, refs] = [settingsIn(join(folder, ".git")), refsIn(git)]

  const key = `sk-test-${randomBytes(24).toString("hex")}`
  let tree = ""
  await using model = await startScriptedModel(
    key,
    () => tree,
    async () => {
      tree = await worktreeOf(depot)
    },
  )
  const planted = WAYS["by settings, hooks, attributes and nested repositories"] ?? ""
  model.script = [[{ write: "plant.sh", content: `${prepare(proof)}\n${planted}\n` }], [{ run: "sh plant.sh" }]]
  await depot.session.decide(openSession("s", { repository: folder }), { signal })
  const runner = depot.start({}, { env: { ...NOWHERE, SWITCHYARD_AGENT_SANDBOX: "require" } })
  const run = await depot.create({}, folder, { cli, model: models[cli] ?? null, consent: true })
  runner.run(run, 0, { api_key: key, base_url: model.url })
  const { type, seq } = await endOf(depot)
  const seen = `${runner.stderr()} ${JSON.stringify(await depot.events()).slice(-4000)}`
  assert.equal(type, "run_completed", seen)
  assert.notEqual(await readFile(join(tree, "ran"), "utf8").catch(() => ""), "", `Nothing was planted. ${seen}`)
  const merge = { command: "merge", strategy: "squash", commit_message: "Merge", delete_worktree: true } as const
  await depot.session.decide(requestCommand("cmd_1", merge), { signal })
  const merged = await depot.seen("worktree_command_finished", seq)
  assert.equal(merged.error, null, JSON.stringify(merged))
  assert.deepEqual(settingsIn(join(folder, ".git")), settings)
  assert.deepEqual(namesOf(refsIn(git)), namesOf(refs))
  assert.equal(await readFile(proof, "utf8"), "", "A program ran outside of the sandbox.")
}

const namesOf = (refs: [name: string, commit: string][]) => refs.map(([name]) => name)

const signal = new AbortController().signal

async function endOf(depot: Depot): Promise<{ type: string; seq: number }> {
  for await (const event of depot.deps.log.tail(logName(depot.sid), 0, { signal })) {
    if ("seq" in event && endsRun(event)) return event
  }
  throw new Error("No run ended.")
}

async function worktreeOf(depot: Depot): Promise<string> {
  const changed = (await depot.events()).findLast((event) => event.type === "worktree_changed")
  return changed?.status.path ?? ""
}
