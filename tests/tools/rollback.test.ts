import { execFile, execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"

/** A stand-in for npm. Records its folder, its arguments, and the code and settings there. */
const NPM = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync } = require("node:fs")
const settings = existsSync(".env.prod") ? readFileSync(".env.prod", "utf8") : ""
const said = { args: process.argv.slice(2), code: readFileSync("code.txt", "utf8"), settings, cwd: process.cwd() }
appendFileSync(process.env.ASKED, JSON.stringify(said) + "\\n")
process.exit(process.argv[2] === process.env.FAILS ? 1 : 0)
`

let folder: string
/** Changes in the account. */
let changes: string[] = []
/** A stand-in for AWS: a stage of one function with two versions. The second version is live. */
const aws = createServer(async (request, response) => {
  const { method, url = "" } = request
  const body = await text(request)
  if (url.includes("/aliases/live") && method === "PUT")
    changes.push(`PUT aliases/live ${JSON.parse(body).FunctionVersion}`)
  else if (method === "PUT") changes.push(`PUT ${url.split("?")[0]}`)
  response.end(answer(`${method} ${url}`))
})

function answer(request: string): string {
  const FunctionName = "switchyard-prod-WorkerFunction-a"
  const version = (Version: string, commit: string) => {
    const Variables = { VERSION: `0.1.0+${commit.repeat(12)}`, TABLE: "records", BUCKET: "blobs" }
    return { FunctionName, Version, Environment: { Variables } }
  }
  if (request.includes("/versions")) return JSON.stringify({ Versions: [version("1", "a"), version("2", "b")] })
  if (request.includes("/aliases/live")) return JSON.stringify({ FunctionVersion: "2" })
  if (request.includes("/functions")) return JSON.stringify({ Functions: [version("$LATEST", "b")] })
  if (request.includes("list-type=2")) return "<ListBucketResult></ListBucketResult>"
  if (request.startsWith("PUT")) return "<CopyObjectResult></CopyObjectResult>"
  if (request.includes(".html")) return "<p>The studio</p>"
  if (request.startsWith("GET")) {
    const bucket = "<Bucket><Name>switchyard-prod-studiobucket-a</Name></Bucket>"
    return `<ListAllMyBucketsResult><Buckets>${bucket}</Buckets></ListAllMyBucketsResult>`
  }
  const result = "<GetCallerIdentityResult><Account>1</Account></GetCallerIdentityResult>"
  return `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`
}

beforeAll(async () => {
  aws.listen(0, "127.0.0.1")
  await once(aws, "listening")
})
afterAll(() => void aws.close())
beforeEach(() => {
  changes = []
  folder = mkdtempSync(join(tmpdir(), "switchyard-rollback-test-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const SETTINGS = "AGENTS=on\nDEPLOYED_TO=1/eu-central-1\n"

/** Creates a repository with two commits and this tool. */
function prepare() {
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim()
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  git("init", "--quiet")
  const commit = (text: string) => {
    writeFileSync(join(folder, "code.txt"), text)
    git("add", "code.txt")
    git(...identity, "commit", "--quiet", "-m", text)
    return git("rev-parse", "--short=12", "HEAD")
  }
  const older = commit("older")
  commit("newer")
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", "npm"), NPM)
  chmodSync(join(folder, "bin", "npm"), 0o755)
  const tools = join(import.meta.dirname, "../../tools")
  for (const file of ["rollback.ts", "cloud"])
    cpSync(join(tools, file), join(folder, "tools", file), { recursive: true })
  symlinkSync(join(tools, "../node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, ".env.prod"), SETTINGS)
  const run = (args: string[], fails = "") =>
    new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
      const env = {
        PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
        ASKED: join(folder, "asked"),
        FAILS: fails,
        AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
        ...{ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "eu-central-1" },
      }
      const ran = [join(folder, "tools/rollback.ts"), ...args]
      // Runs in the folder of the settings.
      execFile(process.execPath, ran, { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })
  const asked = () => {
    const lines = existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8") : ""
    return lines.split("\n").flatMap((line) => (line ? JSON.parse(line) : []))
  }
  return { git, older, run, asked }
}

it("deploys the earlier commit with today's settings, and leaves the checkout as it was", async () => {
  const { git, older, run, asked } = prepare()
  const there = git("rev-parse", "HEAD")
  expect(await run(["--stage", "prod", "--to", `0.1.0+${older}`, "--deploy"])).toMatchObject({ status: 0 })
  expect(asked()).toMatchObject([
    { args: ["ci"], code: "older", settings: SETTINGS },
    { args: ["run", "deploy", "--", "--stage", "prod"], code: "older" },
  ])
  expect(git("rev-parse", "HEAD")).toBe(there)
  expect(git("worktree", "list").split("\n")).toHaveLength(1)
  expect(existsSync(asked()[0].cwd)).toBe(false)
})

it("makes an earlier version live at once, without a deployment, or says what to do instead", async () => {
  const { run, asked } = prepare()
  const back = await run(["--stage", "prod", "--to", "aaaaaaa"])
  expect(back).toMatchObject({ status: 0, stdout: expect.stringContaining("prod is back at 0.1.0+aaaaaaaaaaaa.") })
  expect(changes).toEqual(["PUT aliases/live 1", "PUT /switchyard-prod-studiobucket-a/index.html"])
  expect(await run(["--stage", "prod", "--to", "ccccccc"])).toMatchObject({
    ...{ status: 1, stderr: expect.stringContaining("There is no published version ccccccc") },
  })
  expect((await run(["--stage", "prod", "--to", "ccccccc"])).stderr).toContain("add --deploy.")
  expect(asked()).toEqual([])
})

it("says so where nothing was deployed: no commit, an unknown one, or one that can't be installed", async () => {
  const { git, older, run, asked } = prepare()
  expect(await run(["--stage", "prod"])).toMatchObject({ status: 1, stderr: expect.stringContaining("--to 0.1.0+") })
  expect((await run(["--stage", "prod", "--to", "abcdef012345", "--deploy"])).stderr).toContain(
    "There is no commit abcdef012345 in this repository.",
  )
  expect(asked()).toEqual([])
  expect(await run(["--stage", "prod", "--to", older, "--deploy"], "ci")).toMatchObject({ status: 1 })
  expect(asked()).toHaveLength(1)
  expect(git("worktree", "list").split("\n")).toHaveLength(1)
})
