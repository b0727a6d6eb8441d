import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { worktreeUser } from "@switchyard/runner/processes/agent-user"
import type { Buildah } from "../../tools/image/buildah.ts"
import { ended, scripted } from "../hostile/agent.ts"
import { gains, KEY, prepareStage, readOutcomes } from "../hostile/stage.ts"
import { type Depot, openDepot } from "../runner/runner-process.ts"

/** Where a container sees the depot. */
const DATA = "/data"
/** As `tools/image/system.sh` makes it: the owner of repositories in the container. */
const AGENT = 10001

/**
 * The image's runner, as root, has the mock agent do a task as another user: in a session's own files, and in a repository,
 * which is `agent`'s. Each agent that is installed says its version as `agent`, too.
 */
export async function tryImage(buildah: Buildah, image: string, agents: string[]): Promise<void> {
  const container = await buildah.run("from", "--pull-never", image)
  try {
    for (const name of agents) {
      const said = await buildah.run("run", "--user", "agent", "--env", "HOME=/tmp", container, "--", name, "--version")
      console.log(`  ${name}: ${said.split("\n").at(-1)}`)
    }
    await expectBills(buildah, container, agents)
    await inOwnFiles(buildah, container)
    await inRepository(buildah, container)
    await toRegistry(buildah, container)
    const another = (["gemini", "qwen"] as const).find((name) => !agents.includes(name))
    if (another) await installsAnother(buildah, container, another)
    await inHostileHands(buildah, container)
    await passesHostileTests(buildah, container)
  } finally {
    await buildah.run("rm", container)
  }
}

/** What is in the image is told in it, and agents can't change what others run. */
async function expectBills(buildah: Buildah, container: string, agents: string[]): Promise<void> {
  const root = await buildah.run("mount", container)
  for (const name of ["system", "switchyard", ...agents]) {
    const { components } = JSON.parse(readFileSync(join(root, `usr/share/sbom/${name}.cdx.json`), "utf8"))
    console.log(`  ${name}: ${components.length} packages`)
    assert(components.length > 0, `The bill of materials of ${name} is empty.`)
  }
  const writable = ["find", "/opt", "-writable", "-not", "-type", "l"]
  assert.equal(await buildah.run("run", "--user", "agent", container, "--", ...writable), "", "Agents can write to it.")
}

async function inOwnFiles(buildah: Buildah, container: string): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const runner = startIn(buildah, container, depot)
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

async function inRepository(buildah: Buildah, container: string): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  // In a folder that agents pass, and theirs: what belongs to somebody else, they can't change.
  const theirs = join(depot.folder, "projects/theirs")
  mkdirSync(theirs, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: theirs, encoding: "utf8" })
  git("init", "-q", "-b", "main")
  writeFileSync(join(theirs, "README.md"), "theirs\n")
  git("add", "-A")
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "begin")
  execFileSync("chown", ["-R", `${AGENT}:${AGENT}`, theirs])
  const runner = startIn(buildah, container, depot)
  runner.run(await depot.create({ files: { "new.txt": "new\n" } }, `${DATA}/projects/theirs`))
  await depot.seen("run_completed")
  assert.match(git("show", "--stat", "--format=%s", "--all"), /new\.txt/)
  assert.equal(git("status", "--porcelain"), "")
  await stop(runner)
}

/** An agent's programs fetch a package from a listed registry by the runner's proxy, and are refused what isn't listed. */
async function toRegistry(buildah: Buildah, container: string): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const script = `npm pack --silent is-number@7.0.0; git ls-remote https://attacker.example/x.git; echo "$HTTPS_PROXY"`
  scripted(depot, script)
  const env = { SWITCHYARD_AGENT_HOSTS: "registry.npmjs.org" }
  const runner = startIn(buildah, container, depot, { programs: [`${DATA}/programs`] }, env)
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

/** An agent that the image doesn't have is installed when a task takes it, and begins to work. */
async function installsAnother(buildah: Buildah, container: string, cli: "gemini" | "qwen"): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  const runner = startIn(buildah, container, depot)
  const runId = await depot.create({}, null, { cli })
  runner.run(runId, 0, { api_key: KEY, base_url: "http://127.0.0.1:1" })
  const installing = await depot.seen("progress")
  assert.match(installing.summary, /^Installing /)
  await depot.seen("agent_turn_started")
  console.log(`  ${cli}, which isn't in it, was installed and began to work`)
  runner.child.stdin?.end()
  await runner.exited
}

/** An agent that attacks all that is around it gets nothing here either. */
async function inHostileHands(buildah: Buildah, container: string): Promise<void> {
  await using depot = await openDepot({ parent: "/var/tmp" })
  // There is no API in a runner's container.
  prepareStage(depot, { data: DATA, node: "node", api: "http://127.0.0.1:1", apiSession: "none" })
  const runner = startIn(buildah, container, depot, { programs: [`${DATA}/programs`] })
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

/** The suite of the hostile agent holds in the image's root, too, among its users and programs. */
async function passesHostileTests(buildah: Buildah, container: string): Promise<void> {
  const project = join(import.meta.dirname, "../..")
  const place = ["--volume", `${project}:${project}`, "--workingdir", project, "--env", "HOME=/root"]
  const vitest = ["node", "node_modules/vitest/vitest.mjs", "run", "tests/hostile", "--reporter", "dot"]
  const said = await buildah.run("run", ...place, container, "--", ...vitest)
  console.log(`  tests/hostile: ${/Tests\s.*/.exec(stripVTControlCharacters(said))?.[0]}`)
}

/** As the image is started, but for where it finds its session. */
function startIn(
  buildah: Buildah,
  container: string,
  depot: Depot,
  changes: Parameters<Depot["start"]>[0] = {},
  env: Record<string, string> = {},
) {
  const settings = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`])
  const inside = ["tini", "-s", "--", "node", "/opt/switchyard/packages/runner/src/main.mjs"]
  const place = ["--volume", `${depot.folder}:${DATA}`, ...settings]
  const { file, args } = buildah.command("run", ...place, container, "--", ...inside)
  return depot.start({ data_folder: DATA, ...changes }, { command: [file, ...args] })
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
