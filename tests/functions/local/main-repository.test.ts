import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mainRepositoryOf } from "@switchyard/functions/local/main-repository"
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

it("is the one that a linked worktree belongs to, if that knows of it", async () => {
  expect(await mainRepositoryOf(linked)).toBe(main)
  expect(await mainRepositoryOf(`${linked}/`)).toBe(main)
  expect(await mainRepositoryOf(main)).toBeUndefined()
  expect(await mainRepositoryOf(join(around, "nowhere"))).toBeUndefined()
  const foreign = join(around, "foreign")
  mkdirSync(foreign)
  writeFileSync(join(foreign, ".git"), `gitdir: ${main}/.git/worktrees/linked\n`)
  expect(await mainRepositoryOf(foreign)).toBeUndefined()
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
  expect(await project(linked)).toMatchObject({ project_path: linked, test_command: "make own" })
})
