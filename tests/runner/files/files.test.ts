import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { chmod, chown, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises"
import { arch, tmpdir } from "node:os"
import { join } from "node:path"
import { type Files, ownFiles } from "@switchyard/runner/files/files"
import { openFilesProcess } from "@switchyard/runner/sandbox/files-process"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"

const isRoot = process.getuid?.() === 0
const UID = 65534
const NOBODY = { uid: UID, gid: 2 ** 28 + 5 }

const root = mkdtempSync(join(tmpdir(), "files-"))
const theirs = openFilesProcess(isRoot ? NOBODY : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }, {
  env: {},
})
afterAll(() => {
  theirs[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
})

let count = 0
let folder = ""
beforeEach(async () => {
  folder = join(root, `${count++}`)
  await mkdir(folder)
  await chmod(root, 0o755)
  if (isRoot) await chown(folder, NOBODY.uid, NOBODY.gid)
})

const at = (name: string) => join(folder, name)

describe.each<[string, Files]>([
  ["this process's", ownFiles],
  ["another process's", theirs],
])("files, %s", (_, files) => {
  it("are described to the nanosecond, links as such or by what they lead to", async () => {
    await writeFile(at("a"), "hello")
    await symlink("a", at("link"))
    const { ino, mtimeNs, ctimeNs } = await lstat(at("a"), { bigint: true })
    expect(await files.lstat(at("a"))).toMatchObject({ kind: "file", size: 5, mode: 0o644, ino, mtimeNs, ctimeNs })
    expect(await files.lstat(at("link"))).toMatchObject({ kind: "link" })
    expect(await files.stat(at("link"))).toMatchObject({ kind: "file", ino })
    expect(await files.lstat(folder)).toMatchObject({ kind: "folder" })
    expect([await files.lstat(at("none")), await files.stat(at("a/below"))]).toEqual([undefined, undefined])
    expect([await files.exists(at("link")), await files.exists(at("none"))]).toEqual([true, false])
    expect(await files.realpath(at("link"))).toBe(await files.realpath(at("a")))
  })

  it("have names of any bytes", async () => {
    const name = Buffer.from([0x61, 0xff, 0x0a, 0x62])
    const place = Buffer.concat([Buffer.from(`${folder}/`), name])
    await writeFile(place, "bytes")
    expect(await files.list(folder)).toEqual([{ name, kind: "file" }])
    expect(await files.readRegular(place)).toEqual(Buffer.from("bytes"))
    await files.rename(place, Buffer.from(at("plain")))
    expect(await files.readText(at("plain"))).toBe("bytes")
    await expect(files.list(at("none"))).rejects.toMatchObject({ code: "ENOENT" })
  })

  it("are read whole or in parts, and only if they are regular", async () => {
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251))
    await writeFile(at("large"), bytes)
    expect((await files.readRegular(Buffer.from(at("large"))))?.equals(bytes)).toBe(true)
    expect((await files.readPart(at("large"), 2_999_990, 1000)).equals(bytes.subarray(2_999_990))).toBe(true)
    expect(await files.readPart(at("large"), 3_000_000, 1000)).toHaveLength(0)
    await expect(files.readText(at("large"))).rejects.toMatchObject({ code: "EFBIG" })
    await writeFile(at("empty"), "")
    expect(await files.readRegular(Buffer.from(at("empty")))).toEqual(Buffer.alloc(0))

    // The FIFO has no writer, so a blocking read would never end.
    execFileSync("sh", ["-c", `mkfifo '${at("fifo")}'`])
    expect(await files.readRegular(Buffer.from(at("fifo")))).toBeUndefined()
    await expect(files.readText(at("fifo"))).rejects.toMatchObject({ code: "EINVAL" })
    await expect(files.readPart(at("fifo"), 0, 1)).rejects.toMatchObject({ code: "EINVAL" })
    await expect(files.copy(at("fifo"), at("x"))).rejects.toMatchObject({ code: "EINVAL" })
    expect(await files.readText(at("none"))).toBeUndefined()
  })

  it("aren't read through a link, wherever it is in the path", async () => {
    await mkdir(at("real"))
    await writeFile(at("real/secret"), "secret")
    await symlink("real", at("folder"))
    await symlink("real/secret", at("link"))
    expect(await files.readRegular(Buffer.from(at("folder/secret")))).toBeUndefined()
    expect(await files.readRegular(Buffer.from(at("link")))).toBeUndefined()
    await expect(files.readPart(at("link"), 0, 1)).rejects.toMatchObject({ code: "ELOOP" })
  })

  it("are written nowhere but in the folder, whatever the names of a path are", async () => {
    await mkdir(at("inner"))
    for (const path of ["../out", "a/../../out", "../../out", "/out", "a//b", "."])
      await expect(files.replace(at("inner"), path, 0o644, Buffer.from("x"))).rejects.toMatchObject({ code: "EINVAL" })
    expect(await readdir(folder)).toEqual(["inner"])
  })

  it("are written in one step, never through a link", async () => {
    await files.replace(folder, "new/deep/file", 0o755, Buffer.from("one"))
    expect(await lstat(at("new/deep/file"))).toMatchObject({ mode: 0o100755 })
    await mkdir(at("outside"))
    await writeFile(at("outside/kept"), "kept")
    await files.unlink(at("new/deep/file"))
    await symlink("../../outside/kept", at("new/deep/file"))
    await files.replace(folder, "new/deep/file", 0o644, Buffer.from("two"))
    expect([await readFile(at("outside/kept"), "utf8"), await readFile(at("new/deep/file"), "utf8")]).toEqual([
      "kept",
      "two",
    ])
    await mkdir(at("inner"))
    await chmod(at("inner"), 0o777)
    await symlink("../outside", at("inner/away"))
    await files.replace(at("inner"), "away/kept", 0o644, Buffer.from("three"))
    expect([await readFile(at("outside/kept"), "utf8"), await readFile(at("inner/away/kept"), "utf8")]).toEqual([
      "kept",
      "three",
    ])
    const [aside = ""] = (await readdir(at("inner"))).filter((name) => name.startsWith("away."))
    expect(await readlink(at(`inner/${aside}`))).toBe("../outside")
    await files.create(at("private"), 0o600, Buffer.from("x"))
    expect(await lstat(at("private"))).toMatchObject({ mode: 0o100600 })
    await expect(files.create(at("private"), 0o600, Buffer.from("y"))).rejects.toMatchObject({ code: "EEXIST" })
  })

  it("are written where something else is, which is kept beside them", async () => {
    await mkdir(at("file/inner"), { recursive: true })
    await writeFile(at("file/inner/work"), "work")
    await chmod(folder, 0o777)
    await files.replace(folder, "file", 0o644, Buffer.from("now a file"))
    await writeFile(at("folder"), "was a file")
    await files.replace(folder, "folder/deep", 0o644, Buffer.from("below"))
    const names = (await files.list(folder)).map(({ name }) => `${name}`).sort()
    expect(names).toEqual(["file", expect.stringMatching(/^file\./), "folder", expect.stringMatching(/^folder\./)])
    expect(await readFile(at(`${names[1]}/inner/work`), "utf8")).toBe("work")
    expect(await readFile(at(`${names[3]}`), "utf8")).toBe("was a file")
    expect([await files.readText(at("file")), await files.readText(at("folder/deep"))]).toEqual(["now a file", "below"])
  })

  it("are copied with their times, linked, moved and removed", async () => {
    await files.create(at("a"), 0o644, Buffer.from("a"))
    await files.copy(at("a"), at("b"))
    await files.setTimes(at("b"), 5_000_000_000n, 7_123_000_000n)
    expect(await files.lstat(at("b"))).toMatchObject({ mtimeNs: 7_123_000_000n, atimeNs: 5_000_000_000n })
    await symlink("a", at("link"))
    await files.copy(at("link"), at("link2"))
    expect(await readlink(at("link2"))).toBe("a")
    await files.link(at("a"), at("hard"))
    await expect(files.link(at("a"), at("hard"))).rejects.toMatchObject({ code: "EEXIST" })
    await files.makeFolder(at("x/y"), 0o700)
    expect(await files.lstat(at("x/y"))).toMatchObject({ mode: 0o700 })
    await expect(files.removeFolder(at("x"))).rejects.toMatchObject({ code: "ENOTEMPTY" })
    await files.removeFolder(at("x/y"))
    await files.remove(at("x"))
    await files.remove(at("x"))
    expect((await files.list(folder)).map(({ name }) => `${name}`).sort()).toEqual(["a", "b", "hard", "link", "link2"])
  })
})

