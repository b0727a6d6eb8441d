import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unpack } from "switchyard/downloads/unpack"
import { ArchiveRefused, UsageError } from "switchyard/errors/errors"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ZipEntry, zipOf } from "../zip.ts"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "unpack-"))
})
afterEach(() => rm(root, { recursive: true }))

const { signal } = new AbortController()

async function unpackEntries(entries: ZipEntry[] | Buffer, { merge = false, into = "out", signal: by = signal } = {}) {
  const zip = join(root, "a.zip")
  await writeFile(zip, Buffer.isBuffer(entries) ? entries : zipOf(entries))
  try {
    return await unpack(zip, join(root, into), { merge, signal: by })
  } finally {
    await rm(zip)
  }
}

async function filesIn(directory: string): Promise<Record<string, string>> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")))
  return Object.fromEntries(files.map((file, i) => [file.slice(directory.length + 1), texts[i] ?? ""]))
}

const project = [
  { name: "README.md", content: "# a" },
  { name: "src/deep/a.ts", content: "a" },
  { name: "empty/", mode: 0o040755 },
]

describe("an archive", () => {
  it("becomes a directory, with its empty folders and what may be executed", async () => {
    expect(await unpackEntries([...project, { name: "run.sh", mode: 0o100755 }], { into: "new/out" })).toBe(3)
    const out = join(root, "new/out")
    expect(await filesIn(out)).toEqual({ "README.md": "# a", "src/deep/a.ts": "a", "run.sh": "" })
    expect((await stat(join(out, "empty"))).isDirectory()).toBe(true)
    expect((await stat(join(out, "run.sh"))).mode & 0o100).toBe(0o100)
    expect((await stat(join(out, "README.md"))).mode & 0o111).toBe(0)
    expect(await readdir(join(root, "new"))).toEqual(["out"])
  })

  it("fills an empty directory without replacing it, for somebody may stand in it", async () => {
    await mkdir(join(root, "out"))
    const { ino } = await stat(join(root, "out"))
    await unpackEntries(project)
    expect((await stat(join(root, "out"))).ino).toBe(ino)
    expect((await readdir(join(root, "out"))).sort()).toEqual(["README.md", "empty", "src"])
  })

  it.each<[string, string, ZipEntry[]]>([
    ["climbs out", "invalid relative path", [{ name: "../evil", content: "x" }]],
    ["climbs out from below", "invalid relative path", [{ name: "a/../../evil", content: "x" }]],
    ["is absolute", "absolute path", [{ name: "/tmp/evil", content: "x" }]],
    ["names a drive", "absolute path", [{ name: "C:/evil", content: "x" }]],
    ["climbs out with backslashes", "invalid characters", [{ name: "..\\evil", content: "x" }]],
    ["is the directory itself", "forbidden name", [{ name: "./", mode: 0o040755 }]],
    ["has no name", "forbidden name", [{ name: "", content: "x" }]],
    ["has a control character", "forbidden name", [{ name: "a\x1b[2Jb", content: "x" }]],
    ["is a symlink", "neither a file", [{ name: "link", content: "/etc/passwd", mode: 0o120777 }]],
    [
      "is a symlink to write through",
      "neither a file",
      [
        { name: "d", content: "/tmp", mode: 0o120777 },
        { name: "d/x", content: "x" },
      ],
    ],
    ["is a device", "neither a file", [{ name: "null", mode: 0o020666 }]],
    ["is git's", "forbidden name", [{ name: ".git/config", content: "x" }]],
    ["is git's in another folder", "forbidden name", [{ name: "a/.GIT/hooks/x", mode: 0o100755, content: "x" }]],
    ["is a device of Windows", "forbidden name", [{ name: "src/aux.c", content: "x" }]],
    [
      "is the twin of another",
      "a duplicate in a different Unicode form",
      [
        { name: "\u00e9/a", content: "1" },
        { name: "e\u0301/b", content: "2" },
      ],
    ],
    [
      "makes it a repository",
      "is a git repository",
      [
        { name: "HEAD", content: "ref: refs/heads/main" },
        { name: "config", content: "[core]\nfsmonitor = touch x; false" },
        { name: "objects/", mode: 0o040755 },
        { name: "refs/heads/main", content: "" },
      ],
    ],
    [
      "makes a folder of it a repository",
      "is a git repository",
      [
        { name: "a/head", content: "ref: refs/heads/main" },
        { name: "A/objects/x", content: "" },
        { name: "a/Refs/heads/main", content: "" },
      ],
    ],
    ["has a huge name", "forbidden name", [{ name: "a".repeat(60_000), content: "x" }]],
    ["has a huge segment", "forbidden name", [{ name: `a/${"b".repeat(300)}`, content: "x" }]],
    [
      "is a duplicate",
      "is a duplicate",
      [
        { name: "a", content: "1" },
        { name: "a", content: "2" },
      ],
    ],
    [
      "is both a file and a folder",
      "a file and a folder",
      [
        { name: "a", content: "1" },
        { name: "a/b", content: "2" },
      ],
    ],
    [
      "is a folder and a file",
      "a file and a folder",
      [
        { name: "a/b", content: "2" },
        { name: "a", content: "1" },
      ],
    ],
    ["is encrypted", "can't be decoded", [{ name: "a", content: "1", flags: 1 }]],
    [
      "claims to be endless",
      "larger than 4 GB",
      [
        { name: "a", size: 0xfffffffe },
        { name: "b", size: 0xfffffffe },
      ],
    ],
    ["is larger than it claims", "too many bytes", [{ name: "a", content: "x".repeat(100_000), size: 10 }]],
    ["is smaller than it claims", "not enough bytes", [{ name: "a", content: "x", size: 10 }]],
    ["is damaged", "is damaged", [{ name: "a", content: "x", crc: 1 }]],
  ])("is refused whole when an entry %s (%s)", async (_what, why, entries) => {
    const refused = unpackEntries([{ name: "first", content: "x" }, ...entries])
    await expect(refused).rejects.toBeInstanceOf(ArchiveRefused)
    await expect(refused).rejects.toThrow(why)
    expect(await readdir(root)).toEqual([])
  })

  it.each([".git", "repo/.GIT/hooks"])("isn't unpacked into %s", async (into) => {
    await expect(unpackEntries(project, { into })).rejects.toBeInstanceOf(UsageError)
    expect(await readdir(root)).toEqual([])
  })

  it("isn't merged into a repository's own folder", async () => {
    for (const name of ["objects", "refs"]) await mkdir(join(root, "bare.git", name), { recursive: true })
    await writeFile(join(root, "bare.git/HEAD"), "ref: refs/heads/main")
    await expect(unpackEntries(project, { into: "bare.git", merge: true })).rejects.toThrow(
      "is one of git's own folders",
    )
    expect((await readdir(join(root, "bare.git"))).sort()).toEqual(["HEAD", "objects", "refs"])
  })

  it.each([0, 1, 21, 60, 150])("is refused when only its first %i bytes came", async (length) => {
    const whole = zipOf(project)
    await expect(unpackEntries(whole.subarray(0, length))).rejects.toBeInstanceOf(ArchiveRefused)
    expect(await readdir(root)).toEqual([])
  })

  it("leaves nothing behind when it is interrupted", async () => {
    const interrupted = AbortSignal.abort(new Error("enough"))
    await expect(unpackEntries(project, { signal: interrupted })).rejects.toThrow()
    expect(await readdir(root)).toEqual([])
  })
})

