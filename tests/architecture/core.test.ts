import { describe, expect, it } from "vitest"
import { circleIn, files, foldersOf } from "./source-files.ts"

/** Core's folders from top to bottom. A folder may import those below it, but not those beside it. */
const CORE_WINGS = [
  ["sessions"],
  ["people"],
  ["agents"],
  ["work"],
  ["files", "models"],
  ["kernel"],
  ["log"],
  ["storage"],
  ["concurrency", "network", "text"],
]

/** The two levels of `work`. Each lower folder serves several kinds of runs, an upper folder serves one or two. */
const WORK_FLOORS = {
  upper: ["bake-offs", "chat", "teams", "trains", "workflow"],
  lower: [
    ...["apps", "checks", "context", "gate", "harness", "headlines", "pages"],
    ...["preview", "runs", "shell-commands", "usage", "verification"],
  ],
}

/**
 * Zod schemas, event types, tables of both, and descriptions of agents and model providers. Every folder may import
 * them.
 */
const SCHEMA =
  /(\/|-)(schema|nodes|define-event|event)\.ts$|\/(events|kinds)\.ts$|^core\/src\/(agents\/clis|models\/providers)\//

describe("the wings of core", () => {
  const core = files.filter(({ path }) => path.startsWith("core/src/"))
  const wingOf = (path: string) => path.split("/")[2] ?? ""
  const levelOf = (path: string) => CORE_WINGS.findIndex((wings) => wings.includes(wingOf(path)))

  it("are these, and a few files at the root that know none of them", () => {
    const wings = new Set(core.map(({ path }) => path.split("/").slice(2, -1)[0]).filter(Boolean))
    expect([...wings].sort()).toEqual(CORE_WINGS.flat().sort())
    const atRoot = core.filter(({ path }) => /^core\/src\/[^/]+$/.test(path))
    const knowing = atRoot.filter(({ imports }) => imports.some((name) => levelOf(name) >= 0))
    expect(knowing.map(({ path }) => path)).toEqual(["core/src/events.ts", "core/src/state.ts"])
  })

  it("import only downwards, schemas apart", () => {
    const wrong = core
      .filter(({ path }) => levelOf(path) >= 0)
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => levelOf(name) >= 0 && !SCHEMA.test(name))
          .filter((name) => levelOf(name) <= levelOf(path) && wingOf(name) !== wingOf(path))
          .map((name) => `${path} → ${name}`),
      )
    expect(wrong).toEqual([])
  })

  it("have two floors in `work`, of which the lower knows the upper by its schemas", () => {
    const inWork = core.filter(({ path }) => path.startsWith("core/src/work/"))
    const roomOf = (path: string) => /^core\/src\/work\/([^/]+)\//.exec(path)?.[1] ?? ""
    const rooms = new Set(inWork.map(({ path }) => roomOf(path)))
    expect([...rooms].sort()).toEqual(Object.values(WORK_FLOORS).flat().sort())
    const wrong = inWork
      .filter(({ path }) => WORK_FLOORS.lower.includes(roomOf(path)))
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => WORK_FLOORS.upper.includes(roomOf(name)) && !SCHEMA.test(name))
          .map((name) => `${path} → ${name}`),
      )
    expect(wrong).toEqual([])
  })

  it("know the state and the events of all nouns as types", () => {
    const wrong = core.filter(
      ({ path, values }) => path !== "core/src/state.ts" && values.includes("core/src/state.ts"),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it("have schemas that import schemas", () => {
    const known = /^(zod$|core\/src\/(errors|ids)\.ts$)/
    const wrong = core
      .filter(({ path }) => SCHEMA.test(path))
      .flatMap(({ path, imports }) =>
        imports.filter((name) => !known.test(name) && !SCHEMA.test(name)).map((name) => `${path} → ${name}`),
      )
    expect(wrong).toEqual([])
  })

  it("have rooms that form no circle", () => {
    // Files at the root are left out. Most are below all folders; the other two combine the folders' types, and folders
    // import only types from them.
    const inRooms = core.filter(({ path }) => levelOf(path) >= 0)
    expect(circleIn(foldersOf(inRooms, { apart: SCHEMA }))).toEqual([])
  })
})

describe("a library that parses text from outside", () => {
  /** Libraries that some texts slow down or crash. */
  const LIBRARIES = /^(web-tree-sitter|yaml|smol-toml|acorn|css-tree)\b/
  const isThread = (path: string) => path.endsWith("/thread-entry.ts")
  const loadedFrom = (entries: string[], isApart: (path: string) => boolean) => {
    const loaded = new Set(entries)
    for (const path of loaded) {
      if (isApart(path)) continue
      for (const name of files.find((file) => file.path === path)?.values ?? []) loaded.add(name)
    }
    return [...loaded]
  }

  it("runs in a thread", () => {
    const programs = files.map(({ path }) => path).filter((path) => /^(functions|runner|cli)\/src\//.test(path))
    expect(loadedFrom(programs, isThread).filter((name) => LIBRARIES.test(name))).toEqual([])
    const inThreads = loadedFrom(
      programs.filter((path) => !isThread(path)),
      () => false,
    )
    expect(inThreads.filter((name) => LIBRARIES.test(name)).length).toBeGreaterThan(4)
  })
})
