import {
  DeleteFunctionCommand,
  GetAliasCommand,
  LambdaClient,
  ListVersionsByFunctionCommand,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda"
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { mockClient } from "aws-sdk-client-mock"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { makeNewestLive, rollBack } from "../../tools/cloud/roll-back.ts"
import { pruneVersions } from "../../tools/cloud/versions.ts"
import { startS3 } from "../emulators/s3.ts"

const FUNCTIONS = ["api", "worker"]
const lambda = new LambdaClient({ region: "eu-central-1" })
const mock = mockClient(lambda)

let s3: Awaited<ReturnType<typeof startS3>>
let studio: string
/** Settings of every function's versions, from the first, and the live version of each function. */
let versions: Record<string, string>[]
let live: Map<string, string>

/** Assets whose tags were removed. The emulator can't remove tags. */
let unmarked: unknown[]

beforeAll(async () => {
  s3 = await startS3()
  s3.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== "DeleteObjectTaggingCommand") return next(args)
        unmarked.push("Key" in args.input && args.input.Key)
        return { output: { $metadata: {} }, response: {} }
      },
    { step: "initialize" },
  )
})
afterAll(() => s3.stop())

beforeEach(async () => {
  studio = await s3.createBucket()
  versions = [
    { VERSION: "0.1.0+aaaaaaaaaaaa", ADMIN_TOKEN: "t", RETENTION_DAYS: "7", RUNNER: "1" },
    { VERSION: "0.1.0+bbbbbbbbbbbb", ADMIN_TOKEN: "t", RETENTION_DAYS: "30", RUNNER: "2" },
  ]
  live = new Map(FUNCTIONS.map((name) => [name, "2"]))
  await put("pages/aaaaaaaaaaaa.html", page("old"))
  await put("pages/bbbbbbbbbbbb.html", page("new"))
  await put("index.html", page("new"))
  await put("assets/old.js", "")
  unmarked = []
  mock.reset()
  mock.on(ListVersionsByFunctionCommand).callsFake(({ FunctionName, Marker }) => {
    const all = versions.map((Variables, index) => ({
      Version: `${index + 1}`,
      FunctionName,
      Environment: { Variables },
    }))
    // Two pages, as with many versions.
    return Marker
      ? { Versions: all.slice(1) }
      : { Versions: [{ Version: "$LATEST" }, ...all.slice(0, 1)], NextMarker: "more" }
  })
  mock
    .on(GetAliasCommand, { Name: "live" })
    .callsFake(({ FunctionName }) => ({ FunctionVersion: live.get(FunctionName) }))
  mock.on(UpdateAliasCommand, { Name: "live" }).callsFake(({ FunctionName, FunctionVersion }) => {
    live.set(FunctionName, FunctionVersion)
    return {}
  })
})

const page = (text: string, script = "theme()") => `<script>${script}</script><p>${text}</p>`
const put = (Key: string, Body: string) =>
  s3.client.send(
    new PutObjectCommand({ Bucket: studio, Key, Body: Buffer.from(Body), ContentType: "text/html; charset=utf-8" }),
  )
const served = () => s3.client.send(new GetObjectCommand({ Bucket: studio, Key: "index.html" }))
const shown = async () => (await served()).Body?.transformToString()
const back = (code: string) => rollBack({ lambda, s3: s3.client, functions: FUNCTIONS, studio }, code)

it("makes an earlier version of every function and of the studio live, and says which settings are others", async () => {
  expect(await back("aaaaaaa")).toEqual({ code: "0.1.0+aaaaaaaaaaaa", settings: ["RETENTION_DAYS"] })
  expect([...live]).toEqual([
    ["api", "1"],
    ["worker", "1"],
  ])
  expect(await shown()).toBe(page("old"))
  expect((await served()).ContentType).toBe("text/html; charset=utf-8")
  // With its mark, the bucket would delete an asset that the page needs.
  expect(unmarked).toEqual(["assets/old.js"])
  // Roll forward again.
  expect(await back("0.1.0+bbbbbbbbbbbb")).toMatchObject({ code: "0.1.0+bbbbbbbbbbbb" })
  expect([...live.values()]).toEqual(["2", "2"])
  expect(await shown()).toBe(page("new"))
})

it("makes the newest version of each live after a deployment that changed only one of them, and the page", async () => {
  await back("aaaaaaa")
  const older = versions
  mock.on(ListVersionsByFunctionCommand, { FunctionName: "worker" }).callsFake(() => ({
    Versions: [...older, older[1]].map((Variables, index) => ({ Version: `${index + 1}`, Environment: { Variables } })),
  }))
  live.set("worker", "3")
  await makeNewestLive({ lambda, s3: s3.client, functions: FUNCTIONS, studio })
  expect([...live]).toEqual([
    ["api", "2"],
    ["worker", "3"],
  ])
  expect(await shown()).toBe(page("new"))
})

it("takes the newest of a commit's versions, and one that isn't the commit only by its whole name", async () => {
  versions.unshift({ ...versions[0], VERSION: "0.1.0+aaaaaaaaaaaa.changed" })
  versions.splice(1, 0, { ...versions[0], VERSION: "0.1.0+aaaaaaaaaaaa" })
  live = new Map(FUNCTIONS.map((name) => [name, "4"]))
  await back("aaaaaaaaaaaa")
  expect([...live.values()]).toEqual(["3", "3"])
  await put("pages/aaaaaaaaaaaa.changed.html", page("changed"))
  await back("0.1.0+aaaaaaaaaaaa.changed")
  expect([...live.values()]).toEqual(["1", "1"])
})

it.each<[string, () => unknown, string]>([
  [
    "it isn't published",
    () => versions.shift(),
    "There is no published version aaaaaaa of api. There are: 0.1.0+bbbbbbbbbbbb.",
  ],
  [
    "a secret has changed",
    () => Object.assign(versions[0] ?? {}, { ADMIN_TOKEN: "older" }),
    "other changes: ADMIN_TOKEN.",
  ],
  [
    "its page is gone",
    () => s3.client.send(new PutObjectCommand({ Bucket: studio, Key: "index.html", Body: page("new", "other()") })),
    "had other scripts then",
  ],
])("changes nothing where %s", async (_why, change, reason) => {
  await change()
  const before = await shown()
  await expect(back("aaaaaaa")).rejects.toThrow(reason)
  expect(mock.commandCalls(UpdateAliasCommand)).toEqual([])
  expect(await shown()).toBe(before)
})

it("leaves all functions as they were where one can't be moved", async () => {
  mock.on(UpdateAliasCommand, { FunctionName: "worker", FunctionVersion: "1" }).rejects(new Error("Not authorized"))
  await expect(back("aaaaaaa")).rejects.toThrow("Not authorized")
  expect([...live.values()]).toEqual(["2", "2"])
  expect(await shown()).toBe(page("new"))
})

it("keeps as many versions as there are images for containers, and the live one", async () => {
  versions = Array.from({ length: 6 }, (_, index) => ({ VERSION: `0.1.0+${index}` }))
  live.set("api", "2")
  mock.on(DeleteFunctionCommand).resolves({})
  await pruneVersions(lambda, "api")
  const removed = mock.commandCalls(DeleteFunctionCommand).map(({ args }) => args[0].input)
  expect(removed).toEqual(["3", "1"].map((Qualifier) => ({ FunctionName: "api", Qualifier })))
})
