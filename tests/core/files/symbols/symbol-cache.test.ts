import { type References, referencesOf } from "@switchyard/core/files/symbols/references"
import type { FileFacts } from "@switchyard/core/files/symbols/schema"
import { createSymbolCache, type FactsByStamp } from "@switchyard/core/files/symbols/symbol-cache"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const KEY = "s/1/index"
const facts = (name: string, imports: string[] = [], calls: string[] = [], line = 1): FileFacts => ({
  symbols: [{ name, kind: "function", signature: `function ${name}()`, line, members: [] }],
  imports: imports.map((module) => ({ module, names: [] })),
  calls,
})

async function newCache() {
  const cache = createSymbolCache()
  await cache.facts(KEY, async () => new Map())
  let workedOut = 0
  const references = (files: ReadonlyMap<string, FileFacts>): References => {
    const paths = [...files.keys()]
    return cache.references(KEY, files, paths, (known) => {
      workedOut++
      return referencesOf(files, paths, known)
    })
  }
  return { references, workedOut: () => workedOut }
}

describe("the symbols that a process has in memory", () => {
  it("are loaded once, for the codebases that were used last", async () => {
    const cache = createSymbolCache()
    const loaded: string[] = []
    const load = (key: string) =>
      cache.facts(key, async (): Promise<FactsByStamp> => {
        loaded.push(key)
        return new Map()
      })
    for (const key of ["a", "b", "a", "c", "a", "b"]) await load(key)
    expect(loaded).toEqual(["a", "b", "c", "b"])
  })

  it("are loaded again after they could not be", async () => {
    const cache = createSymbolCache()
    await expect(cache.facts(KEY, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost")
    expect(await cache.facts(KEY, async () => new Map())).toEqual(new Map())
  })

  it("are related anew only once a name, an import or a call is another", async () => {
    const { references, workedOut } = await newCache()
    const files = (own: FileFacts) =>
      new Map([
        ["a.ts", own],
        ["b.ts", facts("b", ["./a"])],
      ] as const)
    const first = references(files(facts("a")))
    expect(references(files(facts("a", [], [], 7)))).toBe(first)
    expect(workedOut()).toBe(1)
    expect(references(files(facts("a", [], ["b"]))).referrers.get("b.ts")).toEqual(["a.ts"])
    expect(workedOut()).toBe(2)
  })

  it("are related as they are without a memory, whatever changes from one time to the next", async () => {
    const name = fc.constantFrom("a", "b", "c")
    // Few values, so that an edit often changes a single thing, or nothing.
    const one = fc.record({
      ...{ name: fc.constantFrom("a", "b"), imports: fc.subarray(["./a", "./b"]), calls: fc.subarray(["a", "b"]) },
    })
    const edits = fc.array(fc.tuple(name, fc.option(one)), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(edits, async (given) => {
        const { references } = await newCache()
        let files = new Map<string, FileFacts>()
        for (const [path, edit] of given) {
          files = new Map(files)
          if (edit) files.set(`${path}.ts`, facts(edit.name, edit.imports, edit.calls))
          else files.delete(`${path}.ts`)
          expect(references(files)).toEqual(referencesOf(files))
        }
      }),
    )
  })
})
