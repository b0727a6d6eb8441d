import assert from "node:assert/strict"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { worktreeUser } from "@switchyard/runner/processes/agent-user"
import type { Buildah } from "../../tools/image/buildah.ts"
import { ended, scripted } from "../hostile/agent.ts"
import { gains, KEY, prepareStage, readOutcomes } from "../hostile/stage.ts"
import { type Depot, openDepot } from "../runner/runner-process.ts"
import { type Container, DATA, makeRepository, runIn, startIn } from "./container.ts"
import { tryLanguages } from "./languages.ts"

/**
 * Tests an image. Its runner, as root, makes the mock agent do a task as another user: in a session's own files, and in
 * a repository owned by `agent`. Each installed agent prints its version as `agent`. Attacks are left out under an
 * emulator, which is too slow and hides their results.
 */
export async function tryImage(
  buildah: Buildah,
  image: string,
  { agents, isEmulated }: { agents: string[]; isEmulated: boolean },
): Promise<void> {
  await inContainer(buildah, { image, isEmulated }, async (container) => {
    for (const name of agents) {
      const said = await runIn(container, ["--user", "agent", "--env", "HOME=/tmp"], name, "--version")
      console.log(`  ${name}: ${said.split("\n").at(-1)}`)
    }
    await expectBills(container, agents)
    await inOwnFiles(container)
    await inRepository(container)
    await tryLanguages(container, [])
    if (isEmulated) return
    await toRegistry(container)
    const another = (["gemini", "qwen"] as const).find((name) => !agents.includes(name))
    if (another) await installsAnother(container, another)
    await inHostileHands(container)
    await passesHostileTests(container)
  })
}

/** Creates a container of an image for `work`, and removes it afterwards. */
export async function inContainer(
  buildah: Buildah,
  { image, isEmulated }: { image: string; isEmulated: boolean },
  work: (container: Container) => Promise<void>,
): Promise<void> {
  const name = await buildah.run("from", "--pull-never", image)
  try {
    await work({ buildah, name, isEmulated })
  } finally {
    await buildah.run("rm", name)
  }
}

/** Checks that the image contains its bills of materials, and that agents can't change shared programs. */
async function expectBills(container: Container, agents: string[]): Promise<void> {
  const root = await container.buildah.run("mount", container.name)
  for (const name of ["system", "switchyard", ...agents]) {
    const { components } = JSON.parse(readFileSync(join(root, `usr/share/sbom/${name}.cdx.json`), "utf8"))
    console.log(`  ${name}: ${components.length} packages`)
    assert(components.length > 0, `The bill of materials of ${name} is empty.`)
  }
  const writable = ["find", "/opt", "-writable", "-not", "-type", "l"]
  assert.equal(await runIn(container, ["--user", "agent"], ...writable), "", "Agents can write to it.")
}

async function inOwnFiles(container: Container): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const runner = startIn(container, depot)
  runner.run(await depot.create({ files: { "made/by-agent.txt": "hello\n" } }))
  await depot.seen("run_completed")
  const signal = AbortSignal.timeout(10_000)
  await depot.session.catchUp({ signal })
  const workspace = await openWorkspace(depot.deps, depot.session, { signal })
  assert.equal(await workspace.readText(workspacePath("made/by-agent.txt"), { signal }), "hello\n")
  const tree = await worktreeOf(depot)
  const { uid } = worktreeUser({ data: DATA, sid: depot.sid, worktree: "main" })
  assert.equal(statSync(join(tree, "made/by-agent.txt")).uid, uid, "The file isn't the agent's.")
  await stop(runner)
}

async function inRepository(container: Container): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const { path, git } = makeRepository(depot, { "README.md": "theirs\n" })
  const runner = startIn(container, depot)
  runner.run(await depot.create({ files: { "new.txt": "new\n" } }, path))
  await depot.seen("run_completed")
  assert.match(git("show", "--stat", "--format=%s", "--all"), /new\.txt/)
  assert.equal(git("status", "--porcelain"), "")
  await stop(runner)
}

