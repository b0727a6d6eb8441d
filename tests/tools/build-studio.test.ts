import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url))

let root: string
let web: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "build-studio-"))
  web = join(root, "packages", "web")
  await mkdir(join(root, "tools"))
  await mkdir(join(web, "src"), { recursive: true })
  await mkdir(join(root, "packages", "core", "src"), { recursive: true })
  for (const file of ["build-studio", "lock", "require-writable"]) {
    await cp(join(REPOSITORY, `tools/${file}.mjs`), join(root, `tools/${file}.mjs`))
  }
  await symlink(join(REPOSITORY, "node_modules"), join(root, "node_modules"))
  await writeFile(join(root, "package-lock.json"), "{}")
  await writeFile(join(root, "packages/core/src/words.ts"), `export const word: string = "one"`)
  await writeFile(join(web, "package.json"), `{ "type": "module" }`)
  await writeFile(join(web, "index.html"), `<script type="module" src="/src/main.ts"></script>`)
  await writeFile(join(web, "src/main.ts"), `import { word } from "../../core/src/words.ts"\ndocument.title = word`)
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe("the studio's build", () => {
  it("is made once, and again after a change of what it is made of", async () => {
    expect(build().said).toContain("Building the studio")
    expect(await script()).toContain("title=`one`")
    expect(build().said).toBe("")
    await writeFile(join(root, "packages/core/src/words.ts"), `export const word: string = "two"`)
    expect(build().said).toContain("Building the studio")
    expect(await script()).toContain("title=`two`")
    expect(await left()).toEqual([".dist-stamp", "dist"])
  })

  it("is made once where two commands want it at the same time", async () => {
    const both = await Promise.all([buildBeside(), buildBeside()])
    expect(both.map(({ status }) => status)).toEqual([0, 0])
    expect(both.filter(({ said }) => said.includes("Building the studio"))).toHaveLength(1)
    expect(await script()).toContain("title=`one`")
  })

  it("is for people, whoever has it built", async () => {
    await writeFile(join(web, "src/main.ts"), "document.title = process.env.NODE_ENV ?? ''")
    expect(process.env.NODE_ENV).toBe("test")
    build()
    expect(await script()).toContain("title=`production`")
  })

  it("is made again if a part of it is gone", async () => {
    build()
    await rm(join(web, "dist/assets"), { recursive: true })
    build()
    expect(await script()).toContain("title=`one`")
  })

  it("says what is wrong when it fails, and leaves the last one as it was", async () => {
    build()
    await writeFile(join(web, "src/main.ts"), `import "./nowhere.ts"`)
    const { status, said } = build()
    expect(status).toBe(1)
    expect(said).toContain("nowhere.ts")
    expect(said).toContain("The studio couldn't be built")
    expect(await script()).toContain("title=`one`")
    expect(await left()).toEqual([".dist-stamp", "dist"])
    expect(build().status).toBe(1)
  })

  it("says why a folder can't be built in, and needs no build in one that is built", async () => {
    const before = root
    root = join(tmpdir(), `build-studio-${process.pid}-#-?`)
    await rename(before, root)
    expect(build()).toEqual({ status: 1, said: expect.stringMatching(/^Vite can.t build .* # or \? .*\n$/) })
    await rename(root, before)
    root = before
    await chmod(root, 0o755)
    await chmod(web, 0o555)
    // Root may write anywhere, so another user builds.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    expect(build(user)).toEqual({ status: 1, said: expect.stringContaining("this user can't write there (EACCES)") })
    await chmod(web, 0o755)
    build()
    await chmod(web, 0o555)
    expect(build(user)).toEqual({ status: 0, said: "" })
    await chmod(web, 0o755)
  })

  it("clears away what a build left that was killed", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", "0"])
    await mkdir(join(web, `.dist-${pid}`))
    build()
    expect(await left()).toEqual([".dist-stamp", "dist"])
  })
})

function build(user: { uid?: number; gid?: number } = {}): { status: number | null; said: string } {
  const { status, stderr, stdout } = spawnSync(process.execPath, [join(root, "tools/build-studio.mjs")], {
    encoding: "utf8",
    ...user,
  })
  return { status, said: stdout + stderr }
}

async function buildBeside(): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [join(root, "tools/build-studio.mjs")], { stdio: ["ignore", "ignore", "pipe"] })
  const [said] = await Promise.all([text(child.stderr), once(child, "close")])
  return { status: child.exitCode, said }
}

async function script(): Promise<string> {
  const [name] = await readdir(join(web, "dist/assets"))
  return readFile(join(web, "dist/assets", name ?? ""), "utf8")
}

async function left(): Promise<string[]> {
  return (await readdir(web)).filter((name) => /dist/.test(name)).sort()
}
