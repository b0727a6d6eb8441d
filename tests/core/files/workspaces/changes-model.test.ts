import { AppError } from "@switchyard/core/errors"
import { applyChanges, replayChange } from "@switchyard/core/files/workspaces/changes"
import { compareManifests, restoreChanges } from "@switchyard/core/files/workspaces/compare"
import { type Manifest, manifestText, type StoredChange } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deletion, folder, listing, rename, shaOf, write } from "./trees.ts"

/** A plain file system: a flat map of files and a flat set of folders. */
class Model {
  files = new Map<string, string>()
  folders = new Set<string>()

  apply(change: StoredChange, textOf: (sha256: string) => string): string | undefined {
    const { path } = change
    if (change.op === "delete") {
      if (!this.exists(path)) return "workspace_not_found"
      if (this.below(path).length > 0 && !change.recursive) return "workspace_conflict"
      this.drop(path)
      return
    }
    if (change.op === "rename") {
      const { fromPath } = change
      if (!this.exists(fromPath)) return "workspace_not_found"
      if (fromPath === path) return
      if (`${path}/`.startsWith(`${fromPath}/`) || `${fromPath}/`.startsWith(`${path}/`)) return "workspace_conflict"
      if (this.exists(path) && !change.overwrite) return "workspace_conflict"
      if (parents(path).some((parent) => this.files.has(parent))) return "workspace_conflict"
      this.drop(path)
      for (const parent of parents(path)) this.folders.add(parent)
      const moved = [fromPath, ...this.below(fromPath)]
      for (const old of moved) {
        const name = `${path}${old.slice(fromPath.length)}`
        const text = this.files.get(old)
        if (text !== undefined) this.files.set(name, text)
        else this.folders.add(name)
      }
      this.drop(fromPath)
      return
    }
    if (parents(path).some((parent) => this.files.has(parent))) return "workspace_conflict"
    if (change.op === "make_folder") {
      if (this.files.has(path)) return "workspace_conflict"
      for (const made of [path, ...parents(path)]) this.folders.add(made)
      return
    }
    if (this.folders.has(path)) return "workspace_conflict"
    const current = this.files.get(path)
    const expected = change.ifSha256
    if (expected === null && current !== undefined) return "workspace_conflict"
    if (typeof expected === "string" && (current === undefined || shaOf(current) !== expected)) {
      return "workspace_conflict"
    }
    for (const parent of parents(path)) this.folders.add(parent)
    this.files.set(path, textOf(change.file.sha256))
  }

  listing() {
    const all = [...this.files.keys(), ...this.folders]
    const empty = [...this.folders].filter((name) => !all.some((other) => other.startsWith(`${name}/`)))
    return Object.fromEntries([...this.files, ...empty.map((name) => [`${name}/`, ""])])
  }

  private exists = (path: string) => this.files.has(path) || this.folders.has(path)

  private below = (path: string) =>
    [...this.files.keys(), ...this.folders].filter((other) => other.startsWith(`${path}/`))

  private drop(path: string) {
    for (const gone of [path, ...this.below(path)]) {
      this.files.delete(gone)
      this.folders.delete(gone)
    }
  }
}

function parents(path: string): string[] {
  const segments = path.split("/")
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"))
}

// Few names and few texts, so that paths collide often.
const texts = ["0", "1", "2", "3"]
const path = fc
  .array(fc.constantFrom("a", "b", "ab", "__proto__"), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"))
const text = fc.constantFrom(...texts)
const flag = fc.boolean()
const change: fc.Arbitrary<StoredChange> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(path, text).map(([at, content]) => write(at, content)) },
  fc.tuple(path, text, fc.option(text)).map(([at, content, expected]) => write(at, content, expected)),
  { weight: 2, arbitrary: fc.tuple(path, flag).map(([at, recursive]) => deletion(at, recursive)) },
  { weight: 4, arbitrary: fc.tuple(path, path, flag).map(([from, to, overwrite]) => rename(from, to, overwrite)) },
  path.map(folder),
)
const textOf = (sha256: string) => texts.find((candidate) => shaOf(candidate) === sha256) ?? "?"

