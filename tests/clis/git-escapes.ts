import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { chmod, glob, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { logName } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { personsRepository, prepare, refsIn, settingsIn, WAYS } from "../hostile/git-ways.ts"
import { type Depot, openDepot } from "../runner/runner-process.ts"
import { newKey } from "./limits.ts"
import { type Place, places, provideProgram, USER } from "./places.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { startScriptedModel } from "./scripted-model.ts"

/** A real program whose agent uses one of the ways to make git start a program. */
interface GitEscape {
  cli: BuiltInCli
  way: string
  place: Place
}

/** Every program with every way. Each combination uses one of this machine's places, in turn. */
export const gitEscapes: GitEscape[] = BuiltInCli.options
  .filter((cli) => models[cli])
  .flatMap((cli, column) =>
    Object.keys(WAYS).flatMap((way, row) => {
      // Without a sandbox, an agent can change all refs.
      const possible = places.filter(({ isConfined }) => isConfined || !way.endsWith("refs"))
      const place = possible[(row + column) % possible.length]
      return place ? [{ cli, way, place }] : []
    }),
  )

export function nameOfEscape({ cli, way, place }: GitEscape): string {
  return `${clis[cli].title} leaves nothing that git starts ${way}, ${place.name}`
}

/**
 * Has a real program's model leave something that makes git start a program. Throws if the started program ran outside
 * the sandbox or as the server's user, or remains in the person's repository after the merge.
 */
export async function playGitEscape({ cli, way, place }: GitEscape, programs: string): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const { folder, git } = personsRepository(depot.folder)
  const proof = join(depot.folder, "programs/proof")
  await writeFile(proof, "")
  await chmod(proof, 0o666)
  if (place.hasUser) execFileSync("chown", ["-R", USER, folder])
  const before = settingsIn(join(folder, ".git"))
  const refs = namesIn(git)

  const key = newKey()
  let tree = ""
  const findTree = async () => {
    for await (const path of glob(join(depot.folder, "projects", depot.sid, "*/work/*/tree"))) tree = path
  }
  await using model = await startScriptedModel(key, () => tree, findTree)
  const script = `${prepare(proof)}\n${WAYS[way]}\n`
  model.script = [[{ write: "plant.sh", content: script }], [{ run: "sh plant.sh" }]]
  await depot.session.decide(openSession("s", { repository: folder }), { signal })
  const found = await provideProgram(cli, programs, depot.folder)
  const runner = depot.start({}, { env: { ...NOWHERE, ...place.env, ...found } })
  const run = await depot.create({}, folder, { cli, model: models[cli] ?? null, consent: true })
  runner.run(run, 0, { api_key: key, base_url: model.url })
  const { type, seq } = await endOf(depot)
  const seen = `${runner.stderr()} ${JSON.stringify(await depot.events()).slice(-4000)}`
  assert.equal(type, "run_completed", seen)
  assert.notEqual(await readFile(join(tree, "ran"), "utf8").catch(() => ""), "", seen)
  const merge = { command: "merge", strategy: "squash", commit_message: "Merge", delete_worktree: true } as const
  await depot.session.decide(requestCommand("cmd_1", merge), { signal })
  const merged = await depot.seen("worktree_command_finished", seq)
  assert.equal(merged.error, null, JSON.stringify(merged))
  assert.deepEqual(settingsIn(join(folder, ".git")), before)
  assert.deepEqual(namesIn(git), refs)
  const ran = (await readFile(proof, "utf8")).split("\n").filter(Boolean)
  if (place.isConfined) assert.deepEqual(ran, [], "A program ran outside of the sandbox.")
  const own = place.hasUser ? ran.filter((line) => line.endsWith(" 0")) : []
  assert.deepEqual(own, [], "A program ran as the server's user.")
}

const namesIn = (git: (...args: string[]) => string) => refsIn(git).map(([name]) => name)

const signal = new AbortController().signal

async function endOf(depot: Depot): Promise<{ type: string; seq: number }> {
  for await (const event of depot.deps.log.tail(logName(depot.sid), 0, { signal })) {
    if ("seq" in event && endsRun(event)) return event
  }
  throw new Error("No run ended.")
}