describe("files of another user", needs(isRoot ? undefined : "this user isn't root"), () => {
  it("are what that user reaches, and are made as that user's", async () => {
    await writeFile(at("secret"), "secret", { mode: 0o600 })
    await expect(theirs.readText(at("secret"))).rejects.toMatchObject({ code: "EACCES", path: at("secret") })
    await theirs.replace(folder, "a/b", 0o644, Buffer.from("b"))
    expect(await lstat(at("a/b"))).toMatchObject({ uid: UID, gid: NOBODY.gid })
    expect(await lstat(at("a"))).toMatchObject({ uid: UID, gid: NOBODY.gid })
  })

  it("are removed with read-only folders, of which nothing else is changed", async () => {
    const outside = join(root, `${count++}`)
    await mkdir(outside)
    await writeFile(join(outside, "mine"), "mine\n")
    await chmod(outside, 0o755)
    await theirs.makeFolder(join(folder, "cache/module/deep"))
    await theirs.create(join(folder, "cache/module/deep/f"), 0o444, Buffer.from("x"))
    await theirs.symlink(outside, join(folder, "cache/module/link"))
    for (const path of ["cache/module/deep", "cache/module", "cache"]) await chmod(join(folder, path), 0o500)
    await theirs.remove(join(folder, "cache"))
    expect(existsSync(join(folder, "cache"))).toBe(false)
    expect(await readFile(join(outside, "mine"), "utf8")).toBe("mine\n")
    expect((await lstat(outside)).mode & 0o777).toBe(0o755)
  })

  it("are removed with read-only folders among many others, which vanish meanwhile", async () => {
    const cache = join(folder, "modules")
    await theirs.makeFolder(join(cache, "a/b"))
    await theirs.create(join(cache, "a/b/f"), 0o444, Buffer.from("x"))
    for (const name of "bcde") await theirs.makeFolder(join(cache, name, "deep/".repeat(200)))
    await chmod(join(cache, "a/b"), 0o500)
    await theirs.remove(cache)
    expect(existsSync(cache)).toBe(false)
  })

  it("are never root's, however fast that user exchanges its folder for a link while it is read", async () => {
    await mkdir(at("secret"), { mode: 0o700 })
    await writeFile(at("secret/file"), "secret")
    await theirs.replace(folder, "own/file", 0o644, Buffer.from("own"))
    await symlink("secret", at("link"))
    // Flag 2 of renameat2 is RENAME_EXCHANGE. The number of the system call depends on the architecture.
    const number = arch() === "x64" ? 316 : 276
    const script = `chdir $ARGV[0]; while (1) { my ($a, $b) = ("own", "link"); syscall(${number}, -100, $a, -100, $b, 2) }`
    const child = spawn("sh", ["-c", 'exec perl -e "$0" "$1"', script, folder], { ...NOBODY, cwd: "/" })
    try {
      const texts = new Set<string | undefined>()
      for (let read = 0; read < 3000 || texts.size < 2; read++) {
        texts.add((await theirs.readRegular(Buffer.from(at("own/file"))))?.toString())
      }
      expect([...texts].sort()).toEqual(["own", undefined])
    } finally {
      child.kill("SIGKILL")
    }
  })
})

const hasProc = existsSync("/proc/self/task")

describe("the process", needs(hasProc ? undefined : "there is no /proc"), () => {
  it("fails what waits for it when it is stopped or killed, and another one goes on", async () => {
    const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
    using files = openFilesProcess(user, { env: {}, callWithinMs: 2000 })
    // On a busy machine, the process may take longer than `callWithinMs` to start.
    const answers = () => files.exists(root).catch(() => "not yet")
    for (const [signal, message] of [
      ["SIGSTOP", "The agent file process took too long: exists."],
      ["SIGKILL", "The process that reads and writes the agent's files exited."],
    ] as const) {
      const before = await children()
      await expect.poll(answers).toBe(true)
      for (const pid of (await children()).filter((each) => !before.includes(each))) process.kill(pid, signal)
      await expect(files.exists(root)).rejects.toThrow(message)
    }
    await expect.poll(answers).toBe(true)
  })

  async function children(): Promise<number[]> {
    const lists = (await readdir("/proc/self/task")).map((task) => readFile(`/proc/self/task/${task}/children`, "utf8"))
    return (await Promise.all(lists)).join(" ").split(" ").filter(Boolean).map(Number)
  }
})
