import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { missingTools, runDocsScript } from "../docs-scripts.ts"
import { expectSound, readSession } from "../faults/ledger.ts"
import { serveForge } from "../fixtures/forge-server.ts"
import { serveGit } from "../fixtures/git-server.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { ROOT } from "./bundles.ts"
import { ADMIN_TOKEN, type Cloud } from "./cloud.ts"
import { OWNER, sidOf } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

const GIT_TOKEN = "ghp_canary-of-the-rehearsal"
/** The session that the scripts name. */
const SESSION = "first"

const TEST = `require("node:test").test("adds", () => require("node:assert").equal(require("./sum.js"), 3))\n`
const PROJECT = {
  "package.json": `${JSON.stringify({ scripts: { test: "node --test" } })}\n`,
  "sum.js": "module.exports = 2\n",
  "sum.test.js": TEST,
}

/** A team's first day with a stage. Only the admin's token exists. */
export const owner: Scenarios = {
  async "a new owner, from nothing to a merged pull request, by the scripts of docs/deploy.md"({ cloud }) {
    if (missingTools) return console.log(`       not tried: ${missingTools}`)
    await using host = await openHost()
    const { forge, env, cwd, show } = host
    const mended = { files: { "sum.js": "module.exports = 3\n" }, commands: ["id -u > user.txt"] }
    const asked = { files: { "README.md": "It adds.\n" }, commands: ["cp sum.js copy.js"] }
    const variables = { ...env(cloud), OWNER, TASK: task("Mend the sum.", mended), REVIEW: task("Explain it.", asked) }

    const first = await runDocsScript("deploy.md", { cwd, env: variables })
    expect(first.code, first.output).toBe(0)
    expect(first.output).toContain("https://forge.example/ada/x/pulls/1")
    expect(forge.pulls[0]?.body).toContain("| npm test | passed | 0 | 1 test passed |")
    expect(forge.statuses.map(({ state }) => state)).toEqual(["success"])
    expect(show("main:sum.js")).toBe("module.exports = 2\n")

    // A week later, the containers are gone.
    await containersGone(cloud)
    const second = await runDocsScript("deploy.md", { nth: 1, cwd, env: variables })
    expect(second.code, second.output).toBe(0)
    expect(forge.pulls).toMatchObject([{ number: 1, open: false }])
    for (const path of ["sum.js", "copy.js"]) expect(show(`main:${path}`)).toBe("module.exports = 3\n")
    expect(show("main:README.md")).toBe("It adds.\n")
    expect(show("main:sum.test.js")).toBe(TEST)
    if (process.getuid?.() === 0) expect(Number(show("main:user.txt"))).toBeGreaterThan(0)

    await containersGone(cloud)
    const ledger = await readSession(cloud.stores, SESSION)
    expectSound(ledger, SESSION)
    const { events } = ledger
    expect(events.filter(({ type }) => type === "run_completed").length).toBeGreaterThanOrEqual(2)
    const opened = events.filter((event) => event.type === "agent_session_opened")
    expect(new Set(opened.map((event) => event.native_session_id)).size).toBe(1)
    expect(cloud.ecs.tasksOf(sidOf(SESSION)).length).toBeGreaterThanOrEqual(2)
    // Neither the log nor the functions' output contains a secret.
    const token = (await readFile(join(cwd, "owner.token"), "utf8")).trim()
    for (const secret of [GIT_TOKEN, token]) {
      expect(JSON.stringify(events)).not.toContain(secret)
      expect(cloud.printed()).not.toContain(secret)
    }
  },
}

function task(text: string, knobs: object): string {
  return `${text} mock: ${JSON.stringify(knobs)}`
}

async function containersGone({ ecs }: Cloud): Promise<void> {
  while (ecs.tasksOf(sidOf(SESSION)).some(({ ended }) => !ended)) await pause(100)
}

/** Opens a git host with a private repository, and its owner's folder with the command line installed. */
async function openHost() {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-owner-"))
  const cwd = join(folder, "laptop")
  await mkdir(cwd)
  await symlink(join(ROOT, "node_modules"), join(cwd, "node_modules"))
  const repository = join(folder, "served", "ada", "x.git")
  await mkdir(join(folder, "served", "ada"), { recursive: true })
  const source = makeRepository(join(folder, "source"), PROJECT)
  execFileSync("git", ["clone", "--bare", "--quiet", source.folder, repository])
  const git = await serveGit(join(folder, "served"), { username: "x-access-token", password: GIT_TOKEN })
  const forge = await serveForge("github", { token: GIT_TOKEN, repository })
  const api = `${forge.url}/api/v3`
  return {
    ...{ forge, cwd },
    show: (object: string) => execFileSync("git", ["show", object], { cwd: repository, encoding: "utf8" }),
    env: ({ url }: Pick<Cloud, "url">) => ({
      ...{ SWITCHYARD_URL: url, SWITCHYARD_TOKEN: ADMIN_TOKEN, AGENT: "mock", MODEL_KEY: "" },
      ...{ GIT_TOKEN, GIT_HOST: git.host, GIT_HOST_OPTIONS: `--http --kind github --api-url ${api}` },
      ...{ REPOSITORY: `http://${git.host}/ada/x.git`, PULLS: `${api}/repos/ada/x/pulls` },
    }),
    async [Symbol.asyncDispose]() {
      await git[Symbol.asyncDispose]()
      await forge[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
