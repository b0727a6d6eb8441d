import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createFolderWatch } from "@switchyard/runner/project/commands/folder-watch"
import { expect, it } from "vitest"

/** A watched folder. `changed` resolves once a change is seen. */
async function watched() {
  const root = mkdtempSync(join(tmpdir(), "watch-"))
  for (const folder of ["src/deep", "node_modules/a", ".git"]) mkdirSync(join(root, folder), { recursive: true })
  symlinkSync(tmpdir(), join(root, "elsewhere"))
  let seen = Promise.withResolvers<void>()
  let count = 0
  const watch = createFolderWatch(() => {
    count++
    seen.resolve()
  })
  await watch.follow(root, ["node_modules"])
  return {
    watch,
    root,
    count: () => count,
    async changed(path: string): Promise<void> {
      seen = Promise.withResolvers()
      writeFileSync(join(root, path), `${Math.random()}`)
      await seen.promise
    },
    [Symbol.dispose]() {
      watch.close()
      rmSync(root, { recursive: true })
    },
  }
}

it("sees a change in each folder, and in one that was created since", async () => {
  using at = await watched()
  await at.changed("a.txt")
  await at.changed("src/deep/b.txt")
  mkdirSync(join(at.root, "src/fresh"))
  await at.watch.follow(at.root, ["node_modules"])
  await at.changed("src/fresh/c.txt")
})

it("sees nothing of git's own folder, of what git ignores, and after its end", async () => {
  using at = await watched()
  const writeMany = (...folders: string[]) => {
    for (const folder of folders) for (let n = 0; n < 50; n++) writeFileSync(join(at.root, folder, `${n}`), "1")
  }
  // Events arrive in order, so those of the many files would come before the last ones, which cause a few each.
  const settle = async () => {
    for (const name of ["a", "b", "c"]) await at.changed(`src/${name}.txt`)
  }
  writeMany(".git", "node_modules/a")
  await settle()
  expect(at.count()).toBeLessThan(20)
  at.watch.close()
  const before = at.count()
  writeMany("src/deep")
  await at.watch.follow(at.root, ["node_modules"])
  await settle()
  expect(at.count() - before).toBeLessThan(20)
})

it("goes on without a folder that is gone, and with another one in its place", async () => {
  using at = await watched()
  rmSync(join(at.root, "src"), { recursive: true })
  mkdirSync(join(at.root, "src"))
  await at.changed("first.txt")
  await at.watch.follow(at.root, [])
  await at.changed("src/a.txt")
  rmSync(join(at.root, "src"), { recursive: true })
  await at.watch.follow(at.root, [])
  await at.watch.follow(join(at.root, "nowhere"), [])
  await at.watch.follow(at.root, [])
  await at.changed("a.txt")
})
