import { afterAll, beforeAll, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const jsonLines = (stdout: string) =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))

it("versions are listed, restored whole or by file, and undone with the printed command", async () => {
  const session = await openSession(server)
  const ask = (...args: string[]) => switchyard([...args, "--workspace", session.id], { url: server.url })
  expect(await ask("versions")).toMatchObject({ code: 0, stdout: "", stderr: "There are no versions yet.\n" })
  await session.edit("a.txt", "one")
  await session.edit("b.txt", "other")
  await session.edit("a.txt", "two")

  const listed = await ask("versions")
  expect(listed.code).toBe(0)
  expect(listed.stdout.split("\n")).toMatchObject([
    expect.stringMatching(/^ {4}3 {2}\S+ {2}You {2}1 changed$/),
    expect.stringMatching(/^ {4}2 {2}\S+ {2}You {2}1 added$/),
    expect.stringMatching(/^ {4}1 {2}\S+ {2}You {2}1 added$/),
    "",
  ])
  const ofFile = jsonLines((await ask("versions", "--path", "a.txt", "--json")).stdout)
  expect(ofFile).toMatchObject([{ version: 3, file: { path: "a.txt" } }, { version: 1 }])

  expect(await ask("restore", "1", "a.txt")).toMatchObject({
    code: 0,
    stdout: "Restored a.txt from version 1 as version 4.\n",
  })
  expect(await session.files()).toEqual({ "a.txt": "one", "b.txt": "other" })
  const whole = await ask("restore", "1")
  expect(await session.files()).toEqual({ "a.txt": "one" })
  const [, undo = ""] = /npx switchyard (.+)/.exec(whole.stderr) ?? []
  expect(await switchyard(undo.split(" "), { url: server.url })).toMatchObject({ code: 0 })
  expect(await session.files()).toEqual({ "a.txt": "one", "b.txt": "other" })

  expect(await ask("restore", "4")).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining("Nothing to"),
  })
  expect(await ask("restore", "9")).toMatchObject({ code: 1, stderr: expect.stringContaining("no version 9") })
  expect(await ask("restore", "1", "b.txt")).toMatchObject({ code: 1, stderr: expect.stringContaining("this file") })
  expect((await ask("restore", "latest")).code).toBe(2)
  expect(await session.files()).toEqual({ "a.txt": "one", "b.txt": "other" })
})

it("a version is forked to a new session, by default the newest", async () => {
  const session = await openSession(server)
  const ask = (...args: string[]) => switchyard(["fork", ...args, "--workspace", session.id], { url: server.url })
  expect(await ask()).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no files to fork") })
  await session.edit("a.txt", "one")
  await session.edit("a.txt", "two")
  const filesOf = async (id: string) => (await openSession(server, undefined, id)).files()

  const newest = await ask()
  expect(newest).toMatchObject({ code: 0, stderr: expect.stringContaining("(copy)") })
  expect(await filesOf(newest.stdout.trim())).toEqual({ "a.txt": "two" })
  const [forked] = jsonLines((await ask("1", "--json")).stdout)
  expect(await filesOf(forked.id)).toEqual({ "a.txt": "one" })
})
