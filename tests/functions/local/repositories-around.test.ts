import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRulesOfOwners } from "@switchyard/core/people/settings/permission-rules"
import { repositoriesAround } from "@switchyard/functions/local/repositories-around"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeRepository } from "../agents/repository.ts"
import { startServer, type TestServer } from "../server.ts"

let around: string
let main: string
let linked: string
let server: TestServer
beforeAll(async () => {
  around = realpathSync(mkdtempSync(join(tmpdir(), "main-repository-")))
  main = makeRepository(join(around, "main")).folder
  linked = join(around, "linked")
  execFileSync("git", ["-C", main, "worktree", "add", "-q", linked])
  server = await startServer()
})
afterAll(async () => {
  await server.close()
  rmSync(around, { recursive: true })
})

it("is the one that a linked worktree belongs to, if that knows of it, and that worktree itself for its parts", async () => {
  expect(await repositoriesAround(linked)).toEqual([main])
  expect(await repositoriesAround(`${linked}/`)).toEqual([main])
  expect(await repositoriesAround(main)).toEqual([])
  expect(await repositoriesAround(join(around, "nowhere"))).toEqual([])
  for (const repository of [main, linked]) {
    const part = join(repository, "packages", "one")
    mkdirSync(part, { recursive: true })
    expect(await repositoriesAround(part)).toEqual(repository === main ? [main] : [main, linked])
  }
  const foreign = join(around, "foreign")
  mkdirSync(foreign)
  writeFileSync(join(foreign, ".git"), `gitdir: ${main}/.git/worktrees/linked\n`)
  expect(await repositoriesAround(foreign)).toEqual([])
})

it("has the settings of its linked worktrees, unless one has its own", async () => {
  const project = (path: string) =>
    server.call("GET", `/api/v1/config/project?project_path=${encodeURIComponent(path)}`).then(({ body }) => body)
  const json = { project_path: linked, test_command: "make test" }
  expect((await server.call("PUT", "/api/v1/config/project", { json })).body.project_path).toBe(main)
  expect(await project(main)).toMatchObject({ project_path: main, test_command: "make test" })
  expect(await project(linked)).toEqual(await project(main))

  const repositories = [
    { repository: main, checks: { test: "make test" } },
    { repository: linked, checks: { test: "make own" } },
  ]
  await server.call("PUT", "/api/v1/config/repositories", { json: { repositories } })
  for (const path of [linked, join(linked, "packages", "one")]) {
    expect(await project(path)).toMatchObject({ project_path: linked, test_command: "make own" })
  }
})

it("has its permission rules in its linked worktrees and its parts, before what these have of their own", async () => {
  const rule = (command: string, effect: string) => ({ tool: "any", command, effect })
  const rules = [
    { repository: main, rules: [rule("make", "deny")] },
    { repository: linked, rules: [rule("make test", "allow")] },
  ]
  const put = await server.call("PUT", "/api/v1/config/permissions", { json: { rules: [], repositories: rules } })
  expect(put.status, put.text).toBe(200)
  const { rulesFor } = createRulesOfOwners({ ...server.stores, repositoriesAround })
  const inForce = async (repository: string) => {
    return (await rulesFor("local", repository, {})).map(({ command }) => command)
  }
  expect(await inForce(main)).toEqual(["make"])
  expect(await inForce(join(main, "packages", "one"))).toEqual(["make"])
  expect(await inForce(linked)).toEqual(["make", "make test"])
  expect(await inForce(join(linked, "packages", "one"))).toEqual(["make", "make test"])
  expect(await inForce(join(around, "nowhere"))).toEqual([])
})
