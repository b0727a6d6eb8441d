import { execFileSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { openSession } from "@switchyard/core/kernel/rules"
import { findAgentUser } from "@switchyard/runner/processes/agent-user"
import { describe, expect, it } from "vitest"
import { itDeep } from "../../depth.ts"
import { ended, env, isRoot, openPassable, scripted, tried, uidIn, worktreeOf } from "../../hostile/agent.ts"
import { needs } from "../../needs.ts"
import { never } from "../../settings.ts"
import { commandLines } from "../agents/workshop.ts"
import { worktreeFolder } from "../worktree-folder.ts"

const signal = never
if (!isRoot) console.log("Skipped: that agents run as another user, which takes a runner that is root.")

describe("an agent whose runner is root", needs(isRoot ? undefined : "this user isn't root"), () => {
  it("works as its own user, in files that are its own, and they are committed", async () => {
    await using depot = await openPassable()
    const runner = depot.start({}, { env })
    runner.run(await depot.create({ files: { "src/a.txt": "hello\n" } }))
    await depot.seen("run_completed")
    runner.run(await depot.create({ files: { "src/b.txt": "again\n" } }))
    await depot.seen("run_completed", (await depot.seen("run_completed")).seq)
    await depot.session.catchUp({ signal })
    const workspace = await openWorkspace(depot.deps, depot.session, { signal })
    expect(await workspace.readText(workspacePath("src/a.txt"), { signal })).toBe("hello\n")
    expect(await workspace.readText(workspacePath("src/b.txt"), { signal })).toBe("again\n")
    const tree = await worktreeOf(depot)
    for (const path of ["", "src", "src/a.txt", "src/b.txt"]) expect(statSync(join(tree, path)).uid).toBe(uidIn(depot))
    expect(runner.stderr()).toBe("")
  })

  it("works in a repository that other users' worktrees share, and its work is merged into theirs", async () => {
    await using depot = await openPassable()
    const runner = depot.start({}, { env })
    runner.run(await depot.create({ files: { "main.txt": "main\n" } }))
    const { seq } = await depot.seen("run_completed")
    runner.run(await depot.create({ files: { "api.txt": "api\n" } }, null, { agentId: "api" }))
    await depot.seen("run_completed", seq)
    const merge = { command: "merge", strategy: "squash", commit_message: "Merge", delete_worktree: true } as const
    await depot.session.decide(requestCommand("cmd_1", merge, "api"), { signal })
    const finished = await depot.seen("worktree_command_finished", seq)
    expect(finished).toMatchObject({ answer: { status: "merged" }, error: null })
    const checkout = join(depot.folder, "projects", depot.sid, "1/workspace")
    expect(readdirSync(checkout).sort()).toEqual([".git", "api.txt", "main.txt"])
    expect(statSync(join(checkout, ".git")).uid).toBe(uidIn(depot, "main"))
    expect(runner.stderr()).toBe("")
  })

  it("works in a repository of the machine as the user that it belongs to", async () => {
    await using depot = await openPassable()
    const theirs = join(depot.folder, "projects/theirs")
    mkdirSync(theirs, { recursive: true })
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: theirs }).toString()
    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "begin")
    execFileSync("chown", ["-R", "nobody", theirs])
    await depot.session.decide(openSession("s", { repository: theirs }), { signal })
    const script = "id -un; git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m mine"
    expect(await tried(depot, script, { repository: theirs })).toBe("nobody\n")
    expect(git("-c", "safe.directory=*", "log", "--all", "--format=%s")).toMatch(/^mine$/m)
  })

  it("has a home that is nobody else's, its terminal, its git, and no group of root's", async () => {
    await using depot = await openPassable()
    const said = await tried(
      depot,
      `id -u; stat -c '%u %a' "$HOME"; echo hello >"$(readlink /proc/$$/fd/2)" && echo written
      git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m mine; git log --format=%s -1
      id -G; node -p 'os.userInfo().username'`,
    )
    const [uid, home, written, subject, groups = "", name] = said.split("\n")
    expect(name).toBe(`agent-${uid}`)
    const own = `${uidIn(depot)}`
    expect([uid, home, written, subject]).toEqual([own, `${own} 700`, "written", "mine"])
    expect(groups.split(" ").map(Number)).not.toContain(0)
  })

  it("can't read the runner's environment, its data, another account's home or another session's project", async () => {
    await using depot = await openPassable()
    const home = join(depot.folder, "homes/bert-other/home")
    const project = join(depot.folder, "projects/fedcba9876543210fedcba9876543210/1")
    for (const folder of [home, project]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "secret"), "not for agents")
    }
    writeFileSync(join(depot.folder, "master.key"), "not for agents", { mode: 0o644 })
    // Set the owners and modes that the other session's runner sets.
    const own = uidIn(depot)
    execFileSync("chown", ["-R", `${own}:${own}`, home, project])
    for (const folder of [join(home, ".."), join(project, "..")]) {
      execFileSync("chown", ["0:300000000", folder])
      execFileSync("chmod", ["710", folder])
    }
    const said = await tried(
      depot,
      `runner=$PPID; while [ "$(stat -c %u /proc/$runner 2>&-)" = ${own} ]; do runner=$(awk '/^PPid/ { print $2 }' /proc/$runner/status); done
      cat /proc/$runner/environ; kill -9 $runner
      cat ${depot.folder}/records.sqlite ${depot.folder}/master.key; ls ${depot.folder} ${depot.folder}/homes ${depot.folder}/projects
      cat ${home}/secret ${project}/secret; ls ${join(home, "..")} ${join(project, "..")}`,
    )
    expect(said).not.toContain("not for agents")
    expect(said.match(/Permission denied|not permitted|No such file|nonexistent/g)).toHaveLength(11)
  })

  it("is ended with all that it started, also in a container, where root may not look into others' processes", async () => {
    await using depot = await openPassable()
    const naps = `1${randomInt(2 ** 30)}`
    const script = `(setsid sleep ${naps} &); (setsid env -i /bin/sleep ${naps} &)`
    // The same capabilities as in infra/.
    const kept = ["chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setpcap", "setuid"]
    const within = ["setpriv", `--bounding-set=-all,${kept.map((name) => `+${name}`).join()}`]
    const runner = depot.start({ programs: [scripted(depot, script)] }, { env, within })
    runner.run(await depot.create({}, null, { cli: "codex" }))
    await depot.seen("run_completed")
    expect((await commandLines()).filter((line) => line.includes(naps))).toEqual([])
    expect(runner.stderr()).toBe("")
  })

  itDeep("goes on when a session of the same name ends in another data folder", async () => {
    await using depot = await openPassable()
    await using other = await openPassable()
    const done = join(depot.folder, "programs/done")
    const waits = `echo waits >>.begun; until [ -e ${done} ]; do sleep 0.05; done`
    const runner = depot.start({ programs: [scripted(depot, waits)] }, { env })
    runner.run(await depot.create({}, null, { cli: "codex" }))
    const tree = await worktreeFolder(depot)
    await expect.poll(() => existsSync(join(tree, ".begun"))).toBe(true)
    await tried(other, "echo done")
    writeFileSync(done, "", { mode: 0o644 })
    expect([(await ended(depot, 0)).type, runner.stderr()]).toEqual(["run_completed", ""])
  })

  it("can't make the runner run anything as root by what it writes into its repository", async () => {
    await using depot = await openPassable()
    const proof = join(depot.folder, "programs/proof")
    await tried(
      depot,
      `git config filter.trap.clean 'id -u >>${proof}; cat'; echo '* filter=trap' >.gitattributes; echo x >x; chmod 777 .`,
    )
    expect(existsSync(proof)).toBe(false)
  })

  it("is never root where the user that was named isn't there", async () => {
    await expect(findAgentUser("nobody-at-all")).rejects.toThrow("doesn't exist or is root")
    await expect(findAgentUser("root")).rejects.toThrow("set to root")
    expect(await findAgentUser(undefined)).toBeUndefined()
  })
})
