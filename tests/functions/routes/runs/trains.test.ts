import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { killRunner } from "../../../faults/kill-runner.ts"
import { needs } from "../../../needs.ts"
import { writeHook } from "../../agents/repository.ts"
import { openTeam } from "../../agents/team.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const folderOf = (name: string) => join(dirname(server.folder), name)
/** A project whose only check is its build, which fails if the file `broken` exists. */
const PROJECT = { "shared.txt": "one\n", Makefile: "build:\n\ttest ! -e broken\n" }

const checks = needs(spawnSync("make", ["--version"]).error && "there is no make; apt-get install make")

describe("a merge train", () => {
  it("merges worktrees in their order, each once, and checks the branch after each", checks, async () => {
    const team = await openTeam(server, folderOf("train"), PROJECT)
    for (const name of ["api", "docs"]) await team.work(name, { files: { [`${name}.txt`]: `${name}\n` } })
    const { run, steps } = await team.train({ worktrees: ["docs", "api"], checks: true, consent: true })
    expect(run).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    expect(steps).toMatchObject(
      ["docs", "api"].map((worktree) => {
        return {
          worktree,
          status: "merged",
          target_branch: "main",
          verdict: { status: "passed", workspace_version: null },
        }
      }),
    )
    const [head] = team.repository.git("log", "--format=%H", "main").split("\n")
    expect(steps[1].commit).toBe(head)
    expect(steps[1].verdict).toMatchObject({ commit: head, checks: [{ name: "build", passed: true }] })
    expect(team.subjects()).toHaveLength(3)
    expect(team.repository.git("ls-tree", "--name-only", "main").trim().split("\n")).toEqual([
      "Makefile",
      "api.txt",
      "docs.txt",
      "shared.txt",
    ])
    const { body } = await team.session.ask("GET", "?worktree=docs")
    expect(body.exists).toBe(false)
    expect(server.reported).toEqual([])
  })

  it("stops at the first worktree that conflicts, whose merge waits, and at one that is at work", async () => {
    const team = await openTeam(server, folderOf("conflicts"), PROJECT)
    for (const name of ["one", "two", "three"]) await team.work(name, { files: { "shared.txt": `by ${name}\n` } })
    const { run, steps } = await team.train({ worktrees: ["one", "two", "three"] })
    const message = expect.stringContaining("stopped at two")
    expect(run).toMatchObject({ status: "failed", error: { error_type: "merge_stopped", message } })
    expect(steps).toMatchObject([
      { worktree: "one", status: "merged", verdict: null },
      { worktree: "two", status: "conflicts", conflicts: ["shared.txt"] },
    ])
    // The commands name the train's run, so that a cancelled train merges nothing more.
    const asked = (await team.session.events()).filter(({ type }) => type === "worktree_command_requested")
    expect(asked).toMatchObject([{ asking_run: run.run_id }, { asking_run: run.run_id }])
    const resolved = await team.session.ask("POST", "/resolve-conflicts?worktree=two", {
      json: { use: "theirs", complete: true },
    })
    expect(resolved.body).toMatchObject({ status: "merged" })
    await team.tell("three", { hangs: true })
    const busy = await team.train({ worktrees: ["three"] })
    expect(busy.steps).toMatchObject([{ status: "refused", message: "An agent is working in this worktree." }])
    await server.call("POST", `${team.path}/agents/three/interrupt`, { json: {} })
    await team.untilIdle("three")
    expect(team.repository.git("show", "main:shared.txt")).toBe("by two\n")
    expect(server.reported).toEqual([])
  })

  it("that is cancelled in the middle of a merge finishes that one, tells of it, and begins no other", async () => {
    const { team, runId, steps, release } = await cancelledInHook("cancelled")
    release()
    expect((await server.ended(runId)).status).toBe("cancelled")
    const [head] = team.repository.git("log", "--format=%H", "main").split("\n")
    expect(await steps()).toMatchObject([{ worktree: "first", status: "merged", commit: head }])
    expect(team.subjects()).toHaveLength(2)
    expect(server.reported).toEqual([])
  })

  /** Starts a train whose first merge waits in a git hook, and cancels the train there. */
  async function cancelledInHook(name: string) {
    const team = await openTeam(server, folderOf(name), PROJECT)
    for (const worktree of ["first", "second"]) await team.work(worktree, { files: { [`${worktree}.txt`]: "x\n" } })
    const [begun, go] = [folderOf(`${name}-begun`), folderOf(`${name}-go`)]
    const hooks = join(team.repository.folder, ".git/hooks")
    writeHook(hooks, "pre-commit", `touch '${begun}'\nuntil test -e '${go}'; do sleep 0.02; done`)
    const json = { worktrees: ["first", "second"], run_hooks: true }
    const { body } = await server.call("POST", `${team.path}/merge-trains`, { json })
    await expect.poll(() => existsSync(begun)).toBe(true)
    expect((await server.call("POST", `/v1/runs/${body.run_id}/cancel`)).status).toBe(200)
    const steps = async () => (await server.call("GET", `${team.path}/merge-trains/${body.run_id}`)).body.steps
    return { team, runId: body.run_id as string, steps, release: () => writeFileSync(go, "") }
  }

  itDeep(
    "that is cancelled doesn't wait for a hook that takes long, and what it did is told all the same",
    async () => {
      const { team, runId, steps, release } = await cancelledInHook("slow")
      expect((await server.ended(runId)).status).toBe("cancelled")
      expect(await steps()).toEqual([])
      release()
      await expect.poll(steps).toMatchObject([{ index: 0, worktree: "first", status: "merged" }])
      const [head] = team.repository.git("log", "--format=%H", "main").split("\n")
      expect((await steps())[0].commit).toBe(head)
      expect(team.subjects()).toHaveLength(2)
      expect(server.reported).toEqual([])
    },
  )

  it("that is cancelled tells what became of a merge whose runner was killed", async () => {
    const { team, runId, steps, release } = await cancelledInHook("killed")
    await killRunner(server, team.session.id)
    release()
    expect((await server.ended(runId)).status).toBe("cancelled")
    await expect.poll(steps).toMatchObject([{ index: 0, worktree: "first" }])
    const [{ status }] = await steps()
    expect(team.subjects()).toHaveLength(status === "merged" ? 2 : 1)
  })

  itDeep("stops at the first merge after which a check fails, and says what failed", checks, async () => {
    const team = await openTeam(server, folderOf("broken"), PROJECT)
    for (const name of ["bad", "later"]) {
      await team.work(name, { files: name === "bad" ? { broken: "x" } : { [`${name}.txt`]: "x" } })
    }
    const { run, steps } = await team.train({ worktrees: ["bad", "later"], checks: true, consent: true })
    expect(run.status).toBe("failed")
    expect(steps.map(({ status }: { status: string }) => status)).toEqual(["check_failed"])
    expect(steps[0].message).toMatch(/^The check failed: make build/)
    expect(team.subjects()).toHaveLength(2)
    expect((await team.session.ask("GET", "?worktree=later")).body.exists).toBe(true)
  })

  it("is refused for worktrees that aren't there, or are named twice", async () => {
    const team = await openTeam(server, folderOf("refused"), PROJECT)
    const ask = (worktrees: string[]) => server.call("POST", `${team.path}/merge-trains`, { json: { worktrees } })
    expect((await ask(["nobody"])).body.error).toMatchObject({ code: "worktree_not_found" })
    for (const worktrees of [[], ["a", "a"], ["-x"], ["../x"]]) expect((await ask(worktrees)).status).toBe(422)
  })
})
