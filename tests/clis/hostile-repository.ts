import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { chmod, readdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { makeRepository, type TestRepository } from "../functions/agents/repository.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { hostileFiles, MARK } from "./hostile-files.ts"
import { newKey } from "./limits.ts"
import { type Place, places, provideProgram, USER } from "./places.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { type Script, startScriptedModel } from "./scripted-model.ts"

/** Entries of the table that make each program start something by itself, in the mode bypass after consent. */
const STARTS: Partial<Record<BuiltInCli, string[]>> = {
  claude: [".claude", ".mcp.json"],
  codex: [".codex"],
  gemini: [".gemini"],
  qwen: [".qwen"],
  opencode: ["opencode.json", "opencode.jsonc"],
  vibe: [".vibe"],
}

/** For plugins, opencode downloads packages before it starts, so without a network it never answers. */
const PLUGINS = ".opencode"

/** Returns a program's scenarios: each mode once, each place at least once. The last one continues with consent. */
export function hostileScenarios(cli: BuiltInCli) {
  return places.map((place, at) => {
    const modes = PermissionMode.options.filter((_, index) => index % places.length === at)
    const isLast = at === places.length - 1
    const consented = isLast ? ", something with consent, and nothing once a file has changed" : ""
    return {
      name: `${clis[cli].title} starts nothing that a hostile repository names, ${place.name}, in ${modes.join(" and ")}${consented}`,
      run: (programs: string) => playHostile(cli, programs, { place, modes, isLast }),
    }
  })
}

/** Takes long enough for programs that start beside the agent's work to begin. */
const LOOK: Script = [[{ read: "README.md" }], [{ read: "README.md" }]]
const DENIED = "denied.txt"

/** Has a real program work in a hostile repository, on a whole server. */
async function playHostile(
  cli: BuiltInCli,
  programs: string,
  { place, modes, isLast }: { place: Place; modes: PermissionMode[]; isLast: boolean },
): Promise<void> {
  // Runners inherit the server's environment.
  Object.assign(process.env, NOWHERE, place.env)
  const server = await startServer({ env: { AUTH_MODE: "open" } })
  const around = dirname(server.folder)
  try {
    await chmod(around, 0o711)
    Object.assign(process.env, await provideProgram(cli, programs, server.folder))
    const repository = makeRepository(join(around, "theirs"), { "README.md": "Theirs\n", ...hostileFiles() })
    // The owner's files above all worktrees, which an agent's program must not find. The server blocks access to those
    // in its data folder.
    makeRepository(join(around, "above"), hostileFiles())
    const copy = "rm -rf above/.git; chmod -R a+rX above; umask 022; cp -R above/. ."
    execFileSync("sh", ["-c", copy], { cwd: around })
    const scene = await openScene(cli, server, repository, place)
    await using _model = scene.model
    for (const mode of modes) {
      const { notices } = await scene.work({ mode })
      assert.ok(notices.includes("which would start programs"), notices)
      assert.deepEqual(await scene.marks(), [], `${mode}: ${notices}`)
    }
    if (!isLast) return
    if (cli === "opencode") await scene.commit(() => rmSync(join(repository.folder, PLUGINS), { recursive: true }))
    const allowed = await scene.work({ mode: "bypass", consent: true })
    assert.ok(allowed.types.includes("start_files_allowed"), allowed.notices)
    assert.deepEqual(await scene.marks(), STARTS[cli], "after consent")
    // The consent is stored when that run ends.
    while ((await scene.consents()) === 0);
    const stored = await scene.work({ mode: "bypass" })
    assert.deepEqual(await scene.marks(), STARTS[cli], `in the next session: ${stored.notices}`)
    // A project with consent may allow commands, but the owner's rules still deny them.
    await scene.deny("touch")
    for (const mode of ["bypass", "accept_edits"] as const) {
      await scene.work({ mode }, [[{ run: `touch ${DENIED}` }]])
      assert.ok(!(await scene.has(DENIED)), `${mode}: a denied command ran.`)
    }
    await scene.marks()
    await scene.commit(() => repository.write(changed()))
    const again = await scene.work({ mode: "bypass" })
    assert.ok(again.notices.includes("which would start programs"), again.notices)
    assert.deepEqual(await scene.marks(), [], "after a change")
  } finally {
    await server.close()
  }
}

async function openScene(cli: BuiltInCli, server: TestServer, repository: TestRepository, { hasUser }: Place) {
  const key = newKey()
  const model = await startScriptedModel(key, () => repository.folder)
  const account = { name: "work", provider: cli, api_key: key, base_url: model.url, model: models[cli] }
  const made = await server.call("POST", "/api/v1/accounts", { json: account })
  assert.equal(made.status, 201, made.text)
  const setRules = async (...denied: object[]) => {
    // Some programs ask before they read.
    const json = { rules: [{ tool: "any", effect: "allow" }, ...denied], repositories: [] }
    assert.equal((await server.call("PUT", "/api/v1/config/permissions", { json })).status, 200)
  }
  await setRules()
  const asOwner = () => hasUser && execFileSync("chown", ["-R", USER, repository.folder])
  asOwner()
  // Consent to an agent that asks nothing is separate, and doesn't cover the files.
  await server.core().consents.give("local", repository.folder, {})
  return {
    model,
    consents: async () =>
      (await server.call("GET", "/api/v1/consents")).body.consents.filter(
        ({ kind }: { kind: string }) => kind === "start_files",
      ).length,
    async commit(change: () => void) {
      change()
      repository.git("commit", "-qam", "change")
      asOwner()
    },
    /** Runs a task in a new session. */
    async work(about: { mode: PermissionMode; consent?: boolean }, script = LOOK) {
      model.script = script
      const task = { kind: "agent", coding_agent: "work", user_prompt: "Look around.", repository: repository.folder }
      const begun = await server.call("POST", "/v1/runs", { json: { ...task, ...about } })
      assert.equal(begun.status, 201, begun.text)
      const { run_id, workspace_id } = begun.body
      const run = await server.ended(run_id)
      const { events } = (await server.call("GET", `/api/v1/sessions/${workspace_id}/events?limit=1000`)).body
      assert.equal(run.status, "completed", JSON.stringify([run.error, events]).slice(0, 5000))
      const notices: string = events.flatMap((event: { text?: string }) => event.text ?? []).join("\n")
      return { types: events.map(({ type }: { type: string }) => type) as string[], notices }
    },
    deny: (command: string) => setRules({ tool: "bash", command, effect: "deny" }),
    /** True if any worktree, home or branch has a file of this name. */
    async has(name: string): Promise<boolean> {
      const found = await readdir(dirname(server.folder), { recursive: true })
      const committed = repository.git("log", "--all", "--name-only", "--format=")
      return found.some((path) => path.endsWith(`/${name}`)) || committed.split("\n").includes(name)
    },
    /** Returns the names of the programs that started since the last call, wherever their marks are. */
    async marks(): Promise<string[]> {
      const found = await readdir(dirname(server.folder), { recursive: true, withFileTypes: true })
      const marks = found.filter(({ name }) => name.startsWith(MARK))
      for (const { parentPath, name } of marks) await rm(join(parentPath, name), { force: true })
      return [...new Set(marks.map(({ name }) => name.slice(MARK.length)))].sort()
    },
  }
}

/** Returns the hostile files, each with a change that doesn't affect programs. */
function changed(): Record<string, string> {
  return Object.fromEntries(Object.entries(hostileFiles()).map(([path, content]) => [path, `${content}\n`]))
}