/**
 * Checks that an agent's programs can download from a listed registry through the runner's proxy, but reach no other
 * host.
 */
async function toRegistry(container: Container): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const script = `npm pack --silent is-number@7.0.0; git ls-remote https://attacker.example/x.git; echo "$HTTPS_PROXY"`
  scripted(depot, script)
  const env = { SWITCHYARD_AGENT_HOSTS: "registry.npmjs.org" }
  const runner = startIn(container, depot, { programs: [`${DATA}/programs`] }, env)
  runner.run(await depot.create({}, null, { cli: "codex" }))
  assert.equal((await ended(depot, 0)).type, "run_completed")
  const said = readFileSync(join(await worktreeOf(depot), "said.txt"), "utf8")
  for (const each of [/^is-number-7\.0\.0\.tgz\n/, /403/, /\nhttp:\/\/127\.0\.0\.1:\d+\n$/]) assert.match(said, each)
  const notices = (await depot.events()).flatMap((event) => (event.type === "agent_notice" ? [event.text] : []))
  assert(
    notices.some((text) => text.includes("access to attacker.example was blocked")),
    notices.join("\n"),
  )
  console.log("  npm reached its registry by the runner's proxy, and git was refused a host that isn't listed")
  runner.child.stdin?.end()
  await runner.exited
}

/** Checks that an agent missing from the image is installed when a task needs it, and starts to work. */
async function installsAnother(container: Container, cli: "gemini" | "qwen"): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const runner = startIn(container, depot)
  const runId = await depot.create({}, null, { cli })
  runner.run(runId, 0, { api_key: KEY, base_url: "http://127.0.0.1:1" })
  const installing = await depot.seen("progress")
  assert.match(installing.summary, /^Installing /)
  await depot.seen("agent_turn_started")
  console.log(`  ${cli}, which isn't in it, was installed and began to work`)
  runner.child.stdin?.end()
  await runner.exited
}

/** Checks that an agent that attacks everything within reach gains nothing in the image. */
async function inHostileHands(container: Container): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  // A runner's container has no API.
  prepareStage(depot, { data: DATA, node: "node", api: "http://127.0.0.1:1", apiSession: "none" })
  const runner = startIn(container, depot, { programs: [`${DATA}/programs`] })
  const runId = await depot.create({}, null, { cli: "codex" })
  runner.run(runId, 0, { api_key: KEY, base_url: "http://127.0.0.1:1" })
  assert.equal((await ended(depot, 0)).type, "run_completed")
  const { outcomes, uid } = readOutcomes(await worktreeOf(depot))
  assert.notEqual(uid, 0)
  assert.deepEqual(gains(outcomes), [])
  console.log(`  ${outcomes.size} attempts of a hostile agent got nothing`)
  runner.child.stdin?.end()
  await runner.exited
}

/** Runs the hostile agent's test suite inside the image, with its root, users and programs. */
async function passesHostileTests(container: Container): Promise<void> {
  const project = join(import.meta.dirname, "../..")
  // The tests choose the agents' user themselves.
  const env = ["--env", "HOME=/root", "--env", "SWITCHYARD_AGENT_USER="]
  const place = ["--volume", `${project}:${project}`, "--workingdir", project, ...env]
  const vitest = ["node", "node_modules/vitest/vitest.mjs", "run", "tests/hostile", "--reporter", "dot"]
  const said = await runIn(container, place, ...vitest)
  console.log(`  tests/hostile: ${/Tests\s.*/.exec(stripVTControlCharacters(said))?.[0]}`)
}

async function stop(runner: ReturnType<typeof startIn>): Promise<void> {
  runner.child.stdin?.end()
  assert.deepEqual(await runner.exited, { code: 0, signal: null }, runner.stderr())
  assert.equal(runner.stderr(), "")
}

async function worktreeOf(depot: Depot): Promise<string> {
  const found = (await depot.events()).findLast((event) => event.type === "worktree_changed")
  return (found?.status.path ?? "").replace(DATA, depot.folder)
}
