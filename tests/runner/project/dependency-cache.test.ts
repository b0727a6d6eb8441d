import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownFiles } from "@switchyard/runner/files/files"
import type { Archives } from "@switchyard/runner/project/setup/archives"
import { createDependencyCache } from "@switchyard/runner/project/setup/dependency-cache"
import { expect, it } from "vitest"
import { never as signal } from "../../settings.ts"
import { archivesIn } from "./archives.ts"

it("restores a folder, and nothing else that its archive may have", async () => {
  const root = await mkdtemp(join(tmpdir(), "dependencies-"))
  const [kept, first, second] = ["kept", "first", "second"].map((name) => join(root, name)) as [string, string, string]
  for (const tree of [first, second]) {
    await mkdir(tree)
    await writeFile(join(tree, "package-lock.json"), "{}")
  }
  await mkdir(join(first, "node_modules/a"), { recursive: true })
  await writeFile(join(first, "node_modules/a/index.js"), "a")
  const cache = createDependencyCache(kept, { path: process.env.PATH ?? "" })
  const place = (tree: string) => ({ files: ownFiles, user: undefined, tree, path: "node_modules", made: "npm ci" })
  expect(await cache.keep(place(first), { signal })).toBe(true)

  // Replace the archive, as a program that runs during the installation could.
  await mkdir(join(first, ".git/hooks"), { recursive: true })
  await writeFile(join(first, ".git/hooks/post-checkout"), "#!/bin/sh\n")
  await writeFile(join(first, "package-lock.json"), "other")
  const [archive = ""] = await readdir(kept)
  execFileSync("tar", ["-cf", join(kept, archive), "node_modules", ".git", "package-lock.json"], { cwd: first })
  expect(await cache.restore(place(second), { signal })).toBe(true)
  expect((await readdir(second)).sort()).toEqual(["node_modules", "package-lock.json"])
  expect(await readFile(join(second, "package-lock.json"), "utf8")).toBe("{}")
  expect(await readFile(join(second, "node_modules/a/index.js"), "utf8")).toBe("a")
  await rm(root, { recursive: true })
})

it("restores nothing that was made with another manifest, whatever the lockfiles say", async () => {
  const root = await mkdtemp(join(tmpdir(), "dependencies-"))
  const cache = createDependencyCache(join(root, "kept"), { path: process.env.PATH ?? "" })
  const treeWith = async (name: string, files: Record<string, string>) => {
    await mkdir(join(root, name))
    for (const [file, text] of Object.entries(files)) await writeFile(join(root, name, file), text)
    return { files: ownFiles, user: undefined, tree: join(root, name), path: "node_modules", made: "npm ci" }
  }
  const locked = { "package-lock.json": "{}", "package.json": "{}" }
  const hostile = await treeWith("hostile", { ...locked, "package.json": '{"scripts":{"postinstall":"node x.js"}}' })
  await mkdir(join(hostile.tree, "node_modules"))
  expect(await cache.keep(hostile, { signal })).toBe(true)

  expect(await cache.restore(await treeWith("honest", locked), { signal })).toBe(false)
  const others = [{ ...locked, ".npmrc": "x" }, { "package.json": "{}" }]
  for (const [index, files] of others.entries()) {
    expect(await cache.restore(await treeWith(`other-${index}`, files), { signal })).toBe(false)
  }
  const same = { "package-lock.json": "{}", "package.json": '{"scripts":{"postinstall":"node x.js"}}' }
  expect(await cache.restore(await treeWith("same", same), { signal })).toBe(true)
  await rm(root, { recursive: true })
})

it("brings a folder from another machine, if it was made on the same system by the same set-up", async () => {
  const root = await mkdtemp(join(tmpdir(), "dependencies-"))
  const archives = archivesIn(join(root, "stored"), "sha256:1")
  const open = (machine: string, of: Archives = archives) =>
    createDependencyCache(join(root, machine), { path: process.env.PATH ?? "", archives: of })
  const tree = async (name: string, made = "npm ci") => {
    await mkdir(join(root, name))
    await writeFile(join(root, name, "package-lock.json"), "{}")
    return { files: ownFiles, user: undefined, tree: join(root, name), path: "node_modules", made }
  }
  const first = await tree("first")
  await mkdir(join(first.tree, "node_modules/a"), { recursive: true })
  expect(await open("one").keep(first, { signal })).toBe(true)
  const second = await tree("second")
  expect(await open("two").restore(second, { signal })).toBe(true)
  expect(await readdir(join(second.tree, "node_modules"))).toEqual(["a"])
  const other = archivesIn(join(root, "stored"), "sha256:2")
  expect(await open("three", other).restore(await tree("third"), { signal })).toBe(false)
  expect(await open("four").restore(await tree("fourth", "npm ci --omit=dev"), { signal })).toBe(false)
  expect(await readdir(join(root, "three"))).toEqual([])
  await rm(root, { recursive: true })
})