describe("a directory that has files", () => {
  const out = () => join(root, "out")
  beforeEach(async () => {
    await mkdir(join(out(), "src"), { recursive: true })
    await writeFile(join(out(), "README.md"), "mine")
    await writeFile(join(out(), "src/mine.ts"), "mine")
  })

  it("is left alone", async () => {
    await expect(unpackEntries(project)).rejects.toBeInstanceOf(UsageError)
    expect(await filesIn(out())).toEqual({ "README.md": "mine", "src/mine.ts": "mine" })
  })

  it("keeps what the archive doesn't have when they are merged", async () => {
    await unpackEntries(project, { merge: true })
    expect(await filesIn(out())).toEqual({ "README.md": "# a", "src/mine.ts": "mine", "src/deep/a.ts": "a" })
    expect((await readdir(out())).sort()).toEqual(["README.md", "empty", "src"])
  })

  it.each<[string, ZipEntry[]]>([
    [
      "a file where a folder is needed",
      [
        { name: "a", content: "x" },
        { name: "README.md/b", content: "x" },
      ],
    ],
    [
      "a folder where a file is",
      [
        { name: "a", content: "x" },
        { name: "README.md/", mode: 0o040755 },
      ],
    ],
    [
      "a folder in place of a file",
      [
        { name: "a", content: "x" },
        { name: "src", content: "x" },
      ],
    ],
  ])("is left as it was by %s", async (_what, entries) => {
    await expect(unpackEntries(entries, { merge: true })).rejects.toBeInstanceOf(UsageError)
    expect(await filesIn(out())).toEqual({ "README.md": "mine", "src/mine.ts": "mine" })
  })

  it("is not left through a link that was there before", async () => {
    await mkdir(join(root, "elsewhere"))
    await symlink(join(root, "elsewhere"), join(out(), "linked"))
    await expect(unpackEntries([{ name: "linked/x", content: "x" }], { merge: true })).rejects.toBeInstanceOf(
      UsageError,
    )
    expect(await readdir(join(root, "elsewhere"))).toEqual([])
  })

  it("gets a file in place of a link, not through it", async () => {
    await writeFile(join(root, "outside"), "safe")
    await symlink(join(root, "outside"), join(out(), "linked"))
    await unpackEntries([{ name: "linked", content: "x" }], { merge: true })
    expect(await readFile(join(root, "outside"), "utf8")).toBe("safe")
    expect(await readFile(join(out(), "linked"), "utf8")).toBe("x")
  })
})

it("refuses a file as a directory", async () => {
  await writeFile(join(root, "out"), "")
  await expect(unpackEntries(project, { merge: true })).rejects.toBeInstanceOf(UsageError)
})