describe("any sequence of changes", () => {
  it("does what a file system would do, and fails where it would", () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(fc.array(change, { minLength: 20, maxLength: 40 }), (changes) => {
        const model = new Model()
        let manifest: Manifest = emptyManifest
        for (const each of changes) {
          const before = listing(manifest)
          const expected = model.apply(each, textOf)
          const result = attempt(manifest, each)
          expect(result.code).toBe(expected)
          manifest = result.manifest
          expect(entries(listing(manifest))).toEqual(entries(model.listing()))
          expectSound(manifest)
          if (each.op === "rename" && !each.overwrite) expectSameContents(before, listing(manifest))
          const kind = `${each.op} ${expected ?? "done"}`
          seen.set(kind, (seen.get(kind) ?? 0) + 1)
        }
      }),
      { numRuns: 400 },
    )
    // Checks that the generator often reaches each outcome.
    for (const op of ["write", "delete", "rename", "make_folder"]) {
      expect(seen.get(`${op} done`)).toBeGreaterThan(100)
      expect(seen.get(`${op} workspace_conflict`)).toBeGreaterThan(100)
    }
    expect(seen.get("rename workspace_not_found")).toBeGreaterThan(100)
  })

  it("is the same in one commit, and when it is replayed from the log", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30, size: "large" }), (changes) => {
        const { manifest, committed, kept } = oneByOne(emptyManifest, changes)
        expect(manifestText(applyChanges(emptyManifest, kept).manifest)).toBe(manifestText(manifest))
        expect(manifestText(applyChanges(emptyManifest, committed.map(replayChange)).manifest)).toBe(
          manifestText(manifest),
        )
      }),
      { numRuns: 300 },
    )
  })

  it("can be taken back, from any version to any other", () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 30, size: "large" }),
        fc.array(change, { maxLength: 30, size: "large" }),
        (one, other) => {
          const current = oneByOne(emptyManifest, one).manifest
          const wanted = oneByOne(emptyManifest, other).manifest
          const restored = applyChanges(current, restoreChanges(current, wanted)).manifest
          expect(manifestText(restored)).toBe(manifestText(wanted))
          expect(restoreChanges(wanted, wanted)).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  it("is told in full by a comparison of what was before and what is after", () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 30, size: "large" }),
        fc.array(change, { maxLength: 30, size: "large" }),
        (one, more) => {
          const before = oneByOne(emptyManifest, one).manifest
          const after = oneByOne(before, more).manifest
          const { added, removed, changed, renamed } = compareManifests(before, after)
          const files = new Map(before.files.map((file) => [file.path, file.sha256]))
          const result = new Map(after.files.map((file) => [file.path, file.sha256]))
          const moved = renamed.map(({ from, to }) => {
            expect(files.get(from)).toBe(result.get(to))
            return [from, to, files.get(from)] as const
          })
          for (const gone of [...removed, ...moved.map(([from]) => from)]) expect(files.delete(gone)).toBe(true)
          for (const [, to, sha256] of moved) files.set(to, sha256 ?? "")
          for (const made of added) expect(files.has(made)).toBe(false)
          for (const at of changed) expect(files.get(at)).not.toBe(result.get(at))
          for (const at of [...added, ...changed]) files.set(at, result.get(at) ?? "")
          expect(new Map([...files].sort())).toEqual(new Map([...result].sort()))
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** Lists the entries, because comparing the objects may overlook `__proto__`. */
const entries = (tree: Record<string, string>) => Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1))

function attempt(manifest: Manifest, each: StoredChange) {
  try {
    return { ...applyChanges(manifest, [each]), code: undefined }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { manifest, committed: [], code: error.code }
  }
}

function oneByOne(start: Manifest, changes: StoredChange[]) {
  let manifest = start
  const results = changes.map((each) => {
    const result = attempt(manifest, each)
    manifest = result.manifest
    return { each, ...result }
  })
  return {
    manifest,
    committed: results.flatMap(({ committed }) => committed),
    kept: results.filter(({ code }) => code === undefined).map(({ each }) => each),
  }
}

function expectSound({ files, folders }: Manifest) {
  const names = [...files.map((file) => file.path), ...folders]
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => names.some((other) => other.startsWith(`${name}/`)))).toEqual([])
  expect(names.every(isWorkspacePath)).toBe(true)
  expect(files).toEqual([...files].sort((a, b) => (a.path < b.path ? -1 : 1)))
}

function expectSameContents(before: Record<string, string>, after: Record<string, string>) {
  const contents = (tree: Record<string, string>) =>
    Object.entries(tree).flatMap(([name, content]) => (name.endsWith("/") ? [] : [content]))
  expect(contents(after).sort()).toEqual(contents(before).sort())
}
