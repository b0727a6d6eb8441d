import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readCheckout } from "@switchyard/functions/local/checkout"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeRepository } from "../agents/repository.ts"

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "switchyard-checkout-"))
})
afterEach(() => rmSync(parent, { recursive: true }))

const read = (folder: string) => readCheckout(folder, { agentUser: undefined })

describe("a checkout", () => {
  it("has the files of the project with its manifests' texts, and not those of its dependencies", async () => {
    const { folder, write } = makeRepository(join(parent, "shop"), { "package.json": "{}", "src/test_a.py": "" })
    write({ "node_modules/left/package.json": "{}", ".venv/pyvenv.cfg": "", "a/b/c/d/e/f.txt": "" })
    const checkout = await read(folder)
    expect([...checkout.paths()].sort()).toEqual(["package.json", "src/test_a.py"])
    expect([checkout.has("package.json"), checkout.text("package.json")]).toEqual([true, "{}"])
    expect(["node_modules", ".venv", "src", "left", "package.json"].map(checkout.hasFolder)).toEqual([
      ...[true, true, true],
      ...[false, false],
    ])
  })

  it("leads nowhere else, and is no file of any size", async () => {
    const { folder } = makeRepository(join(parent, "shop"), { "README.md": "Mine.\n" })
    mkdirSync(join(parent, "outside"))
    writeFileSync(join(parent, "outside/package.json"), "{}")
    symlinkSync(join(parent, "outside/package.json"), join(folder, "package.json"))
    symlinkSync(join(parent, "outside"), join(folder, "packages"))
    writeFileSync(join(folder, "Makefile"), "x".repeat(300_000))
    const checkout = await read(folder)
    expect([...checkout.paths()].sort()).toEqual(["Makefile", "README.md"])
    expect(checkout.text("Makefile")).toBeUndefined()
    expect(checkout.hasFolder("packages")).toBe(false)
  })

  it("is in a repository", async () => {
    await expect(read(parent)).rejects.toMatchObject({ code: "task_invalid" })
  })
})
