import { execFile, spawnSync } from "node:child_process"
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { sha256Of } from "@switchyard/core/files/workspaces/blob-store"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { type Change, manifestText } from "@switchyard/core/files/workspaces/manifest"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import { readAll } from "@switchyard/core/storage/blobs"
import { describe, expect, it } from "vitest"
import { incompressible, newStage, put, SID, type Stage, signal } from "../workspaces/stage.ts"
import { deletion, folder } from "../workspaces/trees.ts"
import { entriesOf } from "./entries.ts"

const run = promisify(execFile)
const long = Buffer.from("// a long generated file\n".repeat(60_000))
const noise = incompressible(1_200_000)
const project: Change[] = [
  put("README.md", "# Hi\n"),
  put("bin/run", "#!/bin/sh\n", { mode: 0o755 }),
  put("src/ünï/日本語 😀.txt", "names in Unicode"),
  put("src/A.txt", "capital"),
  put("src/a.txt", "small"),
  put("empty.txt", ""),
  put("__proto__/constructor", "just a file"),
  put("- -rf *", "a name for the shell"),
  put("data/long.ts", long),
  put("data/noise.bin", noise),
  put("data/small.bin", noise.subarray(0, 5000)),
  put("data/middle.ts", long.subarray(0, 200_000)),
  put("last/file", "goes"),
  deletion("last/file"),
  folder("empty/folder"),
]
const files = project
  .flatMap((change) => ("bytes" in change ? [change] : []))
  .filter(({ path }) => path !== "last/file")

async function archive(stage: Stage & { session: Parameters<typeof ensureArchive>[1] }): Promise<Buffer> {
  const key = await ensureArchive(stage, stage.session, { signal })
  return readAll((await stage.blobs.get(key)) ?? (async function* () {})())
}

describe("an archive", () => {
  it("holds every file, folder and mode", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, project, { signal })
    const entries = await entriesOf(await archive(stage))
    expect(entries.map(({ path }) => path)).toEqual([...files.map(({ path }) => path), "empty/folder/", "last/"].sort())
    const found = new Map(entries.map((entry) => [entry.path, entry]))
    for (const { path, bytes } of files) expect(found.get(path)?.bytes.equals(bytes), path).toBe(true)
    const isExecutable = (path: string) => ((found.get(path)?.mode ?? 0) & 0o111) !== 0
    expect([isExecutable("bin/run"), isExecutable("README.md")]).toEqual([true, false])
  })

  const unpackers: [string, string[]][] = [
    ["unzip", ["-q", "archive.zip", "-d", "out"]],
    ["python3", ["-m", "zipfile", "-e", "archive.zip", "out"]],
  ]

  it.for(unpackers)("is unpacked whole by %s", async ([command, args], { skip }) => {
    skip(spawnSync(command, ["-h"]).error !== undefined, `there is no ${command}; apt-get install ${command}`)
    await using stage = await newStage()
    await commitChanges(stage, stage.session, project, { signal })
    const cwd = stage.directory
    await writeFile(join(cwd, "archive.zip"), await archive(stage))
    await run(command, args, { cwd, env: { ...process.env, LC_ALL: "C.UTF-8" } })
    const found = await readdir(join(cwd, "out"), { recursive: true, withFileTypes: true })
    const paths = found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(cwd, "out/").length))
    expect(paths.sort()).toEqual(files.map(({ path }) => path).sort())
    for (const { path, bytes } of files) expect((await readFile(join(cwd, "out", path))).equals(bytes), path).toBe(true)
    expect(await readdir(join(cwd, "out/empty/folder"))).toEqual([])
    expect(await readdir(join(cwd, "out/last"))).toEqual([])
  })

  it("is the same bytes for the same version, whoever makes it and when", async () => {
    await using one = await newStage()
    await using other = await newStage()
    await commitChanges(one, one.session, project, { signal })
    for (const change of project.slice(0, -3).reverse()) await commitChanges(other, other.session, [change], { signal })
    await commitChanges(other, other.session, project.slice(-3), { signal })
    other.clock.now = () => 2e12
    expect((await archive(one)).equals(await archive(other))).toBe(true)
  })

  it("is the same bytes in another time zone", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, project, { signal })
    const made = await archive(stage)
    const script = new URL("archiver.ts", import.meta.url).pathname
    for (const TZ of ["Pacific/Auckland", "America/Los_Angeles"]) {
      await stage.blobs.remove(`s/${SID}/1/archives/`)
      await run(process.execPath, [script, stage.directory], { env: { ...process.env, TZ } })
      expect((await archive(stage)).equals(made)).toBe(true)
    }
  })

  it("is made once a version, and two who make it at once do no harm", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, project, { signal })
    let made = 0
    const counting = {
      ...stage.blobs,
      put: (...args: Parameters<typeof stage.blobs.put>) => {
        made++
        return stage.blobs.put(...args)
      },
    }
    const both = await Promise.all([
      ensureArchive({ blobs: counting }, stage.session, { signal }),
      ensureArchive({ blobs: counting }, stage.session, { signal }),
    ])
    const first = await archive(stage)
    expect(await ensureArchive({ blobs: counting }, stage.session, { signal })).toBe(both[0])
    expect(both[1]).toBe(both[0])
    expect(made).toBe(2)
    await commitChanges(stage, stage.session, [put("README.md", "changed")], { signal })
    expect(await ensureArchive({ blobs: counting }, stage.session, { signal })).not.toBe(both[0])
    expect((await archive(stage)).equals(first)).toBe(false)
  })

  it("of an empty workspace is a valid archive, before and after there were files", async () => {
    await using stage = await newStage()
    const key = await ensureArchive(stage, stage.session, { signal })
    expect(key).toBe(`s/${SID}/1/archives/${sha256Of(manifestText(emptyManifest))}.zip`)
    expect((await archive(stage)).length).toBe(22)
    await commitChanges(stage, stage.session, [put("a", "1")], { signal })
    await commitChanges(stage, stage.session, [deletion("a")], { signal })
    expect(await ensureArchive(stage, stage.session, { signal })).toBe(key)
  })

  it("is not stored when a file of it is missing", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, project, { signal })
    for (const content of [noise, files[0]?.bytes ?? noise]) {
      await stage.blobs.remove(`s/${SID}/1/blobs/${sha256Of(content)}`)
      await expect(ensureArchive(stage, stage.session, { signal })).rejects.toThrow(
        expect.objectContaining({ code: "workspace_error" }),
      )
      expect(await Array.fromAsync(stage.blobs.list(`s/${SID}/1/archives/`))).toEqual([])
    }
  })

  it("holds what was committed, and nothing that happens to lie beside it", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, [put("a", "A")], { signal })
    await writeFile(join(stage.directory, "secret"), "outside")
    await mkdir(join(stage.directory, "blobs/files"), { recursive: true })
    await symlink(join(stage.directory, "secret"), join(stage.directory, "blobs/files/leak"))
    await stage.blobs.put(`s/${SID}/1/blobs/uncommitted`, Buffer.from("uncommitted"))
    expect(await entriesOf(await archive(stage))).toMatchObject([{ path: "a", bytes: Buffer.from("A") }])
    const workspace = await openWorkspace(stage, stage.session, { signal })
    expect((await workspace.readAllTexts({ signal })).files).toEqual([{ path: "a", text: "A" }])
  })
})
